"""The parser as an agent: trained before or during a run."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.agents.parser.conftest import OPEN, ward_pairs
from wardround.agents.parser import TrainingPairs
from wardround.apps.command_line.main import app
from wardround.core.errors import UserError
from wardround.ehr.database import Database


def test_parser_runs_as_an_agent(
    ward: Database, lessons: Path, trained: Path, tmp_path: Path
) -> None:
    words = ["run", "ehrsql", "--tasks", str(lessons), "--limit", "5"]
    words += ["--database", f"ward={ward.url}"]
    agent = [
        "--agent",
        "wardround.agents.parser.agents:open_agents",
        "--agent-model",
        str(trained),
    ]
    ran = CliRunner().invoke(app, [*words, *agent, "--out", str(tmp_path / "run")])
    assert ran.exit_code == 0, ran.output
    predictions = json.loads((tmp_path / "run" / "predictions.json").read_text())
    assert len(predictions) == 5
    assert any(sql.startswith("SELECT COUNT(*)") for sql in predictions.values())


def ward_source(database: str, seed: int, source: str) -> TrainingPairs:
    """A pair source for the ward."""
    return TrainingPairs(ward_pairs(), words=OPEN)


def test_run_trains_the_parser_first(
    ward: Database, lessons: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    words = ["run", "ehrsql", "--tasks", str(lessons), "--limit", "5", "--agent", "parser"]
    words += ["--database", f"ward={ward.url}", "--processes", "2"]
    words += ["--agent-setting", "pairs=tests.benchmarks.ehrsql.test_parser_runs:ward_source"]
    ran = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "run")])
    assert ran.exit_code == 0, ran.output
    assert "parser is trained on" in ran.stderr
    assert len(list((tmp_path / "cache").rglob("*.model"))) == 1
    predictions = json.loads((tmp_path / "run" / "predictions.json").read_text())
    assert any(sql.startswith("SELECT COUNT(*)") for sql in predictions.values())


def test_run_is_refused_without_a_parser_in_the_file(
    ward: Database, lessons: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.model"
    broken.write_text("{broken")
    words = ["run", "ehrsql", "--tasks", str(lessons), "--agent", "parser", "--database"]
    more = [f"ward={ward.url}", "--agent-model", str(broken), "--out", str(tmp_path / "run")]
    refused = CliRunner().invoke(app, [*words, *more]).exception
    assert isinstance(refused, UserError)
    assert "not the file of a parser" in str(refused)
    assert not (tmp_path / "run").exists()
