"""Files that are no record or no writes: a sentence each, and the files stay as they are."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from wardround.core.errors import UserError
from wardround.ehr.fhir.inspection import inspect_record
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.sources import read_resources
from wardround.ehr.fhir.store.builder import build_record


@pytest.fixture
def record(tmp_path: Path) -> Record:
    build_record(tmp_path / "small.fhir", [{"resourceType": "Patient", "id": "p"}])
    return Record.open(tmp_path / "small.fhir")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "plain.sqlite"
    with closing(sqlite3.connect(path)) as opened:
        opened.execute("CREATE TABLE a (b)")
    return path


def test_a_record_that_was_cut_off_is_named(record: Record) -> None:
    with record.path.open("r+b") as file:
        file.truncate(9000)
    with pytest.raises(UserError, match=r"small\.fhir is damaged \(.*\); make it again\."):
        inspect_record(record.path)


def test_writes_go_to_no_file_of_another_kind(record: Record, database: Path) -> None:
    text = database.with_name("note.txt")
    text.write_text("A note that is no database, and longer than a header of SQLite. " * 20)
    for path in (database, text, record.path):
        before = path.read_bytes()
        with pytest.raises(UserError, match=f"{path.name} holds no writes over a record; name"):
            record.workspace(writes=path)
        assert path.read_bytes() == before


def test_resources_are_not_read_from_a_database_of_another_kind(database: Path) -> None:
    with pytest.raises(UserError, match=r"cannot be opened as a DuckDB file: (?!.*extension)"):
        next(read_resources(str(database)))
