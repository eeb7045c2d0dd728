"""Scoring of predictions; a faulty one does not affect the others."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from wardround.benchmarks.ehrsql.declaration import FileOptions
from wardround.benchmarks.ehrsql.file_scoring.command import evaluate, score_files
from wardround.benchmarks.ehrsql.file_scoring.predictions import Predictions
from wardround.benchmarks.ehrsql.gold import known_defects, run_golds
from wardround.benchmarks.ehrsql.graders import GRADERS
from wardround.benchmarks.ehrsql.result_cache import Ran, Results, StoredResults, at_once
from wardround.benchmarks.ehrsql.tasks import load_tasks
from wardround.core.errors import UserError
from wardround.core.figures import Curve
from wardround.ehr.database import Database, ResultTable, open_database
from wardround.scoring.abstention import abstention_scores

FOREVER = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT COUNT(*) FROM n"
MILLION = (
    "SELECT x FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 1000000) "
    "SELECT x FROM n)"
)
Write = Callable[[object], Path]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def options(
    predictions: Path, labels: Path, database: str, grading: str, **more: Any
) -> FileOptions:
    """The options of scoring."""
    words = {"file": predictions, "labels": labels, "database": database, "grading": grading}
    return FileOptions.model_validate(words | more)


@pytest.fixture
def opened(records: Path) -> Iterator[Database]:
    database = open_database(records)
    yield database
    database.close()


def golds(questions: Path) -> dict[str, str]:
    golds_by_id: dict[str, str] = json.loads((questions / "label.json").read_text("utf-8"))
    return golds_by_id


@pytest.mark.parametrize("mode", GRADERS)
def test_golds_as_predictions_are_perfect(
    questions: Path, records: Path, predictions: Write, mode: str
) -> None:
    files = options(predictions(golds(questions)), questions, str(records), mode)
    report = score_files(files).as_json()
    assert [report[name] for name in ("F1_ans", "P_exe", "R_exe", "F1_exe")] == [100.0] * 4
    assert [report[f"RS({c})"] for c in ("0", "5", "10", "N")] == [100.0] * 4
    assert report["problems"] == {}


def test_each_kind_of_error_has_its_cost(
    questions: Path, records: Path, predictions: Write
) -> None:
    answers = golds(questions) | {"count": "null", "drugs": "SELECT 'aspirin'", "why": "SELECT 1"}
    report = score_files(options(predictions(answers), questions, str(records), "ehrsql-2024"))
    scores = report.as_json()
    # Six questions: two right answers, one right and one wrong refusal, two wrong answers.
    assert scores["P_ans"] == pytest.approx(100 * 3 / 4)
    assert scores["R_ans"] == pytest.approx(100 * 3 / 4)
    assert scores["P_exe"] == scores["R_exe"] == pytest.approx(100 * 2 / 4)
    assert scores["RS(0)"] == pytest.approx(100 * 3 / 6)
    assert scores["RS(10)"] == pytest.approx(100 * (3 - 20) / 6)
    assert scores["RS(N)"] == pytest.approx(100 * (3 - 12) / 6)


def test_each_question_s_verdict_is_in_the_json(
    questions: Path, records: Path, predictions: Write
) -> None:
    answers = golds(questions) | {
        "count": "SELECT COUNT(*) + 0.0004 FROM orders",
        "drugs": "null",
        "recent": "NULL",
        "pulse": " null\n",
        "why": "SELECT 1",
    }
    report = score_files(options(predictions(answers), questions, str(records), "ehrsql-2024"))
    verdicts = {
        id: (v["answerable"], v["answered"], *v["right"].values(), v["problem"])
        for id, v in report.as_json()["verdicts"].items()
    }
    assert verdicts == {
        "count": (True, True, True, False, ""),
        "drugs": (True, False, False, False, ""),
        "recent": (True, True, False, False, "SQL that is wrong"),
        "pulse": (True, False, False, False, ""),
        "plan": (False, False, True, True, ""),
        "why": (False, True, False, False, ""),
    }
    assert report.problems()['not exactly "null", so an answer'] == ["recent"]


def test_faulty_predictions_are_reported_and_others_scored(
    questions: Path, records: Path, predictions: Write
) -> None:
    answers = {
        "count": "DELETE FROM orders",
        "drugs": MILLION,
        "recent": "SELECT '\ud800', '\x00'",
        "plan": "null",
        "why": 7,
        "stranger": "SELECT 1",
    }
    text = json.dumps(answers)[:-1] + ', "plan": "null"}'
    files = options(predictions(text), questions, str(records), "ehrsql-2024")
    report = score_files(files)
    assert report.problems() == {
        "predictions for no question": ["stranger"],
        "predicted twice": ["plan"],
        "SQL that does more than read": ["count"],
        "SQL that needs or returns too much": ["drugs"],
        "SQL that is wrong": ["recent"],
        "no prediction": ["pulse"],
        "prediction cannot be used": ["why"],
    }
    assert report.as_json()["RS(0)"] == pytest.approx(100 / 6), "only the refusal of plan is right"
    connection = sqlite3.connect(records)
    assert connection.execute("SELECT COUNT(*) FROM orders").fetchone() == (3,)
    connection.close()


def test_endless_query_is_wrong(questions: Path, opened: Database) -> None:
    results, suite, modes = Results(opened, seconds=0.3), load_tasks(questions), [GRADERS["strict"]]
    run_golds(suite, results, modes)
    answers = Predictions(golds(questions) | {"count": FOREVER})
    evaluation = evaluate(suite, results, modes, answers)
    assert {item.id: item.problem for item in evaluation.scored if item.problem} == {
        "count": "timeout"
    }
    assert abstention_scores([item.judged["strict"] for item in evaluation.scored])["R_exe"] == 75.0


def test_current_time_is_a_parameter_of_scoring(
    questions: Path, records: Path, predictions: Write
) -> None:
    answers = golds(questions) | {"recent": "SELECT 1"}
    files = options(predictions(answers), questions, str(records), "strict")
    assert score_files(files).as_json()["R_exe"] == 75.0
    then = files.model_copy(update={"current_time": "2099-12-31 23:59:00"})
    assert score_files(then).as_json()["R_exe"] == 100.0


def test_1_5_grading_lowers_case_and_2024_does_not(
    questions: Path, records: Path, predictions: Write
) -> None:
    answers = golds(questions) | {"count": "SELECT COUNT(*) FROM orders WHERE drug <> 'WARFARIN'"}
    lowered = score_files(options(predictions(answers), questions, str(records), "ehrsql-1.5"))
    as_it_is = score_files(options(predictions(answers), questions, str(records), "ehrsql-2024"))
    assert (lowered.as_json()["R_exe"], as_it_is.as_json()["R_exe"]) == (75.0, 100.0)


def test_strict_grading_is_shown_with_the_published_one(
    questions: Path, records: Path, predictions: Write
) -> None:
    answers = golds(questions) | {"count": "SELECT COUNT(*) + 0.0004 FROM orders"}
    report = score_files(options(predictions(answers), questions, str(records), "ehrsql-2024"))
    rows = {row[0]: row for row in report.summary.tables["scores"].rows}
    columns = report.summary.tables["scores"].columns
    right = dict(zip(columns, rows["R_exe"], strict=True))
    assert (right["ehrsql-2024"], right["strict"]) == (100.0, 75.0)


def test_labels_of_another_database_are_refused(
    questions: Path, tmp_path: Path, predictions: Write
) -> None:
    another = tmp_path / "other.sqlite"
    connection = sqlite3.connect(another)
    connection.execute("CREATE TABLE elsewhere (x)")
    connection.commit()
    connection.close()
    files = options(predictions(golds(questions)), questions, str(another), "ehrsql-2024")
    with pytest.raises(UserError, match=r"4 fail .*the labels belong to another database"):
        score_files(files)


def test_labels_with_other_answers_are_refused(
    questions: Path, records: Path, predictions: Write
) -> None:
    answers = {"count": "[['77']]", "drugs": "[['x']]", "recent": "[['9']]", "pulse": "[['2']]"}
    (questions / "answer.json").write_text(json.dumps(answers), encoding="utf-8")
    files = options(predictions(golds(questions)), questions, str(records), "ehrsql-2024")
    with pytest.raises(UserError, match="3 find nothing or not what was published"):
        score_files(files)


def test_single_failing_gold_is_reported(
    questions: Path, records: Path, predictions: Write
) -> None:
    labels = golds(questions) | {"drugs": "SELECT nothing FROM orders"}
    (questions / "label.json").write_text(json.dumps(labels), encoding="utf-8")
    report = score_files(options(predictions(labels), questions, str(records), "ehrsql-2024"))
    assert report.problems()["golds without a result"] == ["drugs"]
    assert report.as_json()["R_exe"] == 75.0


def test_known_defects_are_counted(questions: Path, records: Path, predictions: Write) -> None:
    id = next(iter(known_defects()))
    labels = golds(questions) | {id: "SELECT 1"}
    data = [{"id": each, "question": "?"} for each in labels]
    (questions / "data.json").write_text(json.dumps({"data": data}), encoding="utf-8")
    (questions / "label.json").write_text(json.dumps(labels), encoding="utf-8")
    report = score_files(options(predictions(labels), questions, str(records), "ehrsql-2024"))
    assert report.problems() == {"known defects": [id]}
    assert ("known defects", 1, 1) in report.summary.tables["answers"].rows


def test_nothing_to_score_is_refused(questions: Path, records: Path, predictions: Write) -> None:
    files = options(predictions({"other": "SELECT 1"}), questions, str(records), "strict")
    with pytest.raises(UserError, match="None of the predictions is for a question"):
        score_files(files)
    (questions / "label.json").unlink()
    with pytest.raises(UserError, match="has no labels"):
        score_files(files)
    with pytest.raises(ValueError, match="strict"):
        options(predictions({}), questions, str(records), "2024")


def test_two_systems_are_compared(questions: Path, records: Path, tmp_path: Path) -> None:
    right, refusing = tmp_path / "right.json", tmp_path / "refusing.json"
    right.write_text(json.dumps(golds(questions)), encoding="utf-8")
    refusing.write_text(json.dumps(dict.fromkeys(golds(questions), "null")), encoding="utf-8")
    files = options(right, questions, str(records), "ehrsql-2024", against=refusing)
    table = score_files(files).summary.tables["paired"]
    assert ("F1_exe", 100.0) in {row[:2] for row in table.rows}
    assert f"only {refusing} on 0" in table.note


def test_confidences_give_a_curve_and_missing_ones_are_reported(
    questions: Path, records: Path, predictions: Write, tmp_path: Path
) -> None:
    answers = golds(questions) | {"drugs": "SELECT 'aspirin'"}
    sure = tmp_path / "sure.json"
    sure.write_text('{"count": 0.9, "recent": 0.8, "drugs": 0.1, "plan": 1}', encoding="utf-8")
    files = options(predictions(answers), questions, str(records), "strict", confidences=sure)
    report = score_files(files)
    curve = report.summary.figures["risk_coverage"]
    assert isinstance(curve, Curve)
    [line] = curve.lines.values()
    coverages, risks = zip(*line, strict=True)
    assert coverages == pytest.approx([100 / 6, 200 / 6, 300 / 6, 400 / 6])
    assert risks == pytest.approx([0.0, 0.0, 100 / 3, 25.0])
    assert report.problems()["without a confidence"] == ["pulse"]


def test_gold_results_are_cached_by_database_content(
    records: Path, opened: Database, tmp_path: Path
) -> None:
    stored = StoredResults(opened, tmp_path)
    ran = {
        "a": Ran(((1, None, "é", 0.1), (2, b"\xff", float("inf"), -(2**63)))),
        "b": Ran(()),
        "failed": Ran(None, "timeout", "too slow"),
    }
    stored.add(ran)
    assert stored.find(["a", "b", "failed", "never"]) == {"a": ran["a"], "b": ran["b"]}
    connection = sqlite3.connect(records)
    connection.execute("DELETE FROM pulses")
    connection.commit()
    connection.close()
    assert StoredResults(opened, tmp_path).find(["a"]) == {}, "a changed database has other results"


def test_cached_gold_is_not_run_again(questions: Path, opened: Database, tmp_path: Path) -> None:
    suite, modes = load_tasks(questions), [GRADERS["strict"]]
    run_golds(suite, Results(opened), modes, tmp_path)
    opened.close()
    results = Results(opened)
    run_golds(suite, results, modes, tmp_path)
    assert results.of("SELECT COUNT(*) FROM orders") == Ran(((3,),)), "the database is closed"
    run_golds(suite, results, modes, tmp_path)


def test_broken_cache_file_is_rewritten(opened: Database, tmp_path: Path) -> None:
    stored = StoredResults(opened, tmp_path)
    stored.add({"a": Ran(((1,),))})
    (tmp_path / f"{opened.fingerprint()}.sqlite").write_bytes(b"no database" * 100)
    assert stored.find(["a"]) == {}
    stored.add({"a": Ran(((2,),))})
    assert stored.find(["a"]) == {"a": Ran(((2,),))}


def test_duplicate_queries_run_once(opened: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    execute = opened.execute

    def counted(sql: str, **limits: float) -> ResultTable:
        ran.append(sql)
        return execute(sql, **limits)  # type: ignore[arg-type]

    monkeypatch.setattr(opened, "execute", counted)
    results = Results(opened)
    slow = MILLION.replace("SELECT x", "SELECT MAX(x)", 1)
    assert at_once(results.of, [slow] * 8) == [Ran(((1_000_000,),))] * 8
    assert ran == [slow]


def test_long_result_is_compared_but_not_cached(opened: Database) -> None:
    long = MILLION.replace("1000000", "5000")
    results = Results(opened)
    rows = results.of(long).rows
    assert rows is not None
    assert len(rows) == 5000
    assert results.of(long).rows is not rows


def test_database_failure_is_not_an_answer(opened: Database) -> None:
    results = Results(opened)
    opened.close()
    for _ in range(2):
        with pytest.raises(UserError, match="closed"):
            results.of("SELECT 1")
