"""Cohort queries of six scenarios in `queries`, divided by `;;`: each runs and has its columns."""

from pathlib import Path

import pytest

from wardround.ehr.database import Database
from wardround.ehr.database.googlesql.script import one_query


def _queries() -> list[object]:
    files = sorted((Path(__file__).parent / "queries").glob("*.sql"))
    return [
        pytest.param(query, id=f"{file.stem}-{number}")
        for file in files
        for number, query in enumerate(file.read_text().split("\n;;\n"), start=1)
    ]


@pytest.mark.parametrize("query", _queries())
def test_a_query_runs_and_names_its_columns(records: Database, query: str) -> None:
    result = records.execute(query, rows=None)
    assert list(result.columns) == one_query(query).named_selects


def test_there_are_as_many_queries_as_promised() -> None:
    assert len(_queries()) >= 150
