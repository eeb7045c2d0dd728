"""The parser as its users meet it: taught from files, asked a question, run in EHRSQL's room."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wardround.agents.parser import Pair, Parser
from wardround.apps.command_line.main import app
from wardround.core.errors import UserError
from wardround.ehr.database import Database

ASKED = "How many times was warfarin prescribed?"


@pytest.fixture(scope="module")
def lessons(taught: list[Pair], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ward's pairs as EHRSQL 2024 publishes its own."""
    folder = tmp_path_factory.mktemp("lessons")
    data = [{"id": str(n), "question": pair.question} for n, pair in enumerate(taught)]
    labels = {str(n): pair.sql or "null" for n, pair in enumerate(taught)}
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


def test_an_answer_comes_with_what_was_understood(ward: Database, trained: Path) -> None:
    code, shown = ask(ASKED, ward, trained)
    assert code == 0
    assert "Drug: 'warfarin' (prescriptions.drug)." in shown
    assert "SQL: SELECT COUNT(*)" in shown
    assert shown.splitlines()[-1] == "20"


def test_what_cannot_be_answered_is_refused(ward: Database, trained: Path) -> None:
    code, shown = ask("Who is the doctor of patient 10013?", ward, trained)
    assert code == 1
    assert "No answer" in shown


def test_what_is_missing_is_asked(ward: Database, trained: Path) -> None:
    code, shown = ask("What was the last glucose?", ward, trained)
    assert code == 1
    assert shown.splitlines()[-1] == "No answer yet: Which patient do you mean?"


def test_what_may_be_meant_is_listed(ward: Database, trained: Path) -> None:
    code, shown = ask("What was the last vancomycin of patient 10004?", ward, trained)
    assert code == 1
    assert shown.splitlines()[-2:] == ["  vancomycin (peak)", "  vancomycin (trough)"]


def test_what_made_questions_taught_is_kept(
    parser: Parser, ward: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taught: list[str] = []

    def teach(database: Database, **settings: object) -> Parser:
        taught.append(database.url)
        return parser

    monkeypatch.setattr("wardround.authoring.ehrsql.parser_cache.teach", teach)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kept = tmp_path / "wardround" / "parsers"
    kept.mkdir(parents=True)
    (kept / f"{ward.fingerprint()}-older.model").write_text("of another version")
    (kept / "other-database.model").write_text("of another database")
    first, again = (CliRunner().invoke(app, ["ask", ASKED, "--database", ward.url]) for _ in "12")
    assert taught == [ward.url]
    assert first.stdout == again.stdout
    assert str(kept) in first.stderr
    assert "learnt before" in again.stderr
    names = sorted(path.name.partition("-")[0] for path in kept.iterdir())
    assert names == sorted([ward.fingerprint(), "other"])


def test_a_parser_is_not_overwritten(ward: Database, lessons: Path, trained: Path) -> None:
    words = ["train", "parser", "--tasks", str(lessons), "--database", ward.url]
    ran = CliRunner().invoke(app, [*words, "--made", "0", "--to", str(trained)])
    assert isinstance(ran.exception, UserError)
    assert "there already" in str(ran.exception)


def test_it_runs_in_ehrsqls_room(
    ward: Database, lessons: Path, trained: Path, tmp_path: Path
) -> None:
    benchmark = "wardround.benchmarks.ehrsql.benchmark:EhrsqlBenchmark"
    words = ["run", benchmark, "--tasks", str(lessons), "--limit", "5"]
    words += ["--database", f"ward={ward.url}"]
    agent = [
        "--agent",
        "wardround.authoring.ehrsql.parser_agents:open_agents",
        "--agent-model",
        str(trained),
    ]
    ran = CliRunner().invoke(app, [*words, *agent, "--out", str(tmp_path / "run")])
    assert ran.exit_code == 0, ran.output
    predictions = json.loads((tmp_path / "run" / "predictions.json").read_text())
    assert len(predictions) == 5
    assert any(sql.startswith("SELECT COUNT(*)") for sql in predictions.values())


def test_it_is_not_laid_on_other_tables(trained: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE beds (floor INTEGER)")
    words = ["ask", ASKED, "--database", str(other), "--agent-model", str(trained)]
    refused = CliRunner().invoke(app, words).exception
    assert isinstance(refused, UserError)
    assert "has no table" in str(refused)
    assert "train one on this database" in str(refused)


def test_a_run_does_not_begin_with_a_file_of_no_parser(
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
