"""Converts typed options to a run's settings and to models by role."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from wardround.apps.command_line.common_options import (
    SETTING_OPTIONS,
    STATEMENT_SECONDS,
    TASK_OPTIONS,
)
from wardround.apps.command_line.parameters import with_defaults
from wardround.core.declaration import BenchmarkDeclaration, Role
from wardround.core.declared import benchmark_declaration, installed_agent
from wardround.core.errors import UserError
from wardround.ehr.named_database import named_database
from wardround.models.model import ModelSettings
from wardround.runs.settings import RunSettings

Form = TypeVar("Form", bound=BaseModel)

AGENT = "agent"
_COMMON = {option.name for option in SETTING_OPTIONS}
# Options stored in `run.json` as typed.
_SAME = RunSettings.model_fields.keys() & _COMMON - {AGENT}


def chosen_settings(name: str, typed: Mapping[str, Any]) -> RunSettings:
    """The settings from typed options, with defaults filled in.

    Args:
        name: the benchmark.
        typed: the common options and the benchmark's own.

    Raises:
        UserError: an option is invalid, or two contradict each other.
    """
    common = with_defaults(SETTING_OPTIONS, typed)
    declaration = benchmark_declaration(name)
    roles = (declaration.agent_role, *declaration.roles)
    models = models_by_role(
        roles, shared_model(common), common["role_model"] or (), common["temperature"]
    )
    return _checked(
        RunSettings,
        **{option: value for option, value in typed.items() if option in _SAME},
        benchmark=name,
        agent=_agent(common["agent"], declaration, models.get(AGENT)),
        agent_settings=dict(map(_agent_setting, common["agent_setting"] or ())),
        models=with_prices(models, common["price"] or ()),
        databases=dict(map(named_database, common["database"] or ())),
        options={option: value for option, value in typed.items() if option not in _COMMON},
    )


def settings_for_tasks(name: str, typed: Mapping[str, Any]) -> RunSettings:
    """Settings for reading tasks, with the oracle as the agent.

    Raises:
        UserError: an option is invalid.
    """
    common = {option.name for option in (*TASK_OPTIONS, STATEMENT_SECONDS)} | {"grading"}
    return _checked(
        RunSettings,
        **{option: value for option, value in typed.items() if option in common - {"database"}},
        benchmark=name,
        agent="oracle",
        databases=dict(map(named_database, typed.get("database", ()))),
        options={option: value for option, value in typed.items() if option not in common},
    )


def shared_model(options: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that the models of all roles share.

    Those written after the model's name, as PROVIDER:NAME[,SETTING=VALUE...], come first.
    """
    same = {name: options[name] for name in ("base_url", "reasoning_effort", "max_wait")}
    if options["model"] is None:
        return {"name": None, **same}
    name, *rest = options["model"].split(",")
    return {**same, **_model_settings(rest), "name": name}


def _model_settings(items: Iterable[str]) -> dict[str, str]:
    """Parse SETTING=VALUE; the model's form checks the settings."""
    return dict(item.partition("=")[::2] for item in items)


def _agent_setting(option: str) -> tuple[str, str]:
    """Parse NAME=VALUE; the name may have hyphens or underscores."""
    name, equals, value = option.partition("=")
    if not name or not equals:
        raise UserError(f"--agent-setting {option!r} is not NAME=VALUE.")
    return name.replace("-", "_"), value


def _agent(named: str | None, benchmark: BenchmarkDeclaration, model: ModelSettings | None) -> str:
    """The named agent if it plays the benchmark, else the default.

    That is `json` for the user's own servers, which often lack native tool calls.
    """
    if named:
        _check_plays(named, benchmark)
        return named
    if model is None:
        if not benchmark.agents_without_model:
            raise UserError(
                f"No agent plays {benchmark.name} without a language model; name a model with "
                "--model PROVIDER:NAME, or an agent of your own with --agent module:function."
            )
        return benchmark.agents_without_model[0]
    if benchmark.agent:
        return benchmark.agent
    return "json" if model.base_url else "tools"


def _check_plays(agent: str, benchmark: BenchmarkDeclaration) -> None:
    """Refuses an agent without a model that the benchmark does not list."""
    without_model = benchmark.agents_without_model
    declared = installed_agent(agent)
    if agent in without_model or declared is None or not declared.without_model:
        return
    instead = f"name {' or '.join(without_model)}, or" if without_model else "name"
    raise UserError(
        f"The agent {agent!r} does not play {benchmark.name}; {instead} a model with --model."
    )


def models_by_role(
    roles: Sequence[Role],
    shared: Mapping[str, Any],
    role_model: Iterable[str],
    agent_temperature: str | None = None,
) -> dict[str, ModelSettings]:
    """The models by role, for roles that have one.

    A role's model is its own, else that of the role it follows, else that of --model.

    Args:
        roles: the roles, the agent's included if there is one.
        shared: the settings of `shared_model`.
        role_model: models of single roles, as ROLE=PROVIDER:NAME[,SETTING=VALUE...].
        agent_temperature: the agent's temperature with --model; None for that of its role.

    Raises:
        UserError: an option is invalid, or two contradict each other.
    """
    _check_base_url(shared["name"], shared["base_url"])
    usual = {"max_wait": shared["max_wait"]} if "max_wait" in shared else {}
    by_name = {role.name: role for role in roles}
    models = dict(_role_model(option, by_name, usual) for option in role_model)
    for role in roles:
        if role.name not in models and role.follows in models:
            own_temperature = {"temperature": role.temperature}
            models[role.name] = models[role.follows].model_copy(update=own_temperature)
    given = {setting: value for setting, value in shared.items() if value is not None}
    for role in roles:
        if "name" in given and role.name not in models and role.shared:
            settings = _usual_settings(role, given)
            if role.name == AGENT and agent_temperature is not None:
                settings["temperature"] = agent_temperature
            models[role.name] = _checked(ModelSettings, **{**settings, **given})
    return models


def asked_model(name: str | None, base_url: str | None) -> ModelSettings | None:
    """The model of --model and --base-url for a command without roles; None if none is named.

    Raises:
        UserError: an option is invalid, or two contradict each other.
    """
    typed = {"model": name, "base_url": base_url, "reasoning_effort": None, "max_wait": None}
    shared = {key: value for key, value in shared_model(typed).items() if key != "max_wait"}
    return models_by_role((Role(AGENT, "writes the SQL", temperature=0.0),), shared, ()).get(AGENT)


def with_prices(
    models: Mapping[str, ModelSettings], prices: Iterable[str]
) -> dict[str, ModelSettings]:
    """The models with the prices of `--price PROVIDER:NAME=INPUT,OUTPUT`.

    Raises:
        UserError: a price is not of this form, or is that of no model in use.
    """
    priced = dict(models)
    for option in prices:
        name, _, price = option.rpartition("=")
        read, comma, written = price.partition(",")
        roles = [role for role, model in priced.items() if model.name == name]
        if not name or not comma:
            raise UserError(f"--price {option!r} is not PROVIDER:NAME=INPUT,OUTPUT.")
        if not roles:
            used = ", ".join(sorted({model.name for model in models.values()})) or "none"
            raise UserError(f"--price {option!r} is for no model in use; these are: {used}.")
        for role in roles:
            settings = {**priced[role].model_dump(), "input_price": read, "output_price": written}
            priced[role] = _checked(ModelSettings, **settings)
    return priced


def _usual_settings(role: Role, given: Mapping[str, Any]) -> dict[str, Any]:
    """A role's default settings; a user's own server may not know of reasoning effort."""
    usual: dict[str, Any] = {"temperature": role.temperature}
    if role.effort and "base_url" not in given:
        usual["reasoning_effort"] = role.effort
    return usual


def _check_base_url(model: str | None, base_url: str | None) -> None:
    if model is None and base_url is not None:
        raise UserError("--base-url needs --model, as in --model openai:NAME.")


def _role_model(
    option: str, roles: Mapping[str, Role], shared: Mapping[str, Any]
) -> tuple[str, ModelSettings]:
    """Parse ROLE=PROVIDER:NAME[,SETTING=VALUE...]."""
    assignment, *rest = option.split(",")
    role, _, name = assignment.partition("=")
    if role not in roles or not name:
        role_names = ", ".join(roles)
        raise UserError(
            f"--role-model {option!r} is not ROLE=PROVIDER:NAME with a role of {role_names}."
        )
    # --temperature applies to the agent with --model; its own model has the default.
    settings = _model_settings(rest)
    usual = {**shared, **_usual_settings(roles[role], settings)}
    return role, _checked(ModelSettings, **(usual | settings), name=name)


def _checked(form: type[Form], **values: Any) -> Form:
    try:
        return form(**values)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        field = ".".join(map(str, problem["loc"]))
        wrong = problem["msg"].removeprefix("Value error, ")
        raise UserError(f"The setting {field!r} is wrong: {wrong}.") from None
