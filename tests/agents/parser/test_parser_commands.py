"""The parser on the command line: trained from files, asked a question, run as an agent."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.agents.parser.conftest import OPEN, ward_pairs
from wardround.agents.parser import TrainingPairs
from wardround.apps.command_line.main import app
from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.runs.training import Progress, Training

ASKED = "How many times was warfarin prescribed?"


@pytest.fixture(scope="module")
def lessons(training: TrainingPairs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ward's pairs in the published form."""
    folder = tmp_path_factory.mktemp("lessons")
    data = [{"id": str(n), "question": pair.question} for n, pair in enumerate(training.pairs)]
    labels = {str(n): pair.sql or "null" for n, pair in enumerate(training.pairs)}
    (folder / "data.json").write_text(json.dumps({"version": "ward", "data": data}))
    (folder / "label.json").write_text(json.dumps(labels))
    return folder


@pytest.fixture(scope="module")
def trained(ward: Database, lessons: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A parser's file, made by the command."""
    path = tmp_path_factory.mktemp("trained") / "parser.model"
    words = ["train", "parser", "--tasks", str(lessons), "--database", ward.url]
    ran = CliRunner().invoke(app, [*words, "--made", "0", "--to", str(path)])
    assert ran.exit_code == 0, ran.output
    assert "3 kinds of questions" in ran.stdout
    return path


def ask(question: str, ward: Database, trained: Path) -> tuple[int, str]:
    words = ["ask", question, "--database", ward.url, "--agent-model", str(trained)]
    ran = CliRunner().invoke(app, words)
    return ran.exit_code, ran.stdout


def test_answer_comes_with_explanation(ward: Database, trained: Path) -> None:
    code, shown = ask(ASKED, ward, trained)
    assert code == 0
    assert "Drug: 'warfarin' (prescriptions.drug)." in shown
    assert "SQL: SELECT COUNT(*)" in shown
    assert shown.splitlines()[-1] == "20"


def test_unanswerable_question_is_refused(ward: Database, trained: Path) -> None:
    code, shown = ask("Who is the doctor of patient 10013?", ward, trained)
    assert code == 1
    assert "No answer" in shown


def test_missing_patient_is_asked_for(ward: Database, trained: Path) -> None:
    code, shown = ask("What was the last glucose?", ward, trained)
    assert code == 1
    assert shown.splitlines()[-1] == "No answer yet: Which patient do you mean?"


def test_choices_are_listed(ward: Database, trained: Path) -> None:
    code, shown = ask("What was the last vancomycin of patient 10004?", ward, trained)
    assert code == 1
    assert shown.splitlines()[-2:] == ["  vancomycin (peak)", "  vancomycin (trough)"]


def test_training_before_asking_is_cached(
    ward: Database, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Training] = []

    def cached(training: Training, database: str, fingerprint: str, progress: Progress) -> Path:
        asked.append(training)
        progress("Trained before.")
        return trained

    monkeypatch.setattr("wardround.runs.training.trained_file", cached)
    ran = CliRunner().invoke(app, ["ask", ASKED, "--database", ward.url])
    assert ran.exit_code == 0
    assert [(one.agent, one.pairs) for one in asked] == [("parser", "made")]
    assert "Trained before." in ran.stderr


def test_parser_is_not_overwritten(ward: Database, lessons: Path, trained: Path) -> None:
    words = ["train", "parser", "--tasks", str(lessons), "--database", ward.url]
    ran = CliRunner().invoke(app, [*words, "--made", "0", "--to", str(trained)])
    assert isinstance(ran.exception, UserError)
    assert "there already" in str(ran.exception)


def test_parser_runs_as_an_agent(
    ward: Database, lessons: Path, trained: Path, tmp_path: Path
) -> None:
    benchmark = "wardround.benchmarks.ehrsql.benchmark:EhrsqlBenchmark"
    words = ["run", benchmark, "--tasks", str(lessons), "--limit", "5"]
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
    words += ["--agent-setting", "pairs=tests.agents.parser.test_parser_commands:ward_source"]
    ran = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "run")])
    assert ran.exit_code == 0, ran.output
    assert "parser is trained on" in ran.stderr
    assert len(list((tmp_path / "cache").rglob("*.model"))) == 1
    predictions = json.loads((tmp_path / "run" / "predictions.json").read_text())
    assert any(sql.startswith("SELECT COUNT(*)") for sql in predictions.values())


def test_parser_of_other_tables_is_refused(trained: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE beds (floor INTEGER)")
    words = ["ask", ASKED, "--database", str(other), "--agent-model", str(trained)]
    refused = CliRunner().invoke(app, words).exception
    assert isinstance(refused, UserError)
    assert "has no table" in str(refused)
    assert "train one on this database" in str(refused)


def test_run_does_not_begin_without_a_parser_in_the_file(
    ward: Database, lessons: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.model"
    broken.write_text("{broken")
    words = ["run", "ehrsql", "--tasks", str(lessons), "--agent", "parser", "--database"]
    more = [f"ward={ward.url}", "--agent-model", str(broken), "--out", str(tmp_path / "run")]
    refused = CliRunner().invoke(app, [*words, *more]).exception
    assert isinstance(refused, UserError)
    assert "no file of a parser" in str(refused)
    assert not (tmp_path / "run").exists()
