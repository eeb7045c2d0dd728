"""Schemas load, name each other's columns rightly, and make databases that can be recognised."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from wardround.ehr.schema import (
    Schema,
    create_statements,
    load_renaming,
    load_schema,
    recognise,
    schema_names,
)

DATA = Path(__file__).resolve().parents[3] / "../shared/data"


def columns_of(schema: Schema) -> dict[str, list[str]]:
    return {table.name: [column.name for column in table.columns] for table in schema.tables}


@pytest.mark.parametrize("name", schema_names())
def test_foreign_keys_name_existing_columns(name: str) -> None:
    schema = load_schema(name)
    columns = columns_of(schema)
    for table in schema.tables:
        assert set(table.key) <= set(columns[table.name])
        for key in table.foreign_keys:
            assert key.column in columns[table.name]
            assert key.target in columns[key.table]


@pytest.mark.parametrize("name", schema_names())
def test_every_column_has_a_meaning(name: str) -> None:
    for table in load_schema(name).tables:
        assert table.meaning.endswith(".")
        assert all(len(column.meaning) > 5 for column in table.columns)


@pytest.mark.parametrize("name", schema_names())
def test_statements_make_a_database_that_is_recognised(name: str) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        for statement in create_statements(load_schema(name)):
            database.execute(statement)
        names = [row[0] for row in database.execute("SELECT name FROM sqlite_master")]
        tables = {
            table: [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            for table in names
            if not table.startswith("sqlite_")
        }
    assert recognise(tables) == name


@pytest.mark.parametrize("name", ["mimic_iv_star", "eicu_star"])
def test_a_renaming_covers_its_original(name: str) -> None:
    names = load_renaming(name)
    assert names is not None
    original = columns_of(load_schema(names.of))
    assert {table: list(columns) for table, columns in names.columns.items()} == original
    for table, columns in names.values.items():
        for column, values in columns.items():
            assert column in names.columns[table]
            assert set(values.items()) <= set(names.tables.items())


def test_foreign_keys_are_listed_as_the_paper_shows_them() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        for statement in create_statements(load_schema("mimic_iv_star")):
            database.execute(statement)
        rows = database.execute("PRAGMA foreign_key_list(admissiondiagnoses)").fetchall()
    # SQLite lists the last declared first, which gives the order of EHR-ChatQA D.1.1.
    assert [row[3] for row in rows] == ["codeversion", "icdcode", "admissionid"]


@pytest.mark.parametrize(
    "tables",
    [
        {},
        {"patients": ["subject_id", "gender", "anchor_age"], "admissions": ["subject_id"]},
        {"demographics": ["patientid"], "hospitaladmissions": ["admissionid"]},
    ],
)
def test_other_databases_are_not_recognised(tables: dict[str, list[str]]) -> None:
    assert recognise(tables) is None


def test_an_unknown_schema_is_named_in_the_error() -> None:
    with pytest.raises(KeyError, match="no schema 'omop'"):
        load_schema("omop")


@pytest.mark.parametrize("name", ["ehrsql_mimic_iv", "mimic_iv_star"])
def test_the_released_database_has_the_schema(name: str, tmp_path: Path) -> None:
    packed = DATA / f"ehrsql-2024/{name.removeprefix('ehrsql_')}.sqlite.gz"
    if not packed.exists():
        pytest.skip("the released databases are not here")
    import gzip

    path = tmp_path / "released.sqlite"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    with closing(sqlite3.connect(path)) as database:
        names = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE sql")]
        rows = {
            table.name: database.execute(f"PRAGMA table_info({table.name})").fetchall()
            for table in load_schema(name).tables
        }
    assert set(rows) >= set(names)
    assert recognise({table: [row[1] for row in found] for table, found in rows.items()}) == name
    differing = (
        {"icd_version", "totalamount", "totalamountuom"} if name == "ehrsql_mimic_iv" else set()
    )
    for table, columns in columns_of(load_schema(name)).items():
        assert set(columns) - {row[1] for row in rows[table]} <= differing
