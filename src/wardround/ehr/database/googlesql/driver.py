"""Answers queries in BigQuery's dialect from a DuckDB file."""

from dataclasses import replace
from pathlib import Path

from wardround.core.errors import UserError
from wardround.ehr.database.driver import CATALOGUE_SECONDS, Driver
from wardround.ehr.database.duckdb.driver import DUCKDB
from wardround.ehr.database.engine import engine_of
from wardround.ehr.database.file_driver import FileDriver
from wardround.ehr.database.file_format import check_length
from wardround.ehr.database.googlesql.engine import SCHEME
from wardround.ehr.database.googlesql.names import Names
from wardround.ehr.database.googlesql.overlay import Overlay
from wardround.ehr.database.googlesql.statements import TYPES, Request
from wardround.ehr.database.googlesql.strictness import analyser
from wardround.ehr.database.interface import ColumnInfo, Limits, ResultTable
from wardround.ehr.database.names import quote_name

_OPTION = "without="

_FORMAT = replace(
    DUCKDB,
    dialect="bigquery",
    reading="wardround.ehr.database.googlesql.statements:open_reading",
    writing="",
    libraries=("duckdb", "sqlglot.dialects.duckdb"),
)
# Bytes that a request has beside its query.
_HEAD_BYTES = 10_000


class GoogleSqlDriver:
    """A DuckDB database that is sent BigQuery's dialect; see `Driver`.

    Args:
        catalogue: The DuckDB database, asked for its tables only.
        queries: The same file, whose processes check and translate what they run.
        limits: Limits of a query.
        hidden: A patient whose rows no query reaches.
        owner: False if another driver closes the database.
    """

    dialect = "bigquery"

    def __init__(
        self,
        catalogue: Driver,
        queries: Driver,
        limits: Limits,
        hidden: int | None = None,
        *,
        owner: bool = True,
    ) -> None:
        self._catalogue = catalogue
        self._queries = queries
        self._limits = limits
        self._hidden = hidden
        self._owner = owner
        self.name = catalogue.name
        without = f"?without={hidden}" if hidden is not None else ""
        self.url = f"{SCHEME}{catalogue.url}{without}"

    def run(self, sql: str, rows: int | None, seconds: float, memory: int | None) -> ResultTable:
        """Check, translate and run one query, in a separate process."""
        check_length(sql, self._limits)
        module = analyser.compiled_module()
        request = Request(sql, self._hidden, str(module) if module else None)
        return self._queries.run(request.text, rows, seconds, memory)

    def hiding(self, subject_id: int) -> "GoogleSqlDriver":
        """The same database without one patient; it is closed with this one."""
        return GoogleSqlDriver(
            self._catalogue, self._queries, self._limits, subject_id, owner=False
        )

    def tables(self) -> list[str]:
        """The tables and views, in the order in which they were made."""
        return self._catalogue.tables()

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of a table, in order, with BigQuery's types."""
        return [
            ColumnInfo(
                column.name,
                TYPES.get(column.type, column.type),
                column.nullable,
                column.primary_key,
                column.references,
            )
            for column in self._catalogue.columns(table)
        ]

    def sample(self, table: str, rows: int) -> ResultTable:
        """Some rows of a table."""
        columns = tuple(column.name for column in self._catalogue.columns(table))
        overlay = Overlay(self._hidden) if self._hidden is not None else None
        source = Names({table: columns}, overlay).source(table).sql("duckdb")
        sql = f"SELECT * FROM {source} AS {quote_name(table)} LIMIT {int(rows)}"  # noqa: S608
        return self._catalogue.run(sql, rows, CATALOGUE_SECONDS, None)

    def fingerprint(self) -> str:
        """The fingerprint of the file, and of whom it hides."""
        file = self._catalogue.fingerprint()
        return file if self._hidden is None else f"{file}-without-{self._hidden}"

    def close(self) -> None:
        """Close the file."""
        if self._owner:
            self._queries.close()
            self._catalogue.close()


def open_file(location: str, limits: Limits) -> GoogleSqlDriver:
    """Open a DuckDB file for queries in BigQuery's dialect.

    Raises:
        UserError: It is missing or is not a DuckDB file.
    """
    named, hidden = read_location(location)
    path = Path(named).expanduser()
    if not path.is_file():
        raise UserError(f"Database {named} does not exist; check the path.")
    database = engine_of(named).open(named, limits)
    if database.dialect != "duckdb":
        database.close()
        raise UserError(
            f"Database {named} is no DuckDB file; BigQuery's dialect runs on DuckDB only: build one"
            " with a name that ends in .duckdb."
        )
    outer_limits = replace(limits, sql_bytes=limits.sql_bytes + _HEAD_BYTES)
    return GoogleSqlDriver(database.driver, FileDriver(path, _FORMAT, outer_limits), limits, hidden)


def read_location(location: str) -> tuple[str, int | None]:
    """The file's path, and the patient whom the location hides.

    >>> read_location("googlesql:ward.duckdb?without=10003217")
    ('ward.duckdb', 10003217)

    Raises:
        UserError: If it has another option, or the patient is not a number.
    """
    path, mark, option = location.removeprefix(SCHEME).partition("?")
    if not mark:
        return path, None
    number = option.removeprefix(_OPTION)
    if not option.startswith(_OPTION) or not number.isdecimal():
        raise UserError(
            f"Database {location} has an unknown option; write googlesql:FILE?without=SUBJECT_ID."
        )
    return path, int(number)
