"""Queries whose result rests on no record."""

from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError


def constant_query(text: str) -> str:
    """The query whose result is a text, or the number that it is.

    >>> constant_query("5"), constant_query("it's")
    ('SELECT 5', "SELECT 'it''s'")
    """
    literal = exp.Literal.number(text) if text.isdigit() else exp.Literal.string(text)
    return exp.select(literal).sql()


@lru_cache(maxsize=4096)
def is_constant(sql: str) -> bool:
    """True if a query surely gives the same result whatever the records hold.

    It reads no table, or it selects constants of all rows. A query that is not understood may
    read records.

    >>> is_constant("SELECT 3"), is_constant("SELECT 3 FROM patients LIMIT 1")
    (True, True)
    >>> is_constant("SELECT COUNT(*) FROM patients")
    False
    >>> is_constant("SELECT 'yes' FROM patients WHERE gender = 'F' LIMIT 1")
    False
    """
    try:
        query = sqlglot.parse_one(sql)
    except SqlglotError:
        return False
    if not isinstance(query, exp.Query):
        return False
    return not _reads_table(query) or not any(query.find_all(*_RESTING_ON_ROWS))


# Expressions by which a result depends on the rows of the tables that are read.
_RESTING_ON_ROWS = (exp.Column, exp.AggFunc, exp.Star, exp.Exists, exp.Window)


def _reads_table(query: exp.Query) -> bool:
    """True if a table is read that the query does not define itself."""
    own = {each.alias_or_name.lower() for each in query.find_all(exp.CTE)}
    return any(each.name.lower() not in own for each in query.find_all(exp.Table))
