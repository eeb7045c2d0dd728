"""Queries that rest on no record, for every dialect that agents write."""

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.benchmarks.kit.constant_queries import (
    constant_query,
    emptied,
    founded_state,
    gives_constants,
    rests_on_records,
)
from wardround.ehr.database import Database, QueryError, open_database
from wardround.scoring.results import Rows

GOLD = "SELECT COUNT(*) FROM patients WHERE gender = 'F'"
EXISTENCE = "SELECT COUNT(*) > 2 FROM patients WHERE gender = 'F'"


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    path = tmp_path_factory.mktemp("records") / "patients.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE patients (subject_id INTEGER, gender TEXT)")
        rows = [(n, "F" if n % 2 else "M") for n in range(6)]
        connection.executemany("INSERT INTO patients VALUES (?, ?)", rows)
    connection.close()
    opened = open_database(path)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("sql", "constant"),
    [
        ("SELECT 3 FROM patients", True),
        ("SELECT CASE WHEN COUNT(*) > 0 THEN 3 ELSE 4 END FROM patients", True),
        ("SELECT 3 UNION SELECT subject_id FROM patients", False),
        ("SELECT COUNT(*) FROM patients", False),
        ("SELECT 3 FROM", None),
    ],
)
def test_a_choice_among_constants_is_constant(sql: str, constant: bool | None) -> None:
    assert gives_constants(sql) is constant


@given(st.text(max_size=20))
def test_a_text_as_a_query_is_constant(text: str) -> None:
    assert gives_constants(constant_query(text))


@pytest.mark.parametrize(
    ("answer", "gold", "rests"),
    [
        (GOLD, GOLD, True),
        ("SELECT SUM(gender = 'F') FROM patients", GOLD, True),
        (
            "WITH f AS (SELECT * FROM patients WHERE gender = 'F') SELECT COUNT(*) FROM f",
            GOLD,
            True,
        ),
        ("SELECT 3", GOLD, False),
        ("SELECT 3 FROM patients WHERE gender = 'F' LIMIT 1", GOLD, False),
        ("SELECT CASE WHEN COUNT(*) > 0 THEN 3 END FROM patients", GOLD, False),
        ("SELECT 3 + 0 * COUNT(*) FROM patients", GOLD, False),
        ("SELECT 3 UNION SELECT subject_id FROM patients WHERE 1 = 0", GOLD, False),
        ("SELECT MAX(n) FROM (SELECT 3 AS n UNION SELECT -COUNT(*) FROM patients)", GOLD, False),
        ("SELECT ~~~ 3 FROM patients FROM", GOLD, None),
        ("SELECT 1 FROM patients WHERE gender = 'F' LIMIT 1", EXISTENCE, True),
        ("SELECT 1", EXISTENCE, False),
        ("SELECT 1 FROM patients LIMIT 1", EXISTENCE, False),
        ("SELECT 3", "SELECT 3", True),
        # Nobody is counted in either: the records cannot tell them apart.
        (
            "SELECT COUNT(*) FROM patients WHERE gender = 'X'",
            "SELECT COUNT(*) FROM patients WHERE gender = 'Y'",
            True,
        ),
    ],
)
def test_answers_that_rest_on_records(
    database: Database, answer: str, gold: str, rests: bool | None
) -> None:
    def run(sql: str) -> Rows | None:
        try:
            return database.execute(sql).rows
        except QueryError:
            return None

    assert rests_on_records(answer, gold, database.dialect, run) is rests


def test_an_emptied_query_finds_nothing_in_any_table(database: Database) -> None:
    sql = emptied(
        "WITH all_of_them AS (SELECT * FROM patients) SELECT p.gender FROM all_of_them AS p JOIN "
        "patients AS q ON p.subject_id = q.subject_id WHERE p.subject_id IN "
        "(SELECT subject_id FROM patients)",
        database.dialect,
    )
    assert sql is not None
    assert database.execute(sql).rows == []


def test_only_what_is_known_decides() -> None:
    assert [founded_state(each)[0] for each in (True, False, None)] == [
        "passed",
        "failed",
        "undecided",
    ]
