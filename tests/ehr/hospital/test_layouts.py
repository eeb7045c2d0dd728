"""Layouts of the hospital satisfy their schemas and are consistent."""

import csv
from contextlib import closing
from functools import cache, partial
from pathlib import Path
from typing import Any

import duckdb
import pytest
from typer.testing import CliRunner

from tests.cases import for_each
from tests.ehr.database.engines import ENGINES, made_database, needs
from tests.hospitals import KEPT_OPEN, hospital_file
from wardround.apps.command_line.main import app
from wardround.core.errors import UserError
from wardround.ehr.hospital import batches, build_hospital, content_digest
from wardround.ehr.hospital.layouts.layout import RowWriter
from wardround.ehr.schema import ForeignKey, Table, load_schema

PEOPLE, FEW = 8, 5
LAYOUTS = ("ehrsql_mimic_iv", "mimic_iv", "mimic_iii", "eicu", "omop_5_4")
# Tables of free text, of custom tests and of what none of eight people had, and those of OMOP for
# which the hospital has no terms.
EMPTY = {
    *("noteevents", "note", "customlab", "device_exposure", "drug_strength", "respiratorycare"),
    *("concept_relationship", "concept_ancestor", "concept_synonym", ("omop_5_4", "cost")),
}


def hospital(schema: str, people: int = PEOPLE) -> Path:
    return hospital_file(schema, people, seed=3)


@cache
def opened(schema: str) -> duckdb.DuckDBPyConnection:
    return KEPT_OPEN.enter_context(closing(duckdb.connect(hospital(schema), read_only=True)))


def rows(schema: str, sql: str) -> list[tuple[Any, ...]]:
    return opened(schema).execute(sql).fetchall()


TABLES = [(schema, table) for schema in LAYOUTS for table in load_schema(schema).tables]


@for_each(TABLES)
def test_tables_have_rows_and_valid_foreign_keys(schema: str, table: Table) -> None:
    [(count,)] = rows(schema, f"SELECT count(*) FROM {table.name}")
    assert bool(count) == EMPTY.isdisjoint({table.name, (schema, table.name)})
    for key in table.foreign_keys:
        if table.name != "cost" and key.column != "icd_version":
            assert dangling(schema, table, key) == [], key


def dangling(schema: str, table: Table, key: ForeignKey) -> list[tuple[Any, ...]]:
    return rows(
        schema,
        f"SELECT {key.column} FROM {table.name} WHERE {key.column} IS NOT NULL "
        f"EXCEPT SELECT {key.target} FROM {key.table}",
    )


@for_each(TABLES)
def test_keys_are_unique(schema: str, table: Table) -> None:
    unique = [(column.name,) for column in table.columns if column.unique]
    for key in filter(None, (table.key, *unique)):
        columns = ", ".join(key)
        twice = f"SELECT {columns} FROM {table.name} GROUP BY {columns} HAVING count(*) > 1"
        assert rows(schema, twice) == [], key


with (Path(__file__).parent / "never.tsv").open(encoding="utf-8") as _file:
    NEVER = [
        (case["schema"], case["sql"])
        for case in csv.DictReader(_file, delimiter="\t", quoting=csv.QUOTE_NONE)
    ]


@for_each(NEVER)
def test_impossible_rows_do_not_occur(schema: str, sql: str) -> None:
    assert rows(schema, f"SELECT count(*) FROM ({sql})") == [(0,)]


def test_mimic_iv_has_the_published_spelling() -> None:
    expected = {
        "SELECT DISTINCT gender FROM patients": {"F", "M"},
        "SELECT DISTINCT eventtype FROM transfers": {"ED", "admit", "transfer", "discharge"},
        "SELECT DISTINCT drug_type FROM prescriptions": {"MAIN", "BASE"},
        "SELECT DISTINCT label FROM d_items WHERE itemid = 220045": {"Heart Rate"},
        "SELECT DISTINCT valueuom FROM labevents WHERE itemid = 50983": {"mEq/L"},
        "SELECT icd_code FROM d_icd_diagnoses WHERE icd_code = 'J189'": {"J189"},
    }
    for sql, values in expected.items():
        assert {row[0] for row in rows("mimic_iv", sql)} == values, sql


def test_layouts_contain_the_same_people() -> None:
    people = rows("ehrsql_mimic_iv", "SELECT subject_id, lower(gender) FROM patients ORDER BY 1")
    for schema in ("mimic_iv", "mimic_iii"):
        sql = "SELECT subject_id, lower(gender) FROM patients ORDER BY 1"
        assert rows(schema, sql) == people
        for table in ("admissions", "procedures_icd", "labevents"):
            counted = f"SELECT hadm_id, count(*) FROM {table} GROUP BY 1 ORDER BY 1"
            assert rows(schema, counted) == rows("ehrsql_mimic_iv", counted), (schema, table)
    units = rows("eicu", "SELECT patientunitstayid FROM patient ORDER BY 1")
    assert units == rows("mimic_iv", "SELECT stay_id FROM icustays ORDER BY 1")


@pytest.mark.parametrize("schema", ["mimic_iv", "mimic_iii", "eicu", "omop_5_4"])
@pytest.mark.parametrize(
    "engine", [pytest.param(name, marks=needs(name)) for name in ENGINES if name != "duckdb"]
)
def test_engines_contain_the_same_rows(engine: str, schema: str, tmp_path: Path) -> None:
    with made_database(engine, tmp_path, []) as location:
        build_hospital(location, patients=FEW, seed=3, schema=schema, replace=True)
        assert content_digest(location) == digest(schema)


@cache
def digest(schema: str) -> str:
    return content_digest(hospital(schema, FEW))


def test_rows_are_independent_of_the_number_of_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "PEOPLE_OF_A_BATCH", 1)
    digests = set()
    for workers in (1, 2):
        # Another number of batches in each transaction, too.
        monkeypatch.setattr("wardround.ehr.hospital.build._COMMITTED", workers)
        path = tmp_path / f"{workers}.duckdb"
        build_hospital(path, patients=3, schema="mimic_iv_star", workers=workers)
        digests.add(content_digest(path))
    assert len(digests) == 1


def test_existing_target_is_replaced_only_on_request(tmp_path: Path) -> None:
    path = tmp_path / "hospital.sqlite"
    build = partial(build_hospital, path, patients=2, schema="eicu", tables=["patient"])
    build()
    before = path.read_bytes()
    with pytest.raises(UserError, match="already exists"):
        build(seed=1)
    assert path.read_bytes() == before
    build(seed=1, replace=True)
    assert path.read_bytes() != before
    assert list(tmp_path.iterdir()) == [path]


def test_interrupted_build_leaves_nothing(tmp_path: Path) -> None:
    def stop(people: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_hospital(tmp_path / "hospital.sqlite", patients=2, done=stop)
    assert list(tmp_path.iterdir()) == []


def test_command_prints_the_result(tmp_path: Path) -> None:
    path = tmp_path / "hospital.duckdb"
    words = ["data", "hospital", "--patients", "3", "--layout", "mimic-iv", "--to", str(path)]
    result = CliRunner().invoke(app, [*words, "--workers", "1"])
    assert result.exit_code == 0, result.output
    assert "3 people, 31 tables" in result.stdout
    with closing(duckdb.connect(path)) as database:
        assert database.execute("SELECT count(*) FROM patients").fetchall() == [(3,)]


def test_writers_of_rows_refuse_unknown_columns_and_other_numbers_of_values() -> None:
    write = RowWriter("eicu", "vitalaperiodic", "observationoffset", "svr", numbered_later=2)
    assert write(5, 900) == ("vitalaperiodic", (5, *(None,) * 6, 900, None, None, None))
    with pytest.raises(TypeError, match="3 values for 2 columns"):
        write(5, 900, 1)
    with pytest.raises(KeyError, match="vitalaperiodic has no column temperature"):
        RowWriter("eicu", "vitalaperiodic", "observationoffset", "temperature")(5, 37)
