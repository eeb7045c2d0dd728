"""Opening, describing and reading a SQLite database."""

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from wardround.core.errors import UserError
from wardround.ehr.database import (
    ColumnInfo,
    Database,
    Limits,
    QueryError,
    empty_tables,
    find_column,
    open_database,
)

_TABLES = """
create table Patients (id integer primary key, name text not null);
insert into Patients values (1, 'ann'), (2, 'bob'), (3, 'cid');
create table "odd ""table" (a int, b, patient int references Patients(id), primary key (b, a));
create view names as select name from Patients;
"""


def _make(path: Path, script: str = _TABLES) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()
    return path


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(_make(tmp_path / "ward.sqlite"))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("missing.sqlite", None, "does not exist"),
        ("packed.sqlite.gz", b"\x1f\x8b", "unpack it"),
        ("nothing.db", b"", "is empty"),
        ("notes.sqlite", b"subject_id,hadm_id\n1,2\n", "no installed engine"),
        ("broken.sqlite", b"SQLite format 3\x00" + b"x" * 2000, "cannot be read"),
    ],
)
def test_other_files_are_refused_by_name(
    tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=words) as caught:
        open_database(tmp_path / name)
    assert name in str(caught.value)


def test_folder_and_database_without_tables_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is a folder"):
        open_database(tmp_path)
    bare = _make(tmp_path / "bare.db", "create table t (x); drop table t;")
    with pytest.raises(UserError, match="has no tables"):
        open_database(bare)


def test_schema_is_described(database: Database) -> None:
    assert (database.name, database.dialect) == ("ward", "sqlite")
    assert database.tables() == ["Patients", 'odd "table', "names"]
    assert database.columns("patients") == [
        ColumnInfo("id", "INTEGER", primary_key=1),
        ColumnInfo("name", "TEXT", nullable=False),
    ]
    assert database.definition('odd "table').splitlines()[1:] == [
        "    a INT,",
        "    b,",
        "    patient INT,",
        "    PRIMARY KEY (b, a),",
        "    FOREIGN KEY (patient) REFERENCES Patients(id)",
        ")",
    ]
    assert database.sample("PATIENTS", 2).rows == [(1, "ann"), (2, "bob")]
    assert empty_tables(database) == ['odd "table']


def test_a_database_with_a_full_text_index_opens_without_it(tmp_path: Path) -> None:
    path = tmp_path / "notes.sqlite"
    with closing(sqlite3.connect(path)) as made, made:
        made.executescript("create virtual table words using fts5(note); create table a (b int)")
    with closing(open_database(str(path))) as database:
        assert "words" not in database.tables()
        assert "a" in database.tables()


def test_unknown_names_are_answered_with_the_known(database: Database) -> None:
    with pytest.raises(QueryError, match="Patients"):
        database.columns("persons")
    with pytest.raises(QueryError, match="id, name"):
        find_column(database, "Patients", "surname")


@pytest.mark.parametrize(
    ("rows", "kept", "truncated"), [(2, 2, True), (3, 3, False), (None, 3, False), (0, 0, True)]
)
def test_rows_are_kept_up_to_the_limit(
    database: Database, rows: int | None, kept: int, truncated: bool
) -> None:
    table = database.execute("select id, name from Patients", rows=rows)
    assert table.columns == ("id", "name")
    assert (len(table.rows), table.truncated) == (kept, truncated)


def test_result_that_is_too_large_is_refused(tmp_path: Path) -> None:
    opened = open_database(_make(tmp_path / "ward.sqlite"), Limits(result_bytes=500))
    with closing(opened) as database:
        _refuses_large_results(database)


def _refuses_large_results(database: Database) -> None:
    assert database.execute("select 'x' from Patients").rows == [("x",)] * 3
    with pytest.raises(QueryError, match="500 bytes") as caught:
        database.execute("select hex(zeroblob(100)) from Patients")
    assert caught.value.kind == "limit"


def test_many_threads_read_at_once(database: Database) -> None:
    def counted(end: int) -> object:
        return database.execute(
            f"with recursive n(i) as (select 1 union all select i + 1 from n where i < {end})"
            " select count(*) from n"
        ).rows[0][0]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(counted, range(1, 200))) == list(range(1, 200))


def test_closing_stops_running_and_later_statements(database: Database) -> None:
    endless = (
        "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    )
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(database.execute, endless)
        while not running.running():
            pass
        database.execute("select 1")
        while not running.done():
            database.close()
        assert isinstance(running.exception(), QueryError | UserError)
    with pytest.raises(UserError, match="closed"):
        database.execute("select 1")


def test_fingerprint_follows_content_not_path(tmp_path: Path) -> None:
    path = _make(tmp_path / "ward.sqlite")
    copy = Path(shutil.copy(path, tmp_path / "copy.sqlite"))
    with closing(open_database(path)) as database, closing(open_database(copy)) as copied:
        first = database.fingerprint()
        assert copied.fingerprint() == first
        _make(path, "update Patients set name = 'eve' where id = 1")
        assert database.fingerprint() != first
        assert copied.fingerprint() == first


def test_memory_of_sorting_is_bounded(tmp_path: Path) -> None:
    path = _make(tmp_path / "ward.sqlite")
    code = f"""
from wardround.ehr.database import Limits, QueryError, open_database
database = open_database({str(path)!r}, Limits(heap_bytes=20_000_000))
try:
    database.execute(
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000000)"
        " select i from n order by random()"
    )
except QueryError as error:
    print(error.kind, database.execute("select 1").rows)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "limit [(1,)]\n"


@pytest.mark.parametrize("page", range(1, 12, 3))
@pytest.mark.parametrize("junk", [b"\0", b"\xff", b"ab"])
def test_a_damaged_file_is_named_with_its_path(tmp_path: Path, page: int, junk: bytes) -> None:
    path = tmp_path / "damaged.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("create table notes (text)")
        connection.executemany("insert into notes values (?)", [["x" * 50]] * 2000)
    content = bytearray(path.read_bytes())
    content[page * 4096 : (page + 8) * 4096] = junk * (8 * 4096 // len(junk))
    path.write_bytes(content)
    database = open_database(str(path))
    with pytest.raises(UserError, match=r"damaged\.sqlite is damaged .*get a new copy"):
        database.execute("select sum(length(text)) from notes")
    database.close()
