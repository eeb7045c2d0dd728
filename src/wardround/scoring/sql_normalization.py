"""Removes comments, DISTINCT and ROUND, which the soft comparison ignores, from SQL."""

import re
from dataclasses import dataclass
from functools import lru_cache

# Fast path: skip SQL without any of these.
_REMOVABLE = re.compile(r"--|/\*|distinct|round", re.IGNORECASE)
_EVERYTHING = ("comments", "distinct", "round")


@dataclass(frozen=True, slots=True)
class Softened:
    """A statement normalized for comparison.

    Attributes:
        sql: Its text.
        problem: Why it is unchanged; "" if it was normalized.
    """

    sql: str
    problem: str = ""


@lru_cache(maxsize=2048)
def softened(sql: str, removing: tuple[str, ...] = _EVERYTHING) -> Softened:
    """Remove comments, `SELECT DISTINCT` and calls of `ROUND` (Huo et al. 2025, G.1).

    The syntax tree locates them, in nested queries and CTEs too; they are then cut from the text,
    so that the rest is unchanged. `ROUND(x, 2)` becomes `(x)`, including casts within it. The
    paper removes *redundant* DISTINCT only: that of an aggregate (`COUNT(DISTINCT x)`),
    `DISTINCT ON` and `IS DISTINCT FROM` change the meaning and stay. A statement that cannot be
    parsed is unchanged.

    Args:
        sql: One PostgreSQL statement.
        removing: Any of "comments", "distinct" and "round".

    >>> softened("SELECT DISTINCT ROUND(AVG(a)::numeric, 2) FROM t -- rounded").sql
    'SELECT (AVG(a)::numeric) FROM t'
    """
    if not _REMOVABLE.search(sql):
        return Softened(sql)
    from sqlglot.errors import SqlglotError  # slow to import

    from wardround.scoring.sql_cuts import without

    try:
        return Softened(without(sql, removing))
    except (SqlglotError, RecursionError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        return Softened(sql, f"It is run as it is written: it cannot be read ({reason[:200]}).")
