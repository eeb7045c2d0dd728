"""Settings of a run without the models of its roles."""

import pytest

from tests.cases import for_each
from wardround.core import plugins
from wardround.core.declaration import BenchmarkDeclaration
from wardround.core.declared import checked_options
from wardround.runs.settings import RunSettings, option_of

DECLARED = [
    declared
    for _, declared in plugins.load_all(plugins.BENCHMARKS)
    if isinstance(declared, BenchmarkDeclaration)
]
ROLE_OPTIONS = [
    pytest.param(declared, name, str(extra["role"]), id=f"{declared.name}-{name}")
    for declared in DECLARED
    for name, field in declared.options.model_fields.items()
    if isinstance(extra := field.json_schema_extra, dict) and "role" in extra
]


@pytest.mark.parametrize(("declared", "option", "role"), ROLE_OPTIONS)
def test_an_option_that_chooses_a_model_is_left_out_with_the_models(
    declared: BenchmarkDeclaration, option: str, role: str
) -> None:
    assert role in {each.name for each in declared.roles}
    chosen = declared.options.model_json_schema()["properties"][option]["anyOf"][0]["enum"]
    models = {each.name: {"name": "openai:any"} for each in declared.roles}
    for choice in chosen:
        settings = RunSettings.model_validate(
            {
                "benchmark": declared.name,
                "agent": "tools",
                "agent_settings": {"any": "1"},
                "models": models,
                "seed": 7,
                "options": {option: choice},
            }
        )
        without = settings.without_models()
        plain = RunSettings.model_validate(
            {"benchmark": declared.name, "agent": "oracle", "seed": 7}
        )
        assert without == plain


@for_each(DECLARED)
def test_an_option_whose_default_depends_on_a_model_says_so(declared: BenchmarkDeclaration) -> None:
    roles = tuple(each.name for each in declared.roles)
    with_models = checked_options(declared.options, {}, option_of, roles).model_dump()
    without = checked_options(declared.options, {}, option_of, ()).model_dump()
    dependent = {name for name, value in without.items() if with_models[name] != value}
    marked = {each.values[1] for each in ROLE_OPTIONS if each.values[0] is declared}
    assert dependent <= marked
