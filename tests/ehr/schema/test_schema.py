"""Schemas load, are consistent, and create databases that are recognised."""

import sqlite3
from contextlib import closing

import duckdb
import pytest

from tests.cases import for_each, one_in
from wardround.ehr.schema import (
    Schema,
    column_type,
    create_statement,
    create_statements,
    index_statements,
    load_schema,
    recognise,
    schema_names,
)

TYPES = {"INTEGER", "REAL", "TEXT", "DATE", "TIMESTAMP"}
SIZES = {"mimic_iii": (26, 324), "mimic_iv": (31, 342), "eicu": (31, 391)}


def columns_of(schema: Schema) -> dict[str, list[str]]:
    return {table.name: [column.name for column in table.columns] for table in schema.tables}


@for_each(schema_names())
def test_keys_and_indexes_refer_to_existing_columns(name: str) -> None:
    schema = load_schema(name)
    columns = columns_of(schema)
    for table in schema.tables:
        assert set(table.key) <= set(columns[table.name])
        assert not any(table.column(column).null for column in table.key)
        assert len(set(table.indexes)) == len(table.indexes)
        assert table.key not in table.indexes
        for index in table.indexes:
            assert set(index) <= set(columns[table.name])
        for key in table.foreign_keys:
            assert key.column in columns[table.name]
            assert key.target in columns[key.table]
            target = schema.table(key.table).column(key.target)
            assert table.column(key.column).type == target.type


@for_each(schema_names())
def test_every_column_has_a_type_and_a_meaning(name: str) -> None:
    for table in load_schema(name).tables:
        assert table.meaning.endswith(".")
        for column in table.columns:
            assert column.type in TYPES
            assert len(column.meaning) > 5
            assert not column.meaning.endswith(".")


@pytest.mark.parametrize(("name", "size"), SIZES.items())
def test_a_release_has_all_its_tables(name: str, size: tuple[int, int]) -> None:
    schema = load_schema(name)
    assert (len(schema.tables), sum(len(table.columns) for table in schema.tables)) == size
    for rows in schema.rows.values():
        assert set(rows) <= {table.name for table in schema.tables}


def test_only_mimic_iv_has_modules() -> None:
    for name in schema_names():
        modules = {table.module for table in load_schema(name).tables}
        assert modules == ({"hosp", "icu"} if name == "mimic_iv" else {""})


@for_each(schema_names())
def test_created_database_is_recognised(name: str) -> None:
    schema = load_schema(name)
    with closing(sqlite3.connect(":memory:")) as database:
        for statement in create_statements(schema):
            database.execute(statement)
        for table in schema.tables:
            for statement in index_statements(table):
                database.execute(statement)
        tables = {
            table.name: [row[1] for row in database.execute(f"PRAGMA table_info({table.name})")]
            for table in schema.tables
        }
    assert recognise(tables) == name


@pytest.mark.parametrize("name", one_in(4, [*schema_names()]))
def test_duckdb_database_has_the_declared_types(name: str) -> None:
    schema = load_schema(name)
    with closing(duckdb.connect()) as database:
        for table in schema.tables:
            database.execute(create_statement(table, "duckdb"))
            for statement in index_statements(table):
                database.execute(statement)
            described = database.execute(f"DESCRIBE {table.name}").fetchall()
            assert [row[1] for row in described] == [
                column_type(column, "duckdb") for column in table.columns
            ]


def test_foreign_keys_are_declared_as_published() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        for statement in create_statements(load_schema("mimic_iv_star")):
            database.execute(statement)
        rows = database.execute("PRAGMA foreign_key_list(admissiondiagnoses)").fetchall()
    # SQLite lists the last declared first, which gives the order of Lee et al. 2025, D.1.1.
    assert [row[3] for row in rows] == ["codeversion", "icdcode", "admissionid"]


def test_unknown_schema_raises_a_key_error() -> None:
    with pytest.raises(KeyError, match="no schema 'omop'"):
        load_schema("omop")
