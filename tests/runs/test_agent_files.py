"""The files of a run's agent, and a digest of them that changes with each."""

from pathlib import Path

import pytest

from wardround.core import plugins
from wardround.runs.agent_files import agent_digest, agent_files
from wardround.runs.settings import RunSettings


def settings(agent: str, agent_model: Path | None = None) -> RunSettings:
    benchmark = plugins.names(plugins.BENCHMARKS)[0]
    return RunSettings(benchmark=benchmark, agent=agent, agent_model=agent_model)


def test_a_changed_file_of_a_package_changes_the_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "ward_agent"
    package.mkdir()
    (package / "__init__.py").write_text("")
    prompt = package / "prompt.txt"
    prompt.write_text("Answer.")
    named = settings("ward_agent:open_agents")
    before = agent_digest(named)
    prompt.write_text("Answer well.")
    assert agent_digest(named) not in ("", before)


def test_a_trained_file_or_folder_is_part_of_an_agent(tmp_path: Path) -> None:
    trained = tmp_path / "model.bin"
    trained.write_bytes(b"1")
    before = agent_digest(settings("parser", trained))
    assert agent_files(settings("parser", tmp_path)) == [trained]
    trained.write_bytes(b"2")
    assert agent_digest(settings("parser", trained)) not in ("", before)


def test_own_agents_have_no_files() -> None:
    assert agent_digest(settings("parser")) == ""
