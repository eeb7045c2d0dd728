"""A SQLite file being built."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from wardround.core.errors import UserError
from wardround.core.private_files import create_file
from wardround.ehr.database import arrow
from wardround.ehr.database.engine import ArrowStream
from wardround.ehr.database.interface import Cell
from wardround.ehr.schema import Table, create_statement

_SETTINGS = (
    "PRAGMA page_size = 16384",
    "PRAGMA cache_size = -65536",
    # A build that is cut off is built again; what is committed survives a crash of the process.
    "PRAGMA synchronous = OFF",
)


# SQLite's texts of SQLITE_CORRUPT and SQLITE_NOTADB.
_DAMAGED = ("database disk image is malformed", "file is not a database")


class SqliteTarget:
    """Writes one SQLite file; see `Target`."""

    dialect = "sqlite"

    def __init__(self, path: Path):
        from adbc_driver_manager import Error
        from adbc_driver_sqlite import dbapi

        self._path = path
        self._closed = False
        if not path.absolute().parent.is_dir():
            raise UserError(
                f"Database {path} cannot be written: there is no folder {path.parent}; make it "
                "first."
            )
        try:
            create_file(path)
            self._connection = dbapi.connect(path.absolute().as_uri(), autocommit=True)
            self._set()
        except (Error, OSError) as error:
            raise UserError(f"Database {path} cannot be written ({error}).") from error

    def _set(self) -> None:
        try:
            with _named(self._path):
                for setting in _SETTINGS:
                    arrow.execute(self._connection, setting)
        except BaseException:
            self.close()
            raise

    @property
    def location(self) -> str:
        """The file's path."""
        return str(self._path)

    def tables(self) -> list[str]:
        """The tables that are there."""
        sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        return sorted(str(row[0]) for row in self.query(sql))

    def create(self, table: Table) -> None:
        """Make an empty table."""
        self.execute(create_statement(table, "sqlite"))

    def load(self, table: str, rows: ArrowStream) -> int:
        """Append rows."""
        with _named(self._path):
            return arrow.load(self._connection, table, rows)

    @contextmanager
    def read(self, sql: str) -> Iterator[ArrowStream]:
        """The rows of a query, streamed."""
        with _named(self._path), arrow.read(self._connection, sql) as rows:
            yield rows

    def query(self, sql: str) -> list[tuple[Cell, ...]]:
        """The rows of a small query, as committed."""
        with _named(self._path), closing(sqlite3.connect(self._path)) as connection:
            return connection.execute(sql).fetchall()

    def execute(self, sql: str) -> None:
        """Run one statement."""
        with _named(self._path):
            arrow.execute(self._connection, sql)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing."""
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


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Say which file is damaged, where that is the reason of a failure.

    SQLite's driver for Arrow, and DuckDB that reads from it, tell by the text alone.
    """
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        found = next((text for text in _DAMAGED if text in str(error)), "")
        if not found:
            raise
        raise UserError(f"Database {path} is damaged ({found}); get a new copy.") from error


def write_file(location: str) -> SqliteTarget:
    """Open or make a file for writing."""
    return SqliteTarget(Path(location).expanduser())
