"""An agent's own settings: what it takes by keyword is what can be set, and nothing else."""

from pathlib import Path
from typing import Any

import pytest

from wardround.apps.command_line.choices import chosen_settings
from wardround.apps.command_line.common_options import RunOptions
from wardround.core.declared import agent_declaration
from wardround.core.errors import UserError
from wardround.runs.agent_options import agent_options
from wardround.runs.settings import RunSettings


def open_agents(model: Any, *, agent_model: Path, samples: int = 5, share: float = 0.5) -> None:
    """An agent with a setting of each kind."""


def open_plain(model: Any) -> None:
    """An agent without settings."""


def options(opener: Any, trained: Path | None, given: dict[str, str]) -> dict[str, Any]:
    return agent_options(agent_declaration(f"{__name__}:{opener.__name__}"), trained, given)


def settings_of(benchmark: str, **typed: Any) -> RunSettings:
    return chosen_settings(benchmark, RunOptions(**typed), {})


def test_values_get_the_types_that_the_agent_declares() -> None:
    given = {"samples": "7", "share": "0.25"}
    found = options(open_agents, Path("a/b"), given)
    assert found == {"agent_model": Path("a/b"), "samples": 7, "share": 0.25}


def test_an_agent_without_settings_is_opened_as_ever() -> None:
    assert options(open_plain, None, {}) == {}


@pytest.mark.parametrize(
    ("opener", "trained", "given", "said"),
    [
        (open_agents, None, {}, "needs --agent-model"),
        (open_agents, Path("m"), {"sample": "7"}, "no setting --agent-setting sample=.*samples=…"),
        (open_agents, Path("m"), {"samples": "many"}, "'many' for --agent-setting samples"),
        (open_plain, Path("m"), {}, "no setting --agent-model; it has none"),
    ],
)
def test_what_does_not_fit_is_named(
    opener: Any, trained: Path | None, given: dict[str, str], said: str
) -> None:
    with pytest.raises(UserError, match=said):
        options(opener, trained, given)


def test_options_become_the_run_s_settings() -> None:
    typed = ["k=3", "with-schema=yes=no"]
    settings = settings_of("ehrsql", agent="sql", agent_setting=typed)
    assert settings.agent_settings == {"k": "3", "with_schema": "yes=no"}


def test_an_option_without_a_value_is_refused() -> None:
    with pytest.raises(UserError, match="NAME=VALUE"):
        settings_of("ehrsql", agent_setting=["k"])


@pytest.mark.parametrize(("benchmark", "temperature"), [("chatqa", 1.0), ("interact", 0.0)])
def test_users_are_as_warm_as_their_paper_has_them(benchmark: str, temperature: float) -> None:
    url = "http://127.0.0.1:9/v1"
    chosen = settings_of(benchmark, model="openai:local", base_url=url)
    named = settings_of(benchmark, role_model=["user=openai:local"])
    assert {chosen.models["user"].temperature, named.models["user"].temperature} == {temperature}
    others = {model.temperature for role, model in chosen.models.items() if role != "user"}
    assert others == {0.0}
