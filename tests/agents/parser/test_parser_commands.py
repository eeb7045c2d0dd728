"""The parser on the command line: trained from files, asked a question."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wardround.agents.parser import load
from wardround.agents.parser.answer import Answer
from wardround.agents.parser.answers import Answerer
from wardround.apps.command_line.main import app
from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.runs.training import Progress, Training

ASKED = "How many times was warfarin prescribed?"


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
    assert "Understood" not in shown


def test_missing_patient_is_asked_for(ward: Database, trained: Path) -> None:
    code, shown = ask("What was the last glucose?", ward, trained)
    assert code == 1
    assert shown.splitlines()[-1] == "No answer: Which patient do you mean?"


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

    monkeypatch.setattr("wardround.runs.training.is_trained", lambda *_: True)
    monkeypatch.setattr("wardround.runs.training.trained_file", cached)
    ran = CliRunner().invoke(app, ["ask", ASKED, "--database", ward.url])
    assert ran.exit_code == 0
    assert [(item.agent, item.pairs) for item in asked] == [("parser", "made")]
    assert "Trained before." in ran.stderr


def test_parser_is_not_overwritten(ward: Database, lessons: Path, trained: Path) -> None:
    words = ["train", "parser", "--tasks", str(lessons), "--database", ward.url]
    ran = CliRunner().invoke(app, [*words, "--made", "0", "--to", str(trained)])
    assert isinstance(ran.exception, UserError)
    assert "there already" in str(ran.exception)


def test_parser_of_other_tables_is_refused(trained: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE beds (floor INTEGER)")
    words = ["ask", ASKED, "--database", str(other), "--agent-model", str(trained)]
    refused = CliRunner().invoke(app, words).exception
    assert isinstance(refused, UserError)
    assert "has no table" in str(refused)
    assert "train one on this database" in str(refused)


def test_questions_of_a_file_are_answered_in_order(
    ward: Database, trained: Path, tmp_path: Path
) -> None:
    questions = tmp_path / "questions.txt"
    questions.write_text(f"{ASKED}\n\nWho is the doctor of patient 10013?\n")
    words = ["ask", "--questions", str(questions), "--json", "--database", ward.url]
    ran = CliRunner().invoke(app, [*words, "--agent-model", str(trained)])
    assert ran.exit_code == 1
    first, second = json.loads(ran.stdout)
    assert (first["question"], first["rows"], first["refused"]) == (ASKED, [[20]], [])
    assert second["rows"] is None
    assert second["query"] is None
    assert any("doctor" in reason for reason in second["refused"])


def test_line_that_fails_ends_no_other(
    ward: Database, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = Answerer.answer

    def faulty(answerer: Answerer, question: str) -> Answer:
        if "bug" in question:
            raise IndexError("list index out of range")
        if "slow" in question:
            return Answer("SELECT nothing FROM nowhere", 1.0, ("slow",))
        return answer(answerer, question)

    monkeypatch.setattr(Answerer, "answer", faulty)
    questions = tmp_path / "questions.txt"
    questions.write_bytes(b"\xef\xbb\xbfa bug\n\nslow\n\xff\xfe?\n" + ASKED.encode() + b"\n")
    words = ["ask", "--questions", str(questions), "--json", "--database", ward.url]
    ran = CliRunner().invoke(app, [*words, "--agent-model", str(trained)])
    assert ran.exit_code == 1
    entries = json.loads(ran.stdout)
    assert [entry["line"] for entry in entries] == [1, 3, 4, 5]
    assert [bool(entry["refused"]) for entry in entries] == [True, True, True, False]
    assert [entry["rows"] for entry in entries] == [None, None, None, [[20]]]
    assert "IndexError" in entries[0]["refused"][0]
    assert "not UTF-8" in entries[2]["refused"][0]
    assert "No answer to 3 of 4: lines 1, 3, 4." in ran.stderr


def test_lines_stand_alone(ward: Database, trained: Path, tmp_path: Path) -> None:
    lines = [ASKED, "And in 2104?", "What was the last glucose of patient 10004?", "", ASKED]

    def entries(asked: list[str]) -> list[dict[str, object]]:
        path = tmp_path / "asked.txt"
        path.write_text("\n".join(asked))
        words = ["ask", "--questions", str(path), "--json", "--database", ward.url]
        ran = CliRunner().invoke(app, [*words, "--agent-model", str(trained)])
        found: list[dict[str, object]] = json.loads(ran.stdout)
        return [{**entry, "line": 0} for entry in found]

    together = entries(lines)
    assert together == [entry for line in lines if line for entry in entries([line])]
    assert together[::-1] == entries(lines[::-1])


def test_questions_come_from_standard_input(ward: Database, trained: Path) -> None:
    words = ["ask", "--database", ward.url, "--agent-model", str(trained)]
    ran = CliRunner().invoke(app, words, input=f"{ASKED}\n{ASKED}\n")
    assert ran.exit_code == 0
    assert ran.stdout.count("Question ") == 2


def test_no_question_is_refused(ward: Database, trained: Path) -> None:
    words = ["ask", "--database", ward.url, "--agent-model", str(trained)]
    refused = CliRunner().invoke(app, words, input="\n").exception
    assert isinstance(refused, UserError)
    assert "no question" in str(refused)


def test_unknown_patient_is_named(ward: Database, trained: Path) -> None:
    code, shown = ask("How many times was warfarin prescribed to patient 99999?", ward, trained)
    assert code == 1
    assert "99999" in shown


def test_higher_penalty_never_lowers_the_threshold(trained: Path) -> None:
    parser = load(trained)
    thresholds = [parser.with_penalty(penalty).threshold for penalty in (0, 5, 10, 100)]
    assert thresholds == sorted(thresholds)
