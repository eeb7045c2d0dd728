"""The files of an agent's code."""

from pathlib import Path

import pytest

from wardround.agents.isolated.code_files import code_files


def test_a_package_is_all_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    package = tmp_path / "ward_agent"
    package.mkdir()
    (package / "__init__.py").write_text("")
    prompt = package / "prompt.txt"
    prompt.write_text("Answer.")
    assert code_files("ward_agent:open_agents") == [package / "__init__.py", prompt]


def test_a_loose_module_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loose_agent.py").write_text("")
    (tmp_path / "policy.toml").write_text("")
    assert code_files("loose_agent:open_agents") == [tmp_path / "loose_agent.py"]


def test_a_command_is_its_program_and_the_files_it_names(tmp_path: Path) -> None:
    script = tmp_path / "agent.sh"
    script.write_text("exit")
    files = code_files(f"exec:sh {script} --fast")
    assert files[1:] == [script]
    assert files[0].name == "sh"


def test_own_agents_and_missing_ones_have_no_files() -> None:
    assert code_files("parser") == code_files("oracle") == []
    assert code_files("no_such_module:agent") == []
