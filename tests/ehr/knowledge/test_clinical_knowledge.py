import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlglot
from sqlglot import expressions

from tests.hospitals import hospital_file
from wardround.ehr.knowledge import chain_nodes, clinical_knowledge
from wardround.ehr.schema import load_schema

BASE = clinical_knowledge()
SCHEMA = load_schema("ehrsql_mimic_iv")
TEXT = (Path(__file__).parent / "clinical.sql").read_text("utf-8")
COMMON, *PARTS = re.split(r"^-- (?=.*\nCREATE TEMP TABLE)", TEXT, flags=re.M)
SQL = dict(part.split("\n", 1) for part in PARTS)


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    path = tmp_path_factory.mktemp("clinical") / "hospital.sqlite"
    shutil.copyfile(hospital_file(SCHEMA.name, 60, seed=11, ending="sqlite"), path)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(COMMON)
        yield database


@pytest.mark.integration
def test_entries_are_computable_and_occur_in_the_hospital(hospital: sqlite3.Connection) -> None:
    assert set(SQL) == {entry.name for entry in BASE}
    for name, sql in SQL.items():
        hospital.executescript(sql)
        assert hospital.execute(f"SELECT 1 FROM {made_by(sql)}").fetchone(), name


def test_sql_of_entries_uses_their_dependencies() -> None:
    names = {made_by(sql): name for name, sql in SQL.items()}
    for entry in BASE:
        tables = {
            table.name for table in sqlglot.parse_one(SQL[entry.name]).find_all(expressions.Table)
        }
        built_on = {names[table] for table in tables - {made_by(SQL[entry.name])} & set(names)}
        assert built_on == {BASE.entries[id].name for id in entry.children}, entry.name


def test_definitions_mention_their_dependencies_and_no_other_entry() -> None:
    """Otherwise another entry would reveal a masked one."""
    longest_first = sorted((entry.name for entry in BASE), key=len, reverse=True)
    name = re.compile("|".join(map(re.escape, longest_first)))
    for entry in BASE:
        mentioned = set(name.findall(entry.definition))
        assert mentioned == {BASE.entries[id].name for id in entry.children}, entry.name


@pytest.mark.integration
def test_quoted_values_occur_in_the_hospital() -> None:
    quoted = {value for entry in BASE for value in re.findall(r"'([^']+)'", entry.definition)}
    assert len(quoted) == 66
    path = hospital_file(SCHEMA.name, 100, ending="sqlite")
    with closing(sqlite3.connect(path)) as hospital:
        assert quoted <= labels(hospital) | texts(hospital)


def labels(hospital: sqlite3.Connection) -> set[str]:
    """The names of all that was measured, given or recorded."""
    events = [(each, "d_items") for each in ("chartevents", "inputevents", "outputevents")]
    named = [("labevents", "d_labitems"), *events]
    parts = (f"SELECT label FROM {table} JOIN {items} USING (itemid)" for table, items in named)
    return {label for (label,) in hospital.execute(" UNION ".join(parts))}


def texts(hospital: sqlite3.Connection) -> set[str]:
    """The texts in all tables but the dictionaries."""
    tables = [table for table in SCHEMA.tables if not table.name.startswith("d_")]
    return {
        text
        for table in tables
        for column in table.columns
        if column.type == "TEXT"
        for (text,) in hospital.execute(f"SELECT DISTINCT {column.name} FROM {table.name}")
    }


def test_there_are_chain_nodes() -> None:
    assert len(BASE.entries) == 105
    assert len(chain_nodes(BASE)) == 26
    assert len({entry.name.lower() for entry in BASE}) == len(BASE.entries)
    assert {entry.kind for entry in BASE} == {
        "calculation_knowledge",
        "domain_knowledge",
        "value_illustration",
    }


def made_by(sql: str) -> str:
    result = re.match(r"CREATE TEMP TABLE (\w+) AS", sql)
    assert result
    return result[1]
