"""Queries run in the sandbox, with the words put in that they leave open."""

import re
from collections.abc import Mapping

from wardround.ehr.database import Cell, Database, QueryError

# What is passed over first: strings and quoted names.
_WORD = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<![\w.$])(?P<word>[a-z]\w*)(?![\w.$(])""", re.I
)

_ROWS = 1000
_SECONDS = 5.0

Rows = tuple[tuple[Cell, ...], ...]


def with_words(sql: str, words: Mapping[str, str]) -> str:
    """The query with SQL in place of words that it leaves open.

    >>> with_words("SELECT current_time, 'current_time'", {"current_time": "'2100-12-31'"})
    "SELECT '2100-12-31', 'current_time'"
    """
    return _WORD.sub(lambda found: words.get((found["word"] or "").lower(), found[0]), sql)


def rows_of(sql: str, database: Database, words: Mapping[str, str]) -> Rows | None:
    """What a query gives, its first rows at least; None where it fails."""
    try:
        return tuple(database.execute(with_words(sql, words), rows=_ROWS, seconds=_SECONDS).rows)
    except QueryError:
        return None
