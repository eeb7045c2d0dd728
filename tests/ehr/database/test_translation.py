"""Cohort queries in BigQuery's dialect, run on a hospital in the layout of MIMIC-IV."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
import sqlglot

from tests.hospitals import hospital_file
from wardround.ehr.database import QueryError
from wardround.ehr.database.translation import translated

COHORTS = sorted((Path(__file__).parent / "cohorts").glob("*.sql"))


@pytest.fixture(scope="module")
def hospital() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(hospital_file("mimic_iv", 60, seed=1), read_only=True) as connection:
        yield connection


def local(sql: str) -> str:
    """The query with unqualified table names, as in a local build."""
    return sql.replace("`physionet-data.mimiciv_3_1_hosp.", "`").replace(
        "`physionet-data.mimiciv_3_1_icu.", "`"
    )


@pytest.mark.parametrize("path", COHORTS, ids=lambda path: path.stem)
def test_cohort_query_returns_its_cohort_on_duckdb(
    path: Path, hospital: duckdb.DuckDBPyConnection
) -> None:
    sql = translated(local(path.read_text()), read="bigquery", write="duckdb")
    rows = hospital.execute(sql).fetchall()
    assert any(cell for row in rows for cell in row)


@pytest.mark.parametrize("path", COHORTS, ids=lambda path: path.stem)
def test_query_is_unchanged_by_a_round_trip(path: Path) -> None:
    sql = sqlglot.parse_one(path.read_text(), read="bigquery").sql("bigquery", comments=False)
    assert translated(sql, read="bigquery", write="bigquery") == sql


@pytest.mark.parametrize(
    ("sql", "words"),
    [("SELECT (", "no bigquery SQL"), ("SELECT 1; SELECT 2", "2 statements"), ("", "0 statements")],
)
def test_other_than_one_statement_is_refused(sql: str, words: str) -> None:
    with pytest.raises(QueryError, match=words):
        translated(sql, read="bigquery", write="duckdb")
