"""JSON for records and trajectories; lone surrogates become U+FFFD."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import orjson

from wardround.core.actions import Action, Call, Say
from wardround.core.errors import ActionError

# JSON nested deeper cannot be read back; an action is a few levels deep in its document.
_MAX_DEPTH, _MAX_ACTION_DEPTH = 200, 150
# Environments and graders read an action whole; this is far beyond any answer or query.
MAX_ACTION_BYTES = 100_000


def to_line(document: Any) -> bytes:
    """A dataclass or a dict as one line of JSON, without the newline."""
    try:
        return orjson.dumps(document, option=orjson.OPT_NON_STR_KEYS)
    except TypeError:
        values = document if isinstance(document, dict) else asdict(document)
        valid = _valid(values, _MAX_DEPTH)
        return orjson.dumps(valid, option=orjson.OPT_NON_STR_KEYS)


def flattened(values: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested values by name, inner names after a dot.

    >>> flattened({"agent": "oracle", "limits": {"actions": 30}})
    {'agent': 'oracle', 'limits.actions': 30}
    """
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= flattened(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = value
    return flat


def checked_action(action: object) -> Action:
    """Returns an agent's action with valid text, so that it can be carried out and stored.

    A lone surrogate, as a truncated JSON escape leaves it, becomes U+FFFD.

    Raises:
        ActionError: the value is not an action, is too large, or its arguments are not JSON.

    >>> checked_action(Say("cut " + chr(0xD83D)))
    Say(text='cut �')
    """
    try:
        match action:
            case Say(str(text)):
                check_action_size(len(text))
                valid_text = _valid_text(text)
                check_action_size(len(valid_text.encode()))
                return Say(valid_text)
            case Call(str(tool), dict(arguments)):
                valid = _valid(arguments, _MAX_ACTION_DEPTH)
                written = orjson.dumps(
                    [tool_name := _valid_text(tool), valid], option=orjson.OPT_NON_STR_KEYS
                )
                check_action_size(len(written))
                return Call(tool_name, valid)
    except TypeError as error:
        raise ActionError(f"the agent's action cannot be written as JSON ({error})") from error
    raise ActionError(f"the agent gave no action but {type(action).__name__}")


def check_action_size(size: int) -> None:
    """Refuse an action that is too large to be carried out.

    Args:
        size: Its bytes.

    Raises:
        ActionError: it is larger than `MAX_ACTION_BYTES`.
    """
    if size > MAX_ACTION_BYTES:
        raise ActionError(f"the agent's action is larger than {MAX_ACTION_BYTES // 1000} kB")


def _valid(value: Any, levels: int) -> Any:
    """The value with lone surrogates replaced in its texts.

    Raises:
        TypeError: it is nested more deeply than `levels`.
    """
    if not levels:
        raise TypeError("it is nested too deeply")
    match value:
        case str():
            return _valid_text(value)
        case dict():
            return {
                _valid(key, levels - 1): _valid(item, levels - 1) for key, item in value.items()
            }
        case list() | tuple():
            return [_valid(item, levels - 1) for item in value]
    return value


def _valid_text(text: str) -> str:
    """The text with surrogate pairs joined and lone surrogates replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
