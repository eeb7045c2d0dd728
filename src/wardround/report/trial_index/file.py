"""The SQLite file of an index: its place and its tables."""

import hmac
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from wardround.core.folders import cache_folder
from wardround.core.private_files import create_file, make_folder
from wardround.core.run_document import INDEX, SETTINGS
from wardround.core.run_key import run_key
from wardround.core.run_reader import read_settings

_VERSION = 4
_PATIENCE, _PAUSE = 20.0, 0.01  # seconds that others may hold the file, and between tries
# `round` counts how often a file was begun anew; rows of an earlier round go when it is read.
_TABLES = """
CREATE TABLE state (owner TEXT, version INTEGER);
CREATE TABLE files (
    name TEXT PRIMARY KEY, stamp TEXT, node INTEGER, tail BLOB, offset INTEGER, lines INTEGER,
    mac TEXT, round INTEGER, is_read INTEGER);
CREATE TABLE trials (
    number INTEGER PRIMARY KEY AUTOINCREMENT, task TEXT, trial INTEGER, outcome TEXT,
    round INTEGER, has_words INTEGER DEFAULT 0, UNIQUE (task, trial));
CREATE INDEX by_outcome ON trials (outcome, number);
CREATE INDEX without_words ON trials (number) WHERE NOT has_words;
CREATE TABLE records (number INTEGER PRIMARY KEY, record TEXT);
CREATE TABLE labels (name TEXT, value TEXT, number INTEGER);
CREATE INDEX by_label ON labels (name, value, number);
CREATE INDEX by_number ON labels (number);
CREATE TABLE label_values (name TEXT, value TEXT, trials INTEGER, PRIMARY KEY (name, value));
CREATE VIRTUAL TABLE words USING fts5 (
    text, content='', detail='none', tokenize="unicode61 tokenchars '.'");
CREATE TABLE verdicts (
    task TEXT, trial INTEGER, trajectory INTEGER, offset INTEGER, length INTEGER, round INTEGER);
CREATE INDEX of_trial ON verdicts (task, trial);
CREATE TABLE marks (task TEXT, trial INTEGER, label TEXT);
CREATE INDEX by_mark ON marks (label, task, trial);
CREATE TABLE results (trials INTEGER, stamp TEXT, content TEXT);
"""


def opened_file(folder: Path) -> sqlite3.Connection:
    """The index of a run, made anew if it is damaged, or of another run, user or version.

    It lies beside the run, or in the cache if that folder is read-only. An index that came with a
    run from somebody else is never read, since it could say anything about the run.

    Raises:
        UserError: the folder is not a run.
    """
    owner = _owner(folder)
    path = _writable_path(folder)
    try:
        return _with_tables(path, owner)
    except sqlite3.DatabaseError as error:
        if _is_busy(error):  # an index that others write is not damaged
            raise
    for end in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    return _with_tables(_writable_path(folder), owner)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """A block whose changes are written together, while no other process writes."""
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        yield


def _owner(folder: Path) -> str:
    """A name of the run and its reader that nobody else can make."""
    read_settings(folder)  # which says what is wrong with it
    document = (folder / SETTINGS).read_bytes()
    return hmac.digest(run_key(), b"index " + sha256(document).digest(), "sha256").hex()


def _writable_path(folder: Path) -> Path:
    beside = folder / INDEX
    with suppress(OSError):
        create_file(beside)
        return beside
    cached = cache_folder() / "indexes"
    make_folder(cached)
    path = cached / f"{sha256(bytes(folder.resolve())).hexdigest()[:32]}.sqlite"
    create_file(path)
    return path


def _with_tables(path: Path, owner: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    try:
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        if _state(connection) != (owner, _VERSION):
            with transaction(connection):
                if _state(connection) != (owner, _VERSION):
                    _begin_anew(connection, owner)
        return connection
    except BaseException:
        connection.close()
        raise


def _use_wal(connection: sqlite3.Connection) -> None:
    """Let pages be read while the index grows; SQLite does not wait for others to switch."""
    ends = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.DatabaseError as error:
            if not _is_busy(error) or time.monotonic() > ends:
                raise
        time.sleep(_PAUSE)


def _is_busy(error: sqlite3.DatabaseError) -> bool:
    """True if another connection holds a lock."""
    code = error.sqlite_errorcode & 0xFF  # the primary code of an extended one
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)


def _state(connection: sqlite3.Connection) -> tuple[str, int] | None:
    with suppress(sqlite3.OperationalError):  # it has no tables
        row: tuple[str, int] | None = connection.execute(
            "SELECT owner, version FROM state"
        ).fetchone()
        return row
    return None


def _begin_anew(connection: sqlite3.Connection, owner: str) -> None:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    tables = [name for (name,) in connection.execute(query) if not name.startswith("words_")]
    for table in tables:
        connection.execute(f'DROP TABLE "{table}"')
    for statement in _TABLES.split(";"):
        connection.execute(statement)
    connection.execute("INSERT INTO state VALUES (?, ?)", (owner, _VERSION))
