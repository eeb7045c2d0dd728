"""What is written down of a trial: JSON, of texts whose characters are whole."""

from dataclasses import asdict
from typing import Any

import orjson

from wardround.core.actions import Action, Call, Say
from wardround.core.errors import AgentError

# A document of two hundred levels cannot be read again; an action lies a few deep in its trial's.
_DEEPEST, _DEEPEST_ACTION = 200, 150


def to_line(document: Any) -> bytes:
    """A dataclass as one line of JSON, without the line's end; half characters become U+FFFD."""
    try:
        return orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:
        whole = _whole(asdict(document), _DEEPEST)
        return orjson.dumps(whole, option=orjson.OPT_NON_STR_KEYS)


def checked(action: object) -> Action:
    """What an agent gave as its action, as it can be carried out and written down.

    Half a character, which a cut JSON escape leaves, becomes U+FFFD for everybody.

    Raises:
        AgentError: it is no action, or holds what is no JSON.

    >>> checked(Say("cut " + chr(0xD83D)))
    Say(text='cut �')
    """
    try:
        match action:
            case Say(str(text)):
                return Say(_whole_text(text))
            case Call(str(tool), dict(arguments)):
                whole = _whole(arguments, _DEEPEST_ACTION)
                orjson.dumps(whole, option=orjson.OPT_NON_STR_KEYS)
                return Call(_whole_text(tool), whole)
    except TypeError as error:
        raise AgentError(f"the agent's action cannot be written as JSON ({error})") from error
    raise AgentError(f"the agent gave no action but {type(action).__name__}")


def _whole(value: Any, deepest: int) -> Any:
    if not deepest:
        raise TypeError("it is nested too deeply")
    match value:
        case str():
            return _whole_text(value)
        case dict():
            return {
                _whole(key, deepest - 1): _whole(each, deepest - 1) for key, each in value.items()
            }
        case list() | tuple():
            return [_whole(each, deepest - 1) for each in value]
    return value


def _whole_text(text: str) -> str:
    """Two halves side by side are one character."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
