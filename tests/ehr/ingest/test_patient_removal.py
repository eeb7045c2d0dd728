"""Removing patients: everything of theirs goes, nothing of others, and the bytes go too."""

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
from wardround.ehr.ingest.patient_removal import Trace, find_traces, remove
from wardround.ehr.schema import load_schema, quoted

# The identifying columns of each form, from the person down, and where stays are told apart.
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
    """One row of every table for each person; who is who is in every identifying column."""
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
def test_all_of_a_patient_goes_and_nothing_else(tmp_path: Path, schema: str, engine: str) -> None:
    with made_database(engine, tmp_path, []) as location:
        make_database(location, schema, hospital(schema))
        before = content(location, schema)
        with closing(write_database(location)) as database:
            traces = find_traces(database, ["007-x" if "eicu" in schema else "7"])
            remove(database, traces)
            compact(database)
        after = content(location, schema)
    gone = {
        table: [row for row in rows if row not in after[table]] for table, rows in before.items()
    }
    holders = {table for table, rows in before.items() if len(rows) == 9}
    assert {table for table, rows in gone.items() if rows} == holders
    assert all(len(gone[table]) == 1 and len(after[table]) == 8 for table in holders)
    assert {trace.table for trace in traces.found} == holders


@pytest.mark.parametrize("ending", ["sqlite", "duckdb"])
def test_the_bytes_go_too(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"all.{ending}"
    make_database(str(path), "mimic_iv", hospital("mimic_iv", persons=200))
    assert MARKER.encode() in path.read_bytes()
    with closing(write_database(str(path))) as database:
        remove(database, find_traces(database, ["7"]))
        compact(database)
    assert MARKER.encode() not in path.read_bytes()
    assert list(tmp_path.iterdir()) == [path]
    assert len(content(str(path), "mimic_iv")["labevents"]) == 199


def spoiled(location: Path) -> None:
    """Tables that no schema knows, and rows that name two patients."""
    make_database(str(location), "mimic_iv", hospital("mimic_iv"))
    with closing(sqlite3.connect(location)) as database, database:
        database.execute("CREATE TABLE scores (STAY_ID INT, score INT)")
        database.executemany("INSERT INTO scores VALUES (?, 1)", [(2007,), (2007,), (2008,)])
        database.execute("CREATE TABLE notes (words TEXT)")
        database.execute("INSERT INTO notes VALUES ('7')")
        database.execute("UPDATE labevents SET hadm_id = 1007 WHERE subject_id = 8")


def test_tables_of_ones_own_are_searched_and_shared_rows_are_told(tmp_path: Path) -> None:
    spoiled(tmp_path / "own.sqlite")
    with closing(write_database(str(tmp_path / "own.sqlite"))) as database:
        traces = find_traces(database, ["7"])
        assert Trace("scores", 2) in traces.found
        assert Trace("labevents", 2, shared=1) in traces.found
        assert "notes" not in traces.holders
        remove(database, traces)
        assert database.query("SELECT stay_id FROM scores") == [(2008,)]
        with pytest.raises(UserError, match="has no subject_id 7"):
            find_traces(database, ["7"])


def test_looking_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "own.sqlite"
    spoiled(path)
    before = path.read_bytes()
    with closing(write_database(str(path))) as database:
        find_traces(database, ["7", "3"])
    assert path.read_bytes() == before


def test_a_removal_that_fails_half_way_removes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "own.sqlite"
    spoiled(path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TRIGGER kept BEFORE DELETE ON patients BEGIN SELECT raise(abort, 'no'); END"
        )
    before = content(str(path), "mimic_iv")
    with closing(write_database(str(path))) as target, pytest.raises(Exception, match="no"):
        remove(target, find_traces(target, ["7"]))
    assert content(str(path), "mimic_iv") == before


def test_a_row_that_is_still_there_is_not_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "own.sqlite"
    spoiled(path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TRIGGER back AFTER DELETE ON patients BEGIN"
            " INSERT INTO scores VALUES (2007, 2); END"
        )
    with closing(write_database(str(path))) as target:
        traces = find_traces(target, ["7"])
        with pytest.raises(InfraError, match="are in scores again"):
            remove(target, traces)


@pytest.mark.parametrize("patients", [["77"], ["7", "x' OR '1'='1"], [MARKER]])
def test_unknown_patients_are_said_and_nobody_is_removed(
    tmp_path: Path, patients: list[str]
) -> None:
    location = str(tmp_path / "all.sqlite")
    make_database(location, "mimic_iv", hospital("mimic_iv"))
    with (
        closing(write_database(location)) as database,
        pytest.raises(UserError, match="nothing was removed"),
    ):
        find_traces(database, patients)


def test_a_database_without_patients_is_refused(tmp_path: Path) -> None:
    with closing(write_database(str(tmp_path / "other.sqlite"))) as database:
        database.execute("CREATE TABLE things (id INT)")
        with pytest.raises(UserError, match="does not say which rows are whose"):
            find_traces(database, ["1"])


@settings(max_examples=8, database=None)
@given(st.sets(st.integers(1, 9), min_size=1), st.lists(st.tuples(*[st.integers(1, 9)] * 3)))
def test_what_is_left_is_what_names_none_of_them(
    tmp_path_factory: pytest.TempPathFactory, gone: set[int], rows: list[tuple[int, int, int]]
) -> None:
    """Against an oracle over rows of any persons, stays and unit stays."""
    path = tmp_path_factory.mktemp("removing") / "any.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE stays (subject_id INT, hadm_id INT, stay_id INT)")
        database.executemany("INSERT INTO stays VALUES (?, ?, ?)", rows)
        database.execute("CREATE TABLE people (subject_id INT)")
        database.executemany("INSERT INTO people VALUES (?)", [(n,) for n in range(1, 10)])
    visits = {hadm for person, hadm, _ in rows if person in gone}
    units = {unit for person, hadm, unit in rows if person in gone or hadm in visits}
    kept = [row for row in rows if not (row[0] in gone or row[1] in visits or row[2] in units)]
    with closing(write_database(str(path))) as target:
        remove(target, find_traces(target, [str(person) for person in gone]))
        assert target.query("SELECT * FROM stays ORDER BY rowid") == kept
        assert target.query("SELECT count(*) FROM people") == [(9 - len(gone),)]
