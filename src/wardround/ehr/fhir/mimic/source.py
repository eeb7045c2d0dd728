"""Reads a DuckDB file in MIMIC-IV's layout as a stream of rows; absent tables read as empty."""

from collections import namedtuple
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wardround.core.errors import UserError
from wardround.core.packaged_data import read_text
from wardround.ehr.database.names import quote_text
from wardround.ehr.schema import NOTE_TABLES, Table, column_type, load_schema, recognise

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

LAYOUT = "mimic_iv"
_BATCH = 2_000
_COLUMNS = """
SELECT table_name, list(column_name) FROM duckdb_columns()
WHERE database_name = 'record' AND schema_name = 'main' GROUP BY table_name
"""


class Source:
    """An open database.

    Args:
        location: a DuckDB file.
        patients: read only the rows of these patients, by subject_id; empty for all.

    Attributes:
        absent: the layout's tables that it does not have.

    Raises:
        UserError: The file cannot be read, or has another layout.
    """

    def __init__(self, location: str, patients: Collection[int] = ()) -> None:
        self._location, self._connection = location, _open(location)
        # One thread keeps rows in the order of the file.
        self._connection.execute("SET threads = 1")
        columns = dict(self._connection.execute(_COLUMNS).fetchall())
        if recognise(columns) != LAYOUT:
            self.close()
            raise UserError(_other_layout(location))
        packaged_tables = (*load_schema(LAYOUT).tables, *NOTE_TABLES)
        tables = {table.name: _columns(table) for table in packaged_tables}
        for name in tables.keys() & columns.keys():
            whole = not patients or "subject_id" not in columns[name]
            rows = f"record.{name}" if whole else f"record.{name} WHERE {_among(patients)}"
            self._connection.execute(f"CREATE VIEW {name} AS FROM {rows}")
        self.absent = tuple(name for name in tables if name not in columns)
        for name in self.absent:
            self._connection.execute(f"CREATE TABLE {name} ({tables[name]})")
        self._connection.execute(read_text(__package__, "views.sql"))

    def rows(self, sql: str) -> Iterator[Any]:
        """The rows of a query as named tuples, read in batches.

        Raises:
            UserError: The tables are damaged, or lack a column.
        """
        with self._connection.cursor() as cursor:
            with self._explained():
                cursor.execute(sql)
            row = namedtuple("row", " ".join(name for name, *_ in cursor.description or ()))  # type: ignore[misc]
            while batch := self._batch(cursor):
                yield from map(row._make, batch)

    def _batch(self, cursor: "DuckDBPyConnection") -> list[tuple[Any, ...]]:
        with self._explained():
            return cursor.fetchmany(_BATCH)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        import duckdb

        try:
            yield
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise UserError(f"{self._location} cannot be read as MIMIC-IV: {reason}") from error

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()


def _open(location: str) -> "DuckDBPyConnection":
    import duckdb

    path = Path(location).expanduser()
    if not path.is_file():
        raise UserError(f"There is no database {location}; name a DuckDB file.")
    connection = duckdb.connect()
    try:
        connection.execute(f"ATTACH {quote_text(str(path))} AS record (READ_ONLY, TYPE duckdb)")
    except duckdb.Error as error:
        connection.close()
        reason = str(error).splitlines()[0]
        raise UserError(f"{location} cannot be opened as a DuckDB file: {reason}") from error
    return connection


def _among(patients: Collection[int]) -> str:
    return f"subject_id IN ({', '.join(str(int(each)) for each in sorted(patients))})"


def _columns(table: Table) -> str:
    return ", ".join(f'"{each.name}" {column_type(each, "duckdb")}' for each in table.columns)


def _other_layout(location: str) -> str:
    return (
        f"{location} is not in MIMIC-IV's layout; build one with `wardround data build mimic-iv` "
        "or `wardround data hospital --layout mimic_iv`."
    )
