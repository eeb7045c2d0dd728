"""Questions to a database about all its rows: no deadline that a large table would miss."""

from wardround.ehr.database import Database
from wardround.ehr.database.interface import Cell

# A day: whoever asks can stop it by hand.
_SECONDS = 86_400.0


def ask(database: Database, sql: str) -> tuple[Cell, ...]:
    """The only row of a query."""
    return database.execute(sql, rows=1, seconds=_SECONDS).rows[0]


def ask_number(database: Database, sql: str) -> int:
    """The only cell of a query that counts."""
    return int(str(ask(database, sql)[0]))
