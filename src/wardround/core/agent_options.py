"""Gives an agent the options that a run names for it, as its declaration has them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from wardround.core.declaration import AgentDeclaration
from wardround.core.errors import UserError

TRAINED = "agent_model"


def agent_options(
    agent: AgentDeclaration, trained: Path | None, given: Mapping[str, str]
) -> dict[str, Any]:
    """The keywords that an agent is opened with.

    Args:
        agent: what it declares.
        trained: the file or folder of `--agent-model`, if any: the option `agent_model`.
        given: other options as they were typed.

    Raises:
        UserError: the agent has no such option, needs one that is missing, or cannot take a value.
    """
    written = {**given, **({TRAINED: str(trained)} if trained else {})}
    known = agent.options.model_fields
    for name in written:
        if name not in known:
            raise UserError(_unknown(agent.name, name, list(known)))
    for name, field in known.items():
        if field.is_required() and name not in written:
            raise UserError(f"The agent {agent.name!r} needs {_option(name)}; add it.")
    try:
        options = agent.options.model_validate(written)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        name = str(problem["loc"][0])
        raise UserError(
            f"The agent {agent.name!r} cannot take {written.get(name)!r} for {_option(name)}: "
            f"{problem['msg']}."
        ) from None
    return {name: getattr(options, name) for name in known}


def _unknown(agent: str, name: str, known: list[str]) -> str:
    settings = ", ".join(map(_option, known)) or "none"
    return f"The agent {agent!r} has no setting {_option(name)}; it has {settings}."


def _option(name: str) -> str:
    return "--agent-model" if name == TRAINED else f"--agent-setting {name}=…"
