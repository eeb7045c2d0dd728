"""A DuckDB file being built, or read whole."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from wardround.core.errors import UserError
from wardround.core.private_files import private_umask
from wardround.ehr.database.arrow import Stream
from wardround.ehr.database.engine import ArrowStream, TableSource, transaction
from wardround.ehr.database.interface import Cell
from wardround.ehr.schema import Table, create_statement, quoted, reference_statements

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def create_database(path: Path) -> None:
    """Create an empty database readable by its owner only; DuckDB does not open an empty file."""
    import duckdb

    with private_umask():
        duckdb.connect(path).close()


class DuckdbTarget:
    """One DuckDB file; see `Target`, and `TableSource` if the connection is read-only.

    DuckDB makes its write-ahead log anew, with the umask's mode, at the first write after each
    checkpoint.
    """

    dialect = "duckdb"

    def __init__(self, path: Path, connection: "DuckDBPyConnection"):
        self._path = path
        self._connection = connection

    @property
    def location(self) -> str:
        """The file's path."""
        return str(self._path)

    def tables(self) -> list[str]:
        """The names of existing tables, in alphabetical order."""
        sql = "SELECT table_name FROM duckdb_tables() WHERE NOT temporary ORDER BY 1"
        return [str(row[0]) for row in self.query(sql)]

    def create(self, table: Table) -> None:
        """Create an empty table."""
        for statement in (create_statement(table, "duckdb"), *reference_statements(table)):
            self.execute(statement)

    def load(self, table: str, rows: ArrowStream) -> int:
        """Append rows."""
        # DuckDB resolves `stream` in SQL to this local variable.
        stream = Stream(rows)  # noqa: F841
        sql = f"INSERT INTO {quoted(table)} FROM stream"
        with private_umask():
            loaded = self._connection.execute(sql)
        return int(loaded.fetchall()[0][0])

    @contextmanager
    def read(self, sql: str) -> Iterator[ArrowStream]:
        """The rows of a query, streamed; includes uncommitted changes of the transaction."""
        yield Stream(self._connection.sql(sql))

    def query(self, sql: str) -> list[tuple[Cell, ...]]:
        """All rows of a small query."""
        return self._connection.execute(sql).fetchall()

    def execute(self, sql: str) -> None:
        """Run one statement."""
        with private_umask():
            self._connection.execute(sql)

    def transaction(self) -> AbstractContextManager[None]:
        """Commit the block's changes, or roll back if it raises."""
        return transaction(self)

    def close(self) -> None:
        """Close the file."""
        with private_umask():
            self._connection.close()


def write_file(location: str) -> DuckdbTarget:
    """Open or create a file for writing."""
    import duckdb

    path = Path(location).expanduser()
    try:
        if not path.exists():
            create_database(path)
        return DuckdbTarget(path, duckdb.connect(path))
    except (duckdb.Error, OSError) as error:
        raise UserError(f"Database {path} cannot be written ({error}).") from error


def read_file(location: str) -> TableSource:
    """Open an existing file for reading."""
    import duckdb

    path = Path(location).expanduser()
    try:
        return DuckdbTarget(path, duckdb.connect(path, read_only=True))
    except (duckdb.Error, OSError) as error:
        raise UserError(f"Database {path} cannot be read ({error}).") from error
