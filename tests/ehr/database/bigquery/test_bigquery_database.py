"""BigQuery behind the database interface: Google's client against a recorded conversation."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.ehr.database.bigquery.played import DATASETS, Played, played_client
from wardround.core.errors import UserError
from wardround.ehr.database import Database, Limits, QueryError, engine_of
from wardround.ehr.database.bigquery.driver import BigQueryDriver
from wardround.ehr.database.bigquery.engine import read_location

pytest.importorskip("google.cloud.bigquery", reason="BigQuery's client is missing")


@pytest.fixture
def database() -> Iterator[Database]:
    with played_client() as client:
        datasets = read_location(f"bigquery://mine/{DATASETS}")
        with closing(Database(BigQueryDriver(datasets, Limits(), client))) as opened:
            yield opened


def test_query_runs_after_a_dry_run(database: Database) -> None:
    table = database.execute("SELECT subject_id, dod FROM patients", rows=2)
    assert table.columns == ("subject_id", "dod", "gone")
    assert table.rows == [(1, "2100-03-01", 1), (2, None, 0)]
    assert table.truncated
    dry, run = [line for line in Played.asked if line.startswith("POST")]
    assert dry == run == "POST /bigquery/v2/projects/mine/jobs"


@pytest.mark.parametrize(
    ("sql", "kind", "words"),
    [
        ("DELETE FROM patients WHERE true", "denied", "not DELETE"),
        ("SELECT 1; SELECT 2", "denied", "not SCRIPT"),
        ("SELECT * FROM other.secrets", "denied", "not other.secrets"),
        ("SELECT * FROM chartevents", "limit", "would scan 40,000,000,000 bytes"),
        ("SELEC 1", "syntax", "Syntax error"),
        ("SELECT nothing FROM patients", "runtime", "Unrecognized name"),
        ("SELECT * FROM forbidden", "denied", "Access Denied"),
    ],
)
def test_refused_query_never_runs(database: Database, sql: str, kind: str, words: str) -> None:
    with pytest.raises(QueryError, match=words) as caught:
        database.execute(sql)
    assert caught.value.kind == kind
    assert len(Played.asked) == 1


def test_cost_is_estimated_without_running_the_query(database: Database) -> None:
    cost = database.cost("SELECT subject_id, dod FROM patients")
    assert cost is not None
    assert (cost.size, round(cost.dollars * 2**40)) == (2400, 15000)
    with pytest.raises(QueryError, match="would scan 40,000,000,000 bytes"):
        database.cost("SELECT * FROM chartevents")
    assert len(Played.asked) == 2


def test_the_default_limit_is_50_gigabytes() -> None:
    assert read_location("bigquery://mine/own").most_bytes == 50_000_000_000


def test_the_schema_comes_without_a_query(database: Database) -> None:
    assert database.tables() == ["admissions", "patients", "mimiciv_icu.icustays"]
    assert "subject_id INTEGER NOT NULL" in database.definition("patients")
    assert "stay_id" in database.definition("mimiciv_icu.icustays")
    assert len(database.fingerprint()) == 32
    assert not any(line.startswith("POST") for line in Played.asked)


def test_missing_dataset_is_a_sentence() -> None:
    refused = pytest.raises(UserError, match=r"cannot be read.*check the datasets' names")
    with played_client() as client, refused:
        BigQueryDriver(read_location("bigquery://mine/data.no"), Limits(), client).fingerprint()


def test_writing_is_refused(database: Database) -> None:
    with pytest.raises(UserError, match="use SQLite, DuckDB or PostgreSQL"):
        database.writable()
    location = "bigquery://mine/own"
    with pytest.raises(UserError, match="BigQuery's own tools"):
        engine_of(location).write(location)


@pytest.mark.parametrize(
    "location", ["bigquery:", "bigquery://mine", "bigquery://a/b?most_bytes=x"]
)
def test_malformed_location_is_refused(location: str) -> None:
    with pytest.raises(UserError, match="write bigquery://PROJECT/DATASET"):
        engine_of(location).open(location, Limits())
