"""A patient hidden from queries on BigQuery, by rewriting what they read."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.cases import for_each
from wardround.ehr.database import Database, Limits, QueryError
from wardround.ehr.database.bigquery.driver import BigQueryDriver, without_patient
from wardround.ehr.database.bigquery.engine import read_location

COLUMNS = {
    "p.d.patients": ["subject_id", "gender"],
    "p.d.d_items": ["itemid"],
    "q.e.admissions": ["subject_id", "hadm_id"],
    "p.d.sofa": ["stay_id", "sofa"],
}


def rewritten(sql: str) -> str:
    return without_patient(sql, 7, "p.d", lambda table: COLUMNS[table])


@for_each(
    [
        ("SELECT gender FROM patients", ["p.d.patients"]),
        ("SELECT gender FROM d.patients", ["p.d.patients"]),
        ("SELECT gender FROM `p.d.patients` AS x", ["p.d.patients"]),
        ("SELECT `p.d.patients`.gender FROM `p.d.patients`", ["p.d.patients"]),
        ("SELECT 1 FROM q.e.admissions JOIN patients USING (subject_id)", ["q.e.admissions"]),
        ("WITH patients AS (SELECT * FROM patients) SELECT * FROM patients", []),
        ("SELECT (SELECT MAX(subject_id) FROM patients)", ["p.d.patients"]),
        ("DECLARE x INT64 DEFAULT (SELECT 1 FROM patients); SELECT x", ["p.d.patients"]),
        ("SELECT itemid FROM d_items", []),
    ]
)
def test_every_table_of_patients_is_filtered(sql: str, tables: list[str]) -> None:
    query = rewritten(sql)
    for table in tables:
        assert f"(SELECT * FROM `{table}` WHERE subject_id IS DISTINCT FROM 7)" in query
    assert query.count("patients`") + query.count("admissions`") >= len(tables)
    assert "FROM patients" not in query


@for_each(
    [
        "SELECT * FROM d.INFORMATION_SCHEMA.COLUMNS",
        "SELECT * FROM `p.d.*`",
        "SELECT * FROM `p.d.pat*`",
        "SELECT * FROM sofa",
        "SELECT * FROM EXTERNAL_QUERY('x', 'SELECT 1')",
        "SELECT 1; SELECT 2",
        "CREATE TABLE x AS SELECT * FROM patients",
    ]
)
def test_what_may_hold_the_patient_is_refused(sql: str) -> None:
    with pytest.raises(QueryError):
        rewritten(sql)


class Rows(list[Any]):
    """An answer without rows."""

    schema = ()


class Client:
    """A client that notes its queries."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def get_table(self, name: str) -> Any:
        return SimpleNamespace(schema=[SimpleNamespace(name=each) for each in COLUMNS[name]])

    def query(self, sql: str, job_config: Any) -> Any:
        self.sent.append(sql)
        return SimpleNamespace(
            statement_type="SELECT",
            referenced_tables=[],
            total_bytes_processed=0,
            result=lambda **_: Rows(),
        )


def test_the_driver_sends_the_rewritten_query() -> None:
    pytest.importorskip("google.cloud.bigquery", reason="BigQuery's client is missing")
    client = Client()
    datasets = read_location("bigquery://p/d?without=7")
    assert datasets.url.endswith("&without=7")
    database = Database(BigQueryDriver(datasets, Limits(), client)).hiding(datasets.without or 0)
    assert database.execute("SELECT gender FROM patients").rows == []
    expected = "(SELECT * FROM `p.d.patients` WHERE subject_id IS DISTINCT FROM 7) AS `patients`"
    assert client.sent
    assert all(expected in sql for sql in client.sent)
    database.close()
