"""Queries over all rows of a table, with a long time limit."""

from wardround.ehr.database import Database
from wardround.ehr.database.interface import Cell

# One day; the user can interrupt.
_SECONDS = 86_400.0


def query_row(database: Database, sql: str) -> tuple[Cell, ...]:
    """The single row of a query."""
    return database.execute(sql, rows=1, seconds=_SECONDS).rows[0]


def query_number(database: Database, sql: str) -> int:
    """The single number of a query."""
    return int(str(query_row(database, sql)[0]))
