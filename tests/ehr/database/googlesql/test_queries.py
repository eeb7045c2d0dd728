"""Cohort queries of six scenarios in `queries`, divided by `;;`: each runs and has its columns."""

from pathlib import Path

import pytest

from tests.cases import for_each
from wardround.ehr.database import Database
from wardround.ehr.database.googlesql.script import one_query


def _queries() -> list[str]:
    files = sorted((Path(__file__).parent / "queries").glob("*.sql"))
    return [query for file in files for query in file.read_text().split("\n;;\n")]


@for_each(_queries()[::4])
def test_a_query_runs_and_names_its_columns(query: str, *, records: Database) -> None:
    assert_runs(query, records)


@pytest.mark.slow
@for_each(_queries())
def test_every_query_runs_and_names_its_columns(query: str, *, records: Database) -> None:
    assert_runs(query, records)


def assert_runs(query: str, records: Database) -> None:
    result = records.execute(query, rows=None)
    assert list(result.columns) == one_query(query).named_selects


def test_there_are_as_many_queries_as_promised() -> None:
    assert len(_queries()) >= 150  # A floor: queries are added.
