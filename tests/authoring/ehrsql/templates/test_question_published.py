"""wardround's queries give the rows of published queries, for every kind of EHRSQL 2024.

`published_slots.jsonl` has template and slots of up to three questions of each kind.
"""

import gzip
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.cases import for_each
from wardround.authoring.ehrsql.templates.layout_tables import load_records
from wardround.authoring.ehrsql.templates.question_sql import query
from wardround.authoring.ehrsql.templates.question_text import Slots
from wardround.authoring.ehrsql.templates.templates import question_template
from wardround.benchmarks.ehrsql.preprocessing import runnable
from wardround.ehr.schema import load_renaming
from wardround.ehr.times import TimeTag, time_filter

HERE = Path(__file__).parent
DATA = HERE.parents[3] / ".." / "shared" / "data" / "ehrsql-2024"
LINES = (HERE / "published_slots.jsonl").read_text(encoding="utf-8").splitlines()
CASES = [json.loads(line) for line in LINES]
KINDS = sorted({case["template"] for case in CASES})
NOW = "2100-12-31 23:59:00"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="no EHRSQL 2024: queries are not compared with the published ones"
)


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    with closing(_opened("mimic_iv", tmp_path_factory)) as connection:
        yield connection


@pytest.fixture(scope="module")
def star(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """The renamed database."""
    with closing(_opened("mimic_iv_star", tmp_path_factory)) as connection:
        names = load_renaming("mimic_iv_star")
        assert names
        for table, columns in names.values.items():
            for column, values in columns.items():
                new = (names.tables[table], names.columns[table][column])
                for value in values.items():
                    _rename(connection, *new, *value)
        yield connection


@for_each(KINDS)
def test_queries_return_the_published_rows(kind: str, *, released: sqlite3.Connection) -> None:
    for case in (case for case in CASES if case["template"] == kind):
        gold = _rows(released, _labels(case["split"])[case["id"]])
        assert _rows(released, _query(case, "ehrsql_2024")) == gold, case["id"]


@for_each(KINDS)
def test_renamed_database_returns_the_same_rows(
    kind: str, *, released: sqlite3.Connection, star: sqlite3.Connection
) -> None:
    case = next(case for case in CASES if case["template"] == kind)
    rows = _rows(released, _query(case, "ehrsql_2024"))
    assert _rows(star, _query(case, "mimic_iv_star")) == rows


def _rename(connection: sqlite3.Connection, table: str, column: str, old: str, new: str) -> None:
    connection.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (new, old))


def _query(case: dict[str, Any], schema: str) -> str:
    times = {slot: time_filter(id, **values) for slot, (id, values) in case["times"].items()}
    template = question_template(case["template"])
    return query(
        template, load_records(schema), Slots(case["values"], case["operations"], TimeTag(**times))
    )


def _rows(connection: sqlite3.Connection, sql: str) -> list[tuple[str, ...]]:
    rows = connection.execute(runnable(sql, NOW)).fetchall()
    return sorted(tuple(_cell(cell) for cell in row) for row in rows)


def _cell(cell: object) -> str:
    return str(round(cell, 3)) if isinstance(cell, float) else str(cell)


def _opened(name: str, folders: pytest.TempPathFactory) -> sqlite3.Connection:
    path = folders.mktemp(name) / f"{name}.sqlite"
    with gzip.open(DATA / f"{name}.sqlite.gz") as packed, path.open("wb") as file:
        shutil.copyfileobj(packed, file)
    return sqlite3.connect(path)


@cache
def _labels(split: str) -> dict[str, str]:
    content: dict[str, str] = json.loads((DATA / split / "label.json").read_text(encoding="utf-8"))
    return content
