"""Gives an agent the settings that a run names for it: they are its opener's own keywords."""

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from wardround.core.errors import UserError

TRAINED = "agent_model"


def keywords_for(
    opener: Callable[..., Any], name: str, trained: Path | None, given: Mapping[str, str]
) -> dict[str, Any]:
    """The keywords that an agent is opened with, each of the type that its opener declares.

    Args:
        opener: the agent's `open_agents`; what it takes by keyword alone are its settings.
        name: the agent's name, for errors.
        trained: the file or folder of `--agent-model`, if any; the setting `agent_model`.
        given: other settings as they were typed.

    Raises:
        UserError: the agent has no such setting, needs one that is missing, or cannot take a value.

    >>> def open_agents(model, *, samples: int = 5): ...
    >>> keywords_for(open_agents, "sql", None, {"samples": "3"})
    {'samples': 3}
    """
    written = {**given, **({TRAINED: str(trained)} if trained else {})}
    takes = {p.name: p for p in signature(opener).parameters.values() if p.kind is p.KEYWORD_ONLY}
    for setting in written:
        if setting not in takes:
            raise UserError(_unknown(name, setting, list(takes)))
    for setting, parameter in takes.items():
        if parameter.default is Parameter.empty and setting not in written:
            raise UserError(f"The agent {name!r} needs {_option(setting)}; add it.")
    types = get_type_hints(opener, include_extras=True) if written else {}
    return {
        setting: _converted(name, setting, text, types.get(setting, str))
        for setting, text in written.items()
    }


def _converted(name: str, setting: str, text: str, kind: Any) -> Any:
    try:
        return TypeAdapter(kind).validate_python(text)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]["msg"]
        raise UserError(
            f"The agent {name!r} cannot take {text!r} for {_option(setting)}: {problem}."
        ) from None


def _unknown(name: str, setting: str, known: list[str]) -> str:
    taken = ", ".join(map(_option, known)) or "none"
    return f"The agent {name!r} has no setting {_option(setting)}; it has {taken}."


def _option(setting: str) -> str:
    return "--agent-model" if setting == TRAINED else f"--agent-setting {setting}=…"
