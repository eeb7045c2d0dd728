"""A SQLite file being built, or read whole."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.core.errors import UserError
from wardround.core.private_files import create_file
from wardround.ehr.database import arrow
from wardround.ehr.database.engine import ArrowStream, TableSource
from wardround.ehr.database.interface import Cell
from wardround.ehr.schema import Table, create_statement

if TYPE_CHECKING:
    from adbc_driver_manager.dbapi import Connection

_CACHE = "PRAGMA cache_size = -65536"
_SETTINGS = (
    "PRAGMA page_size = 16384",
    _CACHE,
    # An interrupted build is repeated; committed data survives a crash of the process.
    "PRAGMA synchronous = OFF",
)


# SQLite's messages for SQLITE_CORRUPT and SQLITE_NOTADB.
_DAMAGED = ("database disk image is malformed", "file is not a database")


class SqliteTarget:
    """One SQLite file; see `Target`, and `TableSource` if its URI is read-only.

    Args:
        path: The file.
        uri: Its URI, which says how it is opened.
        settings: Pragmas of the connection.
    """

    dialect = "sqlite"

    def __init__(self, path: Path, uri: str, settings: Iterable[str]):
        self._path = path
        self._uri = uri
        self._closed = False
        self._connection = _connect(path, uri, settings)

    @property
    def location(self) -> str:
        """The file's path."""
        return str(self._path)

    def tables(self) -> list[str]:
        """The names of existing tables."""
        sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        return sorted(str(row[0]) for row in self.query(sql))

    def create(self, table: Table) -> None:
        """Create an empty table."""
        self.execute(create_statement(table, "sqlite"))

    def load(self, table: str, rows: ArrowStream) -> int:
        """Append rows."""
        with _damage_reported(self._path):
            return arrow.load(self._connection, table, rows)

    @contextmanager
    def read(self, sql: str) -> Iterator[ArrowStream]:
        """The rows of a query, streamed."""
        with _damage_reported(self._path), arrow.read(self._connection, sql) as rows:
            yield rows

    def query(self, sql: str) -> list[tuple[Cell, ...]]:
        """All rows of a small query; committed data only."""
        with _damage_reported(self._path), closing(self._committed()) as connection:
            return connection.execute(sql).fetchall()

    def _committed(self) -> sqlite3.Connection:
        return sqlite3.connect(self._uri, uri=True)

    def execute(self, sql: str) -> None:
        """Run one statement."""
        with _damage_reported(self._path):
            arrow.execute(self._connection, sql)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit the block's changes, or roll back if it raises."""
        from adbc_driver_manager import Error

        self.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            # SQLite rolls back by itself if the disk is full; ROLLBACK then fails.
            with suppress(Error):
                self.execute("ROLLBACK")
            raise
        self.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        if not self._closed:
            self._closed = True
            self._connection.close()


def _connect(path: Path, uri: str, settings: Iterable[str]) -> "Connection":
    from adbc_driver_sqlite import dbapi

    connection = dbapi.connect(uri, autocommit=True)
    try:
        with _damage_reported(path):
            for setting in settings:
                arrow.execute(connection, setting)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def _damage_reported(path: Path) -> Iterator[None]:
    """Turn an error about a damaged file into a `UserError` that names it.

    The ADBC driver, and DuckDB reading from it, report the damage in the message only.
    """
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        damage = next((text for text in _DAMAGED if text in str(error)), "")
        if not damage:
            raise
        raise UserError(f"Database {path} is damaged ({damage}); get a new copy.") from error


def write_file(location: str) -> SqliteTarget:
    """Open or create a file for writing."""
    from adbc_driver_manager import Error

    path = Path(location).expanduser()
    if not path.absolute().parent.is_dir():
        raise UserError(
            f"Database {path} cannot be written: there is no folder {path.parent}; make it first."
        )
    try:
        create_file(path)
        return SqliteTarget(path, path.absolute().as_uri(), _SETTINGS)
    except (Error, OSError) as error:
        raise UserError(f"Database {path} cannot be written ({error}).") from error


def read_file(location: str) -> TableSource:
    """Open an existing file for reading."""
    from adbc_driver_manager import Error

    path = Path(location).expanduser()
    try:
        return SqliteTarget(path, f"{path.absolute().as_uri()}?mode=ro", (_CACHE,))
    except (Error, OSError) as error:
        raise UserError(f"Database {path} cannot be read ({error}).") from error
