"""An agent's own settings are its keyword parameters."""

from pathlib import Path
from typing import Any

import pytest

from tests.apps.commands import Cli
from tests.cases import for_each
from wardround.apps.command_line.choices import chosen_settings
from wardround.core import plugins
from wardround.core.agent_options import agent_options
from wardround.core.declared import agent_declaration, benchmark_declaration
from wardround.core.errors import UserError
from wardround.core.run_reader import read_trials
from wardround.runs.settings import RunSettings

INSTALLED = plugins.names(plugins.BENCHMARKS)


def open_agents(model: Any, *, agent_model: Path, samples: int = 5, share: float = 0.5) -> None:
    """An agent with a setting of each kind."""


def open_plain(model: Any) -> None:
    """An agent without settings."""


def options(opener: Any, trained: Path | None, given: dict[str, str]) -> dict[str, Any]:
    return agent_options(agent_declaration(f"{__name__}:{opener.__name__}"), trained, given)


def settings_of(benchmark: str, **typed: Any) -> RunSettings:
    return chosen_settings(benchmark, typed)


def test_settings_are_converted_to_declared_types() -> None:
    typed = {"samples": "7", "share": "0.25"}
    chosen = options(open_agents, Path("a/b"), typed)
    assert chosen == {"agent_model": Path("a/b"), "samples": 7, "share": 0.25}


def test_agent_without_settings_opens() -> None:
    assert options(open_plain, None, {}) == {}


@pytest.mark.parametrize(
    ("opener", "trained", "given", "complaint"),
    [
        (open_agents, None, {}, "needs --agent-model"),
        (open_agents, Path("m"), {"sample": "7"}, "no setting --agent-setting sample=.*samples=…"),
        (open_agents, Path("m"), {"samples": "many"}, "'many' for --agent-setting samples"),
        (open_plain, Path("m"), {}, "no setting --agent-model; it has none"),
    ],
)
def test_invalid_setting_is_reported(
    opener: Any, trained: Path | None, given: dict[str, str], complaint: str
) -> None:
    with pytest.raises(UserError, match=complaint):
        options(opener, trained, given)


def test_options_become_the_run_s_settings() -> None:
    typed = ["k=3", "with-schema=yes=no"]
    settings = settings_of(INSTALLED[0], agent="sql", agent_setting=typed)
    assert settings.agent_settings == {"k": "3", "with_schema": "yes=no"}


def test_an_option_without_a_value_is_refused() -> None:
    with pytest.raises(UserError, match="NAME=VALUE"):
        settings_of(INSTALLED[0], agent_setting=["k"])


@for_each(INSTALLED)
def test_roles_have_the_temperatures_that_are_declared(benchmark: str) -> None:
    url = "http://127.0.0.1:9/v1"
    declaration = benchmark_declaration(benchmark)
    roles = (declaration.agent_role, *declaration.roles)
    chosen = settings_of(benchmark, model="openai:local", base_url=url)
    settings = settings_of(benchmark, role_model=[f"{role.name}=openai:local" for role in roles])
    for role in roles:
        if role.shared:
            assert chosen.models[role.name].temperature == role.temperature
        assert settings.models[role.name].temperature == role.temperature


@for_each(INSTALLED)
def test_without_a_model_the_benchmarks_own_agent_plays(benchmark: str) -> None:
    agents = benchmark_declaration(benchmark).agents_without_model
    if agents:
        assert settings_of(benchmark).agent == agents[0]
        assert all(settings_of(benchmark, agent=agent).agent == agent for agent in agents)
    else:
        with pytest.raises(UserError, match=r"^No agent plays .* --model PROVIDER:NAME"):
            settings_of(benchmark)


def agents_without_model() -> list[str]:
    return [name for name in plugins.names(plugins.AGENTS) if agent_declaration(name).without_model]


@for_each(INSTALLED)
def test_agents_that_do_not_play_a_benchmark_are_refused(benchmark: str) -> None:
    listed = benchmark_declaration(benchmark).agents_without_model
    assert set(listed) <= set(agents_without_model())
    for agent in set(agents_without_model()) - set(listed):
        with pytest.raises(UserError, match=f"^The agent '{agent}' does not play {benchmark}; "):
            settings_of(benchmark, agent=agent)


# Benchmarks of the parser, which is trained first, have runs of it among their own tests.
@pytest.mark.parametrize(
    "benchmark",
    [n for n in INSTALLED if "parser" not in benchmark_declaration(n).agents_without_model],
)
def test_the_default_agent_plays_by_the_benchmarks_name_alone(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, benchmark: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = cli("run", benchmark, "--limit", 1, "--out", "run")
    if (tmp_path / "run").exists():
        [trial] = read_trials(tmp_path / "run")
        assert trial.ending == "finished", trial.reason
    else:
        assert (ran.code, ran.err.count("\n")) == (2, 1), ran.err
        assert "without a language model" in ran.err
