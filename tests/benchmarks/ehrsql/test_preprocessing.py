"""Placeholders are filled in, and EHRSQL 2024's preprocessing is reproduced."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.ehrsql_pool import BOUNDS, NOW
from tests.cases import for_each
from wardround.benchmarks.ehrsql.gold import run_answer
from wardround.benchmarks.ehrsql.graders import GRADERS
from wardround.benchmarks.ehrsql.judge import graded_question
from wardround.benchmarks.ehrsql.preprocessing import normal_ranges, preprocessed_2024, runnable
from wardround.benchmarks.ehrsql.result_cache import Results
from wardround.benchmarks.ehrsql.tasks import EhrsqlHidden, EhrsqlPublic
from wardround.core.task import Task
from wardround.ehr.database import open_database

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "placeholders.jsonl").read_text("utf-8").splitlines()
]
PUBLISHED = [
    ("SELECT 1", "SELECT 1"),
    ("Here it is:\nSELECT 1", "SELECT 1"),
    ("WITH x AS (SELECT 1) SELECT * FROM x", "SELECT 1) SELECT * FROM x"),
    ("select 1", "select 1"),
    ("SELECT\n\n  'a  b'", "SELECT 'a b'"),
    ("SELECT 1 >\n= 0, 2 <  = 3, 4 ! = 5", "SELECT 1 >= 0, 2 <= 3, 4 != 5"),
    ("SELECT current_time, 'current_time'", f"SELECT '{NOW}', ''{NOW}''"),
    ("SELECT CURRENT_TIME", "SELECT CURRENT_TIME"),
    ("SELECT x > heart_rate_lower", "SELECT x > heart_rate_lower"),
    ("SELECT heart_rate_lower, mean_bp_upper", "SELECT heart_rate_lower, mean_bp_upper"),
    ("SELECT heart_rate_lower, heart_rate_upper", "SELECT 60.0, 100.0"),
    ("SELECT pulse_lower, pulse_upper", "SELECT pulse_lower, pulse_upper"),
    ("SELECT '%y-%j', 1 %y, '%yes'", "SELECT '%Y-%J', 1 %Y, '%Yes'"),
    ("SELECT 1 -- first\n, 2", "SELECT 1 -- first , 2"),
]


@for_each(CASES)
def test_placeholders_are_filled_in_as_whole_words(case: dict[str, str]) -> None:
    assert runnable(case["sql"], NOW) == case["runs"]


def test_vital_sign_bounds_are_ordered() -> None:
    ranges = normal_ranges()
    names = {word.rpartition("_")[0] for word in ranges}
    assert len(names) == 7, "the seven vital signs of the paper (C.1)"
    assert all(float(ranges[f"{name}_lower"]) < float(ranges[f"{name}_upper"]) for name in names)


@for_each(PUBLISHED)
def test_the_2024_preprocessing_changes_literals_too(sql: str, runs: str) -> None:
    assert preprocessed_2024(sql, NOW) == runs


# An independent implementation of the published rules, and a scorer that uses it.


def from_the_first_select(text: str) -> str:
    _, word, query = text.partition("SELECT")
    return word + query if word else text


def on_one_line(text: str) -> str:
    out = ""
    for letter in text:
        blank = " " if letter == "\n" else letter
        if not (blank == " " and out.endswith(" ")):
            out += blank
    return out


def with_operators_joined(text: str) -> str:
    return ">=".join("<=".join("!=".join(text.split("! =")).split("< =")).split("> ="))


def with_the_time(text: str) -> str:
    return f"'{NOW}'".join(text.split("current_time"))


def with_bounds(text: str) -> str:
    for name, (lower, upper) in BOUNDS.items():
        if f"{name}_lower" in text and f"{name}_upper" in text:
            text = text.replace(f"{name}_lower", lower).replace(f"{name}_upper", upper)
    return text


def with_formats(text: str) -> str:
    return "%J".join("%Y".join(text.split("%y")).split("%j"))


RULES = (
    from_the_first_select,
    on_one_line,
    with_operators_joined,
    with_the_time,
    with_bounds,
    with_formats,
)


def published_rows(connection: sqlite3.Connection, text: str) -> list[list[str]] | str | None:
    """The compared rows, "null" for a refusal, None for a failing query."""
    if text.strip() == "null":
        return "null"
    for rule in RULES:
        text = rule(text)
    try:
        rows = connection.execute(text).fetchall()
    except (sqlite3.Error, sqlite3.Warning):
        return None
    return sorted([number(cell) for cell in row] for row in rows)[:100]


def number(cell: Any) -> str:
    try:
        return str(round(float(cell), 3))
    except (TypeError, ValueError):
        return str(cell)


def published_right(connection: sqlite3.Connection, gold: str, prediction: str) -> bool:
    gold_rows, answer_rows = (published_rows(connection, text) for text in (gold, prediction))
    return answer_rows is not None and gold_rows == answer_rows


starts = st.sampled_from(
    ("", "", "", "", "Sure: ", "```sql\n", "WITH w AS (SELECT 7) ", "select 1; ", "-- a query\n")
)
columns = st.sampled_from(
    (
        *("drug", "COUNT(*)", "'a  b'", "'a\nb'", "1.00049", "1.0004", "NULL"),
        *("current_time", "'current_time'", "substr(current_time, 1, 10)"),
        *("strftime('%y', started)", "strftime('%Y', started)", "'%y'"),
    )
)
filters = st.sampled_from(
    (
        *("", " WHERE started > = '2100'", " WHERE started >= '2100'", " WHERE patient ! = 2"),
        *(" WHERE started < current_time", " WHERE started <  = current_time", ";"),
        " WHERE 70 BETWEEN heart_rate_lower AND heart_rate_upper",
        *(" WHERE 70 > mean_bp_lower", " WHERE drug LIKE '%yo%'", "  ORDER  BY\n1 DESC"),
        " WHERE strftime('%y', started) = strftime('%y', current_time)",
    )
)
queries = st.one_of(
    st.builds(
        lambda start, chosen, where: f"{start}SELECT {', '.join(chosen)} FROM orders{where}",
        starts,
        st.lists(columns, min_size=1, max_size=2),
        filters,
    ),
    st.sampled_from(["null", "NULL", " null", "null ", "select drug from orders", "SELECT"]),
)


golds = queries.filter(lambda sql: sql.startswith("SELECT ")) | st.just("null")


@pytest.fixture
def results(records: Path) -> Iterator[Results]:
    database = open_database(records)
    yield Results(database)
    database.close()


@settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(gold=golds, prediction=queries)
def test_generated_predictions_score_as_in_the_published_scorer(
    results: Results, gold: str, prediction: str
) -> None:
    connection = sqlite3.connect(results.database.url)
    grader = GRADERS["ehrsql-2024"]
    task = Task("t", EhrsqlPublic("?", NOW), EhrsqlHidden(gold, "ehrsql-2024"))
    changed = (gold.replace(" ", "  "), gold.replace("current_time", "CURRENT_TIME"))
    for answer in (prediction, gold, *changed):
        gold_ran, ran = (run_answer(task, sql, results, grader) for sql in (gold, answer))
        expected = published_right(connection, gold, answer)
        assert graded_question(gold_ran, ran, grader).credited is expected, answer
    connection.close()


letters = "SELECT select\n\t><!='%yjnull "
tokens = [*letters, "SELECT", "current_time", " heart_rate_lower ", " heart_rate_upper "]
texts = st.lists(st.sampled_from(tokens), max_size=40).map("".join)


@given(texts)
def test_preprocessing_follows_the_rules_for_any_text(text: str) -> None:
    expected = text
    for rule in RULES:
        expected = rule(expected)
    assert preprocessed_2024(text, NOW) == expected.strip()
