"""Queries run in the sandbox, with the words put in that they leave open."""

from collections.abc import Mapping

from wardround.ehr.database import Cell, Database, QueryError
from wardround.ehr.times import with_words

_ROWS = 1000
_SECONDS = 5.0

Rows = tuple[tuple[Cell, ...], ...]


def rows_of(sql: str, database: Database, words: Mapping[str, str]) -> Rows | None:
    """What a query gives, its first rows at least; None where it fails."""
    try:
        return tuple(database.execute(with_words(sql, words), rows=_ROWS, seconds=_SECONDS).rows)
    except QueryError:
        return None
