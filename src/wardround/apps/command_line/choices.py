"""Turns the options of `wardround run` into a run's settings."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from wardround.core.declaration import Role
from wardround.core.declared import benchmark_declaration
from wardround.core.errors import UserError
from wardround.core.locations import is_url
from wardround.ehr.database import open_database
from wardround.models.settings import ModelSettings
from wardround.runs.settings import RunSettings

Form = TypeVar("Form", bound=BaseModel)

AGENT = "agent"


def chosen_settings(
    *,
    benchmark: str,
    database: list[str] | None = None,
    agent: str | None = None,
    agent_setting: list[str] | None = None,
    model: str | None = None,
    base_url: str | None = None,
    temperature: str = "0",
    reasoning_effort: str | None = None,
    role_model: list[str] | None = None,
    **others: Any,
) -> RunSettings:
    """The settings that options stand for, with what was left out filled in.

    Raises:
        UserError: an option is not understood, or two do not fit together.
    """
    roles = benchmark_declaration(benchmark).roles
    shared = {"name": model, "base_url": base_url, "reasoning_effort": reasoning_effort}
    models = models_by_role(roles, shared, role_model or [], temperature)
    return _checked(
        RunSettings,
        benchmark=benchmark,
        agent=agent or _default_agent(models.get(AGENT)),
        agent_settings=dict(map(_agent_setting, agent_setting or [])),
        models=models,
        databases=dict(map(named_database, database or [])),
        **others,
    )


def named_database(option: str) -> tuple[str, str]:
    """A database's name and place; without a name it is that of the schema it is recognised as.

    Raises:
        UserError: the file cannot be opened, or its schema is not known and no name was given.
    """
    name, equals, place = option.partition("=")
    # A URL may have an equals sign in what follows its question mark.
    return (name, place) if equals and not is_url(name) else (_recognised(option), option)


def _agent_setting(option: str) -> tuple[str, str]:
    """NAME=VALUE; a name is typed with hyphens or underscores."""
    name, equals, value = option.partition("=")
    if not name or not equals:
        raise UserError(f"--agent-setting {option!r} is not NAME=VALUE.")
    return name.replace("-", "_"), value


def _recognised(place: str) -> str:
    from wardround.ehr.schema import recognise

    database = open_database(place)
    columns = {table: [c.name for c in database.columns(table)] for table in database.tables()}
    database.close()
    if (schema := recognise(columns)) is None:
        raise UserError(
            f"The schema of {place} is not one that wardround knows; give the database the name "
            f"that its tasks use, as --database NAME={place}."
        )
    return schema


def _default_agent(model: ModelSettings | None) -> str:
    """Servers of one's own often lack native tool calls, so they get the JSON agent."""
    if model is None:
        return "parser"
    return "json" if model.base_url else "tools"


def models_by_role(
    roles: Sequence[Role],
    shared: Mapping[str, Any],
    role_model: Iterable[str],
    agent_temperature: str | None = None,
) -> dict[str, ModelSettings]:
    """The model of each role, where it has one.

    It is the role's own, else that of the role which it follows, else that of --model.

    Args:
        roles: the roles beside the agent.
        shared: what --model, --base-url and --reasoning-effort say.
        role_model: models of single roles, as ROLE=PROVIDER:NAME[,SETTING=VALUE...].
        agent_temperature: the agent's, where there is an agent among the roles.

    Raises:
        UserError: an option is not understood, or two do not fit together.
    """
    _check_base_url(shared["name"], shared["base_url"])
    temperatures: dict[str, Any] = {role.name: role.temperature for role in roles}
    if agent_temperature is not None:
        temperatures = {AGENT: agent_temperature, **temperatures}
    models = dict(_role_model(option, temperatures) for option in role_model)
    for role in roles:
        if role.name not in models and role.follows in models:
            own = {"temperature": role.temperature}
            models[role.name] = models[role.follows].model_copy(update=own)
    for name, temperature in temperatures.items():
        if shared["name"] is not None and name not in models:
            models[name] = _checked(ModelSettings, **shared, temperature=temperature)
    return models


def _check_base_url(model: str | None, base_url: str | None) -> None:
    if model is None and base_url is not None:
        raise UserError("--base-url needs --model, as in --model openai:NAME.")


def _role_model(option: str, temperatures: Mapping[str, Any]) -> tuple[str, ModelSettings]:
    """ROLE=PROVIDER:NAME[,SETTING=VALUE...]."""
    named, *rest = option.split(",")
    role, _, name = named.partition("=")
    if role not in temperatures or not name:
        known = ", ".join(temperatures)
        raise UserError(
            f"--role-model {option!r} is not ROLE=PROVIDER:NAME with a role of {known}."
        )
    given = dict(item.partition("=")[::2] for item in rest)
    # The agent's --temperature is that of --model; a model of its own has the usual one.
    usual = 0.0 if role == AGENT else temperatures[role]
    return role, _checked(ModelSettings, **({"temperature": usual} | given), name=name)


def _checked(form: type[Form], **values: Any) -> Form:
    try:
        return form(**values)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = ".".join(map(str, problem["loc"]))
        wrong = problem["msg"].removeprefix("Value error, ")
        raise UserError(f"The setting {field!r} is wrong: {wrong}.") from None
