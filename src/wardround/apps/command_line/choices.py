"""Turns the options of `wardround run` into a run's settings."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from wardround.benchmarks.settings import RunSettings
from wardround.core.errors import UserError
from wardround.ehr.database import is_url, open_database
from wardround.models.settings import ModelSettings

Form = TypeVar("Form", bound=BaseModel)

ROLES = ("agent", "user", "verifier", "validator")

# The papers' temperatures (EHR-ChatQA 3.2, 5.1, A.3.4; BIRD-Interact 5, I): in the first the user's
# words vary, in the second nothing does.
USER_TEMPERATURES = {"chatqa": 1.0, "interact": 0.0}


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
    user: str | None = None,
    **others: Any,
) -> RunSettings:
    """The settings that options stand for, with what was left out filled in.

    Raises:
        UserError: an option is not understood, or two do not fit together.
    """
    warmth = USER_TEMPERATURES.get(benchmark, 1.0)
    models = _models(model, base_url, temperature, reasoning_effort, role_model or [], warmth)
    return _checked(
        RunSettings,
        benchmark=benchmark,
        agent=agent or _default_agent(models.get("agent")),
        agent_settings=dict(map(_agent_setting, agent_setting or [])),
        models=models,
        user=user or ("model" if "user" in models else "script"),
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


def _models(
    model: str | None,
    base_url: str | None,
    temperature: str,
    reasoning_effort: str | None,
    role_model: Iterable[str],
    users: float,
) -> dict[str, ModelSettings]:
    """Each role's model: its own, else the one its judgement follows, else that of --model."""
    _check_base_url(model, base_url)
    models = dict(_role_model(option, ROLES, {"user": users}) for option in role_model)
    if model is not None:
        shared = {"name": model, "base_url": base_url, "reasoning_effort": reasoning_effort}
        models.setdefault("agent", _checked(ModelSettings, **shared, temperature=temperature))
        models.setdefault("user", _checked(ModelSettings, **shared, temperature=users))
    for judge in ("verifier", "validator"):
        if "user" in models:
            models.setdefault(judge, models["user"].model_copy(update={"temperature": 0.0}))
    return models


def models_by_role(
    temperatures: Mapping[str, float],
    model: str | None,
    base_url: str | None,
    reasoning_effort: str | None,
    role_model: Iterable[str],
) -> dict[str, ModelSettings]:
    """The model of each role, where one is named: its own, else that of --model.

    Args:
        temperatures: the roles, each with its temperature unless another is given.
        model: the model of all.
        base_url: its server.
        reasoning_effort: how long it thinks.
        role_model: models of single roles, as ROLE=PROVIDER:NAME[,SETTING=VALUE...].

    Raises:
        UserError: an option is not understood, or two do not fit together.
    """
    _check_base_url(model, base_url)
    own = dict(_role_model(option, tuple(temperatures), temperatures) for option in role_model)
    shared = {"name": model, "base_url": base_url, "reasoning_effort": reasoning_effort}
    return own | {
        role: _checked(ModelSettings, **shared, temperature=warmth)
        for role, warmth in temperatures.items()
        if model is not None and role not in own
    }


def _check_base_url(model: str | None, base_url: str | None) -> None:
    if model is None and base_url is not None:
        raise UserError("--base-url needs --model, as in --model openai:NAME.")


def _role_model(
    option: str, roles: Iterable[str], temperatures: Mapping[str, float]
) -> tuple[str, ModelSettings]:
    """ROLE=PROVIDER:NAME[,SETTING=VALUE...]."""
    named, *rest = option.split(",")
    role, _, name = named.partition("=")
    if role not in roles or not name:
        raise UserError(
            f"--role-model {option!r} is not ROLE=PROVIDER:NAME with a role of {', '.join(roles)}."
        )
    given = dict(item.partition("=")[::2] for item in rest)
    warmth = {"temperature": temperatures.get(role, 0.0)}
    return role, _checked(ModelSettings, **(warmth | given), name=name)


def _checked(form: type[Form], **values: Any) -> Form:
    try:
        return form(**values)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = ".".join(map(str, problem["loc"]))
        wrong = problem["msg"].removeprefix("Value error, ")
        raise UserError(f"The setting {field!r} is wrong: {wrong}.") from None
