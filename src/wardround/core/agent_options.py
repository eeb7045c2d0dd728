"""Validates an agent's options by its declaration."""

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
        agent: its declaration.
        trained: the file or folder of `--agent-model`, if any: the option `agent_model`.
        given: other options as typed, by name.

    Raises:
        UserError: the agent has no such option, needs one that is missing, or cannot take a value.
    """
    raw = {**given, **({TRAINED: str(trained)} if trained else {})}
    fields = agent.options.model_fields
    for name in raw:
        if name not in fields:
            raise UserError(_unknown(agent.name, name, list(fields)))
    for name, field in fields.items():
        if field.is_required() and name not in raw:
            raise UserError(f"The agent {agent.name!r} needs {_option(name)}; add it.")
    try:
        options = agent.options.model_validate(raw)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        name = str(problem["loc"][0])
        raise UserError(
            f"The agent {agent.name!r} cannot take {raw.get(name)!r} for {_option(name)}: "
            f"{problem['msg']}."
        ) from None
    return {name: getattr(options, name) for name in fields}


def _unknown(agent: str, name: str, fields: list[str]) -> str:
    settings = ", ".join(map(_option, fields)) or "none"
    return f"The agent {agent!r} has no setting {_option(name)}; it has {settings}."


def _option(name: str) -> str:
    return "--agent-model" if name == TRAINED else f"--agent-setting {name}=…"
