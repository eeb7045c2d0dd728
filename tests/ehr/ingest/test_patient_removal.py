"""Removal of patients: all of their rows and bytes, and no others."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ehr.database.engines import ENGINES, made_database, needs
from tests.ehr.making import Rows, make_database
from wardround.core.errors import InfraError, UserError
from wardround.ehr.database.compaction import compact
from wardround.ehr.database.engine import write_database
from wardround.ehr.database.interface import Cell
from wardround.ehr.ingest.patient_removal import RowCounts, find_patient_data, remove_patient_data
from wardround.ehr.schema import load_schema, quoted

# The identifying columns of each layout, from the person down, and the key of stays.
FORMS = {
    "mimic_iii": ("subject_id", "hadm_id", "icustay_id"),
    "mimic_iv": ("subject_id", "hadm_id", "stay_id", "transfer_id"),
    "eicu": ("uniquepid", "patienthealthsystemstayid", "patientunitstayid"),
    "ehrsql_mimic_iv": ("subject_id", "hadm_id", "stay_id", "transfer_id"),
    "mimic_iv_star": ("patientid", "admissionid", "icuadmissionid", "transferid"),
    "eicu_star": ("patient_id", "hosp_id", "unit_id"),
}
MARKER = "a-word-that-only-patient-7-has"


def hospital(schema: str, persons: int = 9) -> dict[str, Rows]:
    """One row of every table for each person, with all identifying columns filled."""
    form = FORMS[schema]
    rows: dict[str, Rows] = {}
    for table in load_schema(schema).tables:
        names = {column.name: column for column in table.columns}
        mine: list[dict[str, Cell]] = []
        for person in range(1, persons + 1):
            row: dict[str, Cell] = {
                name: _identifier(person, level, names[name].type)
                for level, name in enumerate(form)
                if name in names
            }
            keyed: dict[str, Cell] = {
                name: person if names[name].type == "INTEGER" else str(person)
                for name in table.key
                if names[name].type in {"INTEGER", "TEXT"}
            }
            free = (c.name for c in table.columns if c.type == "TEXT" and c.name not in form)
            words: dict[str, Cell] = dict.fromkeys(free, f"{MARKER} {table.name}")
            mine.append({**keyed, **(words if row and person == 7 else {}), **row})
        rows[table.name] = [*mine] if set(form) & names.keys() else mine[:1]
    return rows


def _identifier(person: int, level: int, kind: str) -> Cell:
    number = person + 1000 * level
    return f"00{number}-x" if kind == "TEXT" else number


def content(location: str, schema: str) -> dict[str, list[tuple[Cell, ...]]]:
    """Every row of every table."""
    with closing(write_database(location)) as database:
        return {
            table.name: sorted(database.query(f"SELECT * FROM {quoted(table.name)}"), key=str)
            for table in load_schema(schema).tables
        }


@pytest.mark.parametrize("schema", FORMS)
@pytest.mark.parametrize("engine", [pytest.param(name, marks=needs(name)) for name in ENGINES])
def test_exactly_the_rows_of_a_patient_are_removed(
    tmp_path: Path, schema: str, engine: str
) -> None:
    with made_database(engine, tmp_path, []) as location:
        make_database(location, schema, hospital(schema))
        before = content(location, schema)
        with closing(write_database(location)) as database:
            data = find_patient_data(database, ["007-x" if "eicu" in schema else "7"])
            remove_patient_data(database, data)
            compact(database)
        after = content(location, schema)
    removed = {
        table: [row for row in rows if row not in after[table]] for table, rows in before.items()
    }
    tables = {table for table, rows in before.items() if len(rows) == 9}
    assert {table for table, rows in removed.items() if rows} == tables
    assert all(len(removed[table]) == 1 and len(after[table]) == 8 for table in tables)
    assert {count.table for count in data.tables} == tables


@pytest.mark.parametrize("ending", ["sqlite", "duckdb"])
def test_bytes_are_removed_too(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"all.{ending}"
    make_database(str(path), "mimic_iv", hospital("mimic_iv", persons=50))
    assert MARKER.encode() in path.read_bytes()
    with closing(write_database(str(path))) as database:
        remove_patient_data(database, find_patient_data(database, ["7"]))
        compact(database)
    assert MARKER.encode() not in path.read_bytes()
    assert list(tmp_path.iterdir()) == [path]
    assert len(content(str(path), "mimic_iv")["labevents"]) == 49


def spoiled(location: Path) -> None:
    """A database with unknown tables, and rows of two patients."""
    make_database(str(location), "mimic_iv", hospital("mimic_iv"))
    with closing(sqlite3.connect(location)) as database, database:
        database.execute("CREATE TABLE scores (STAY_ID INT, score INT)")
        database.executemany("INSERT INTO scores VALUES (?, 1)", [(2007,), (2007,), (2008,)])
        database.execute("CREATE TABLE notes (words TEXT)")
        database.execute("INSERT INTO notes VALUES ('7')")
        database.execute("UPDATE labevents SET hadm_id = 1007 WHERE subject_id = 8")


def test_unknown_tables_are_searched_and_shared_rows_reported(tmp_path: Path) -> None:
    spoiled(tmp_path / "own.sqlite")
    with closing(write_database(str(tmp_path / "own.sqlite"))) as database:
        data = find_patient_data(database, ["7"])
        assert RowCounts("scores", 2) in data.tables
        assert RowCounts("labevents", 2, shared=1) in data.tables
        assert "notes" not in data.id_columns
        remove_patient_data(database, data)
        assert database.query("SELECT stay_id FROM scores") == [(2008,)]
        with pytest.raises(UserError, match="has no subject_id 7"):
            find_patient_data(database, ["7"])


def test_finding_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "own.sqlite"
    spoiled(path)
    before = path.read_bytes()
    with closing(write_database(str(path))) as database:
        find_patient_data(database, ["7", "3"])
    assert path.read_bytes() == before


def test_failed_removal_is_rolled_back(tmp_path: Path) -> None:
    path = tmp_path / "own.sqlite"
    spoiled(path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TRIGGER kept BEFORE DELETE ON patients BEGIN SELECT raise(abort, 'no'); END"
        )
    before = content(str(path), "mimic_iv")
    with closing(write_database(str(path))) as target, pytest.raises(Exception, match="no"):
        remove_patient_data(target, find_patient_data(target, ["7"]))
    assert content(str(path), "mimic_iv") == before


def test_remaining_rows_are_detected(tmp_path: Path) -> None:
    path = tmp_path / "own.sqlite"
    spoiled(path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TRIGGER back AFTER DELETE ON patients BEGIN"
            " INSERT INTO scores VALUES (2007, 2); END"
        )
    with closing(write_database(str(path))) as target:
        data = find_patient_data(target, ["7"])
        with pytest.raises(InfraError, match="are in scores again"):
            remove_patient_data(target, data)


@pytest.mark.parametrize("patients", [["77"], ["7", "x' OR '1'='1"], [MARKER]])
def test_unknown_patients_are_refused(tmp_path: Path, patients: list[str]) -> None:
    location = str(tmp_path / "all.sqlite")
    make_database(location, "mimic_iv", hospital("mimic_iv"))
    with (
        closing(write_database(location)) as database,
        pytest.raises(UserError, match="nothing was changed"),
    ):
        find_patient_data(database, patients)


def test_database_without_patients_is_refused(tmp_path: Path) -> None:
    with closing(write_database(str(tmp_path / "other.sqlite"))) as database:
        database.execute("CREATE TABLE things (id INT)")
        with pytest.raises(UserError, match="does not say which rows are whose"):
            find_patient_data(database, ["1"])


@settings(max_examples=8, database=None)
@given(st.sets(st.integers(1, 9), min_size=1), st.lists(st.tuples(*[st.integers(1, 9)] * 3)))
def test_remaining_rows_match_an_oracle(
    tmp_path_factory: pytest.TempPathFactory, gone: set[int], rows: list[tuple[int, int, int]]
) -> None:
    """Compare with an oracle over arbitrary persons, stays and unit stays."""
    path = tmp_path_factory.mktemp("removing") / "any.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE stays (subject_id INT, hadm_id INT, stay_id INT)")
        database.executemany("INSERT INTO stays VALUES (?, ?, ?)", rows)
        database.execute("CREATE TABLE people (subject_id INT)")
        database.executemany("INSERT INTO people VALUES (?)", [(n,) for n in range(1, 10)])
    visits = {hadm for person, hadm, _ in rows if person in gone}
    units = {unit for person, hadm, unit in rows if person in gone or hadm in visits}
    remaining = [row for row in rows if not (row[0] in gone or row[1] in visits or row[2] in units)]
    with closing(write_database(str(path))) as target:
        remove_patient_data(target, find_patient_data(target, [str(person) for person in gone]))
        assert target.query("SELECT * FROM stays ORDER BY rowid") == remaining
        assert target.query("SELECT count(*) FROM people") == [(9 - len(gone),)]
