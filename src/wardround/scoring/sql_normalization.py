"""Removes comments, DISTINCT and ROUND, which the soft comparison ignores, from SQL."""

import re
from dataclasses import dataclass
from functools import lru_cache

# Fast path: skip SQL without any of these.
_REMOVABLE = re.compile(r"--|/\*|distinct|round", re.IGNORECASE)
_EVERYTHING = ("comments", "distinct", "round")


@dataclass(frozen=True, slots=True)
class Softened:
    """A statement as it is compared.

    Attributes:
        sql: Its text.
        problem: Why it is left as it was written; "" where it is not.
    """

    sql: str
    problem: str = ""


@lru_cache(maxsize=2048)
def softened(sql: str, removing: tuple[str, ...] = _EVERYTHING) -> Softened:
    """A statement without comments, `SELECT DISTINCT` and the wrapper `ROUND` (paper, G.1).

    The syntax tree says what is removed, in nested queries and CTEs too; the text is then cut
    where it stands, so that all the rest stays as it was written. Of `ROUND(x, 2)` is left `(x)`,
    casts within it and all. The paper takes *redundant* DISTINCT for benign: that of an
    aggregate (`COUNT(DISTINCT x)`), `DISTINCT ON` and `IS DISTINCT FROM` say something else
    without it and stay. A statement that cannot be read is left as it is.

    Args:
        sql: One statement of PostgreSQL.
        removing: Which of "comments", "distinct" and "round" are removed.

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
