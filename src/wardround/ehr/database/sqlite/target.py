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
    # An interrupted build is repeated; committed data survives a crash of the process.
    "PRAGMA synchronous = OFF",
)


# SQLite's messages for SQLITE_CORRUPT and SQLITE_NOTADB.
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
            with _damage_reported(self._path):
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
        with _damage_reported(self._path), closing(sqlite3.connect(self._path)) as connection:
            return connection.execute(sql).fetchall()

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
    return SqliteTarget(Path(location).expanduser())
