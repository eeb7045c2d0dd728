"""Copies of a database for people who may see some patients only."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from tests.ehr.ingest.test_patient_removal import FORMS, MARKER, content, hospital, spoiled
from tests.ehr.making import make_database
from wardround.core.errors import UserError
from wardround.ehr.database import QueryError, open_database, write_database
from wardround.ehr.ingest.patient_scope import scoped_copy

ATTACKS = Path(__file__).with_name("patient_scope_attacks.txt").read_text().splitlines()


def scoped(source: Path, *patients: str, masked: tuple[str, ...] = ()) -> str:
    folder = source.parent / "scoped"
    folder.mkdir()
    return scoped_copy(str(source), folder, patients, masked)


@pytest.mark.parametrize("schema", FORMS)
@pytest.mark.parametrize("ending", ["sqlite", "duckdb"])
def test_only_the_rows_of_the_patients_are_copied(tmp_path: Path, schema: str, ending: str) -> None:
    source = tmp_path / f"all.{ending}"
    make_database(str(source), schema, hospital(schema))
    patient = "00{}-x" if "eicu" in schema else "{}"
    before = content(str(source), schema)
    after = content(scoped(source, patient.format(3), patient.format(5)), schema)
    assert {len(rows) for rows in after.values()} == {1, 2}
    assert all(len(after[table]) == (2 if len(rows) == 9 else 1) for table, rows in before.items())
    assert all(set(after[table]) <= set(rows) for table, rows in before.items())
    assert content(str(source), schema) == before


@pytest.mark.parametrize("ending", ["sqlite", "duckdb"])
def test_no_byte_of_another_patient_is_copied(tmp_path: Path, ending: str) -> None:
    source = tmp_path / f"all.{ending}"
    make_database(str(source), "mimic_iv", hospital("mimic_iv"))
    assert MARKER.encode() in source.read_bytes()
    copy = Path(scoped(source, "3"))
    assert MARKER.encode() not in copy.read_bytes()
    assert list(copy.parent.iterdir()) == [copy]
    assert copy.stat().st_mode & 0o077 == 0


def test_rows_of_two_patients_and_unknown_tables_are_left_out(tmp_path: Path) -> None:
    source = tmp_path / "own.sqlite"
    spoiled(source)
    with closing(sqlite3.connect(source)) as database, database:
        database.execute("INSERT INTO scores VALUES (2006, 1)")
        database.execute(
            "CREATE TRIGGER t DELETE ON labevents BEGIN "
            "INSERT INTO notes VALUES (old.subject_id); END"
        )
    with closing(sqlite3.connect(scoped(source, "7", "6"))) as copy:
        assert copy.execute("SELECT count(*) FROM notes").fetchone() == (0,)
        assert copy.execute("SELECT subject_id FROM patients ORDER BY 1").fetchall() == [(6,), (7,)]
        # Admission 1007 is in a row of patient 8 too, so that nobody sees it or its stays.
        assert copy.execute("SELECT STAY_ID FROM scores").fetchall() == [(2006,)]
        assert copy.execute("SELECT hadm_id FROM admissions").fetchall() == [(1006,)]


@pytest.mark.parametrize("ending", ["sqlite", "duckdb"])
@pytest.mark.parametrize("attack", [line for line in ATTACKS if line and line[0] != "#"])
def test_no_statement_reaches_another_patient_or_a_masked_column(
    tmp_path: Path, ending: str, attack: str
) -> None:
    source = tmp_path / f"all.{ending}"
    make_database(str(source), "mimic_iv", hospital("mimic_iv"))
    with closing(write_database(str(source))) as whole:
        whole.execute(f"UPDATE labevents SET comments = '{MARKER}' WHERE subject_id = 3")
    copy = scoped(source, "3", masked=("labevents.comments",))
    sql = attack.replace("SOURCE", str(source))
    with closing(open_database(copy)) as database:
        try:
            rows = str(database.execute(sql).rows)
        except QueryError as error:
            rows = str(error).replace(sql, "")
    assert MARKER not in rows
    assert "1007" not in rows


@pytest.mark.parametrize("ending", ["sqlite", "duckdb"])
def test_masked_columns_hold_nothing(tmp_path: Path, ending: str) -> None:
    source = tmp_path / f"all.{ending}"
    make_database(str(source), "mimic_iv", hospital("mimic_iv"))
    copy = scoped(source, masked=("patients.dod", "labevents.comments"))
    with closing(open_database(copy)) as database:
        counts = "SELECT count(*), count(dod) FROM patients"
        assert database.execute(counts).rows == [(9, 0)]
        counts = "SELECT count(*), count(comments) FROM labevents"
        assert database.execute(counts).rows == [(9, 0)]


def refusal(source: Path, patient: str, *masked: str) -> str:
    with pytest.raises(UserError) as refused:
        scoped(source, patient, masked=masked)
    shutil.rmtree(source.parent / "scoped")
    return str(refused.value)


def test_what_cannot_be_withheld_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "all.duckdb"
    make_database(str(source), "mimic_iv", hospital("mimic_iv"))
    assert "has no subject_id 70" in refusal(source, "70")
    assert "no column patients.name to mask" in refusal(source, "7", "patients.name")
    assert "may not be NULL" in refusal(source, "7", "patients.subject_id")
    with duckdb.connect(source) as connection:
        connection.execute("CREATE SCHEMA other; CREATE TABLE other.patients (subject_id INT)")
    assert "tables outside of the schema main (patients)" in refusal(source, "7")
    with pytest.raises(UserError, match="serve a SQLite or DuckDB file"):
        scoped_copy("postgresql:ward", tmp_path, ["7"])
    unknown = tmp_path / "unknown.sqlite"
    with closing(sqlite3.connect(unknown)) as database, database:
        database.execute("CREATE TABLE people (number INT)")
    assert "does not say which rows are whose" in refusal(unknown, "7")
