"""The published golds give the published answers on the real database, except known defects."""

import gzip
import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.ehrsql.test_preprocessing import published_rows
from wardround.benchmarks.ehrsql.file_scoring.command import evaluate
from wardround.benchmarks.ehrsql.file_scoring.predictions import Predictions
from wardround.benchmarks.ehrsql.gold import (
    answerable,
    check_gold,
    known_defects,
    run_gold,
    run_golds,
)
from wardround.benchmarks.ehrsql.graders import GRADERS
from wardround.benchmarks.ehrsql.preprocessing import normal_ranges
from wardround.benchmarks.ehrsql.result_cache import Results
from wardround.benchmarks.ehrsql.tasks import load_tasks
from wardround.core.task import Suite
from wardround.ehr.database import open_database
from wardround.scoring.abstention import abstention_scores

DATA = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "ehrsql-2024"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="no EHRSQL 2024: graders are not held against its golds"
)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    path = tmp_path_factory.mktemp("ehrsql") / "mimic_iv.sqlite"
    with gzip.open(DATA / "mimic_iv.sqlite.gz") as packed, path.open("wb") as file:
        shutil.copyfileobj(packed, file)
    database = open_database(path)
    yield Results(database)
    database.close()


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_tasks(DATA / "valid")


def test_valid_golds_give_their_published_answers_in_every_grading(
    results: Results, suite: Suite, tmp_path: Path
) -> None:
    run_golds(suite, results, [GRADERS["ehrsql-2024"]], tmp_path)
    wrong = [
        task.id
        for task in answerable(suite.tasks)
        if (gold := run_gold(task, results, GRADERS["ehrsql-2024"])) and check_gold(task, gold)
    ]
    assert wrong == []
    golds = Predictions({task.id: task.hidden.gold or "" for task in suite.tasks})
    evaluation = evaluate(suite, results, [GRADERS["ehrsql-2024"], GRADERS["strict"]], golds)
    for mode in ("ehrsql-2024", "strict"):
        assert set(
            abstention_scores([item.judged[mode] for item in evaluation.scored]).values()
        ) == {100.0}


def test_lower_case_golds_give_the_same_answers(results: Results, suite: Suite) -> None:
    """In the lower case of EHRSQL 1.5, with restored time formats, queries mean the same."""
    tasks = [task for task in answerable(suite.tasks) if "%" in (task.hidden.gold or "")][:60]
    for task in tasks:
        lowered = run_gold(task, results, GRADERS["ehrsql-1.5"])
        assert lowered == run_gold(task, results, GRADERS["ehrsql-2024"])
    assert len(tasks) == 60


def test_known_defects_match_the_differing_golds_of_train(
    results: Results,
) -> None:
    train = load_tasks(DATA / "train")
    known = [task for task in answerable(train.tasks) if task.id in known_defects()]
    assert len(known) == len(known_defects()) == 7
    for task in known:
        gold = run_gold(task, results, GRADERS["ehrsql-2024"])
        assert gold is not None
        assert "another answer" in check_gold(task, gold)


def test_scores_match_independent_graders(results: Results, suite: Suite) -> None:
    """Two hundred golds, changed in ways that graders treat differently."""
    tasks = suite.tasks[:200]
    answers = {t.id: changed(n % 8, t.hidden.gold or "") for n, t in enumerate(tasks)}
    graders = [GRADERS["ehrsql-2024"], GRADERS["ehrsql-1.5"]]
    part = Suite(tasks, source="valid")
    scored = evaluate(part, results, graders, Predictions(answers)).scored
    connection = sqlite3.connect(f"file:{results.database.url}?mode=ro", uri=True)
    for mode, answer in (("ehrsql-2024", answer_2024), ("ehrsql-1.5", answer_1_5)):
        points = []
        for task in tasks:
            gold = answer(connection, task.hidden.gold or "", "gold")
            rows = answer(connection, answers[task.id], "prediction")
            points.append(1 if gold == rows else 0 if rows == "null" else -10)
        expected = 100 * sum(points) / len(points)
        assert abstention_scores([item.judged[mode] for item in scored])["RS(10)"] == pytest.approx(
            expected
        )
        assert {1, 0, -10} == set(points)
    connection.close()


def changed(how: int, gold: str) -> str:
    if gold == "null":
        return "SELECT 1" if how == 0 else gold
    return {
        0: "null",
        1: gold.upper(),
        2: f"SELECT * FROM ({gold}) ORDER BY 1 DESC",
        3: f"SELECT *, 1 FROM ({gold})",
        4: gold[:-9],
        5: gold.replace("SELECT DISTINCT", "SELECT"),
        6: f"SELECT DISTINCT * FROM ({gold})",
        7: gold,
    }[how]


def answer_2024(connection: sqlite3.Connection, sql: str, side: str) -> str:
    rows = published_rows(connection, sql)
    return f"no result of the {side}" if rows is None else str(rows)


def answer_1_5(connection: sqlite3.Connection, sql: str, side: str) -> str:
    rows = run(connection, sql.lower().replace("%y", "%Y").replace("%j", "%J"))
    if isinstance(rows, str):
        return rows + side * (rows != "null")
    return str(sorted(str(row) for row in rows[:100]))


def run(connection: sqlite3.Connection, sql: str) -> list[tuple[Any, ...]] | str:
    now = re.sub("current_time", "'2100-12-31 23:59:00'", sql, flags=re.IGNORECASE)
    for word, value in normal_ranges().items():
        now = re.sub(rf"\b{word}\b", value, now, flags=re.IGNORECASE)
    try:
        return sql if sql == "null" else connection.execute(now).fetchall()
    except sqlite3.Error:
        return "no result of the "
