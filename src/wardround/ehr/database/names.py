"""Quoting of names and texts in SQL, and finding tables and columns whatever their case."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from wardround.ehr.database.interface import ColumnInfo, QueryError

if TYPE_CHECKING:
    from wardround.ehr.database.database import Database


def quote_name(name: str) -> str:
    """A table's or column's name, quoted for SQL.

    >>> print(quote_name('5" scar, old'))
    "5"" scar, old"
    """
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """A text as a literal of standard SQL.

    >>> quote_text("crohn's disease")
    "'crohn''s disease'"
    """
    return "'" + text.replace("'", "''") + "'"


def find_table(database: "Database", table: str) -> str:
    """The table's name as the database writes it, found regardless of case.

    Raises:
        QueryError: If there is none; the message lists what there is.
    """
    tables = database.tables()
    found = _same_name(table, tables)
    if found is None:
        raise QueryError(f"There is no table {table!r}; there are: {', '.join(tables)}.", "runtime")
    return found


def find_column(database: "Database", table: str, column: str) -> ColumnInfo:
    """The column of that name, found regardless of case.

    Raises:
        QueryError: If table or column is missing; the message lists what there is.
    """
    columns = {info.name: info for info in database.columns(table)}
    found = _same_name(column, columns)
    if found is None:
        message = f"Table {table!r} has no column {column!r}; it has: {', '.join(columns)}."
        raise QueryError(message, "runtime")
    return columns[found]


def _same_name(name: str, names: Iterable[str]) -> str | None:
    return next((each for each in names if each.lower() == name.lower()), None)
