"""Records of a map as tables: queries of them, copies of them, and the map that is kept."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.apps.commands import Cli
from tests.cases import for_each
from tests.hospitals import hospital_file
from wardround.ehr.database import Database, open_database
from wardround.ehr.records import (
    RecordMap,
    dialect_of,
    load_map,
    packaged_maps,
    records_of,
    stored_records,
    table_map,
    view,
)
from wardround.ehr.records.map_file import map_from_json, map_to_json
from wardround.ehr.records.record_tables import (
    MissingRecordsError,
    record_database,
    record_table,
    with_views_text,
)

COUNTS = (
    "SELECT COUNT(*) FROM drug_records WHERE drug_records.name LIKE '%a%'",
    "SELECT COUNT(DISTINCT lab_records.patient) FROM lab_records WHERE lab_records.age > 60",
    "SELECT MAX(a.age) FROM admission_records AS a",
    "SELECT DISTINCT sex FROM patient_records WHERE sex IS NOT NULL ORDER BY sex",
    "SELECT COUNT(*) FROM vital_records",
    "SELECT COUNT(patient_records.sex) AS numbered FROM patient_records ORDER BY numbered",
)


@pytest.fixture(scope="module", params=["duckdb", "sqlite"])
def omop(request: pytest.FixtureRequest) -> Path:
    return hospital_file("omop_5_4", 8, seed=3, ending=request.param)


@pytest.fixture
def database(omop: Path) -> Iterator[Database]:
    with closing(open_database(omop)) as opened:
        yield opened


@pytest.fixture
def records(database: Database) -> RecordMap:
    return records_of(database)


def test_tables_of_a_copy_hold_the_records_of_the_views(
    database: Database, records: RecordMap
) -> None:
    with stored_records(records, database) as copy:
        for kind in records.kinds:
            rows, stored = (
                of.execute(view(each, kind, dialect_of(of)), rows=None).rows
                for of, each in ((database, records), (copy, table_map(records)))
            )
            assert sorted(map(str, stored)) == sorted(map(str, rows)), kind
        for sql in COUNTS:
            of_views = record_database(database, records).execute(sql).rows
            assert copy.execute(sql).rows == of_views
            assert of_views != [(0,)]
    assert record_table("lab") not in database.tables()


def test_the_current_time_stays_open(records: RecordMap) -> None:
    sql = "SELECT icu_records.time FROM icu_records WHERE icu_records.time < current_time"
    assert with_views_text(sql, records, "sqlite").endswith(
        "AS icu_records WHERE icu_records.time < current_time"
    )


def test_a_query_of_what_the_map_lacks_is_refused(records: RecordMap) -> None:
    with pytest.raises(MissingRecordsError, match="there is no kind 'cost'"):
        with_views_text("SELECT cost_records.value FROM cost_records", records, "duckdb")
    with pytest.raises(MissingRecordsError, match="has no 'dose'"):
        with_views_text("SELECT drug_records.dose FROM drug_records", records, "duckdb")


@for_each(packaged_maps())
def test_a_map_is_the_same_after_json(name: str) -> None:
    known = load_map(name)
    assert map_from_json(json.loads(json.dumps(map_to_json(known)))) == known


def test_a_packaged_map_is_examined_by_its_name(omop: Path, cli: Cli) -> None:
    found = cli("doctor", omop, "--map", "omop_5_4")
    assert "read as omop_5_4" in found.out
    assert "drug" in found.out
    unknown = cli("doctor", omop, "--map", "omop_9")
    assert unknown.code == 2
    assert "There is no record map omop_9; give a file, or one of" in unknown.err
