"""Quotes SQL identifiers and literals, and looks up tables and columns ignoring case."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from wardround.ehr.database.interface import ColumnInfo, QueryError

if TYPE_CHECKING:
    from wardround.ehr.database.database import Database


def quote_name(name: str) -> str:
    """Quote an identifier for SQL.

    >>> print(quote_name('5" scar, old'))
    "5"" scar, old"
    """
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """Quote a text as a standard SQL literal.

    >>> quote_text("crohn's disease")
    "'crohn''s disease'"
    """
    return "'" + text.replace("'", "''") + "'"


def find_table(database: "Database", table: str) -> str:
    """The table's exact name in the database, looked up ignoring case.

    Raises:
        QueryError: If there is no such table; the message lists the tables.
    """
    tables = database.tables()
    name = _same_name(table, tables)
    if name is None:
        raise QueryError(f"There is no table {table!r}; there are: {', '.join(tables)}.", "runtime")
    return name


def find_column(database: "Database", table: str, column: str) -> ColumnInfo:
    """The column of that name, looked up ignoring case.

    Raises:
        QueryError: If table or column is missing; the message lists the existing ones.
    """
    columns = {info.name: info for info in database.columns(table)}
    name = _same_name(column, columns)
    if name is None:
        message = f"Table {table!r} has no column {column!r}; it has: {', '.join(columns)}."
        raise QueryError(message, "runtime")
    return columns[name]


def _same_name(name: str, names: Iterable[str]) -> str | None:
    return next((each for each in names if each.lower() == name.lower()), None)
