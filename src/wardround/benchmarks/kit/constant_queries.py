"""Queries whose result rests on no record, told from their text and by emptied tables."""

from collections.abc import Callable

from sqlglot import exp

from wardround.core.verdict import State
from wardround.ehr.query.drawn_values import (
    origin_of_values,
    query_scopes,
    record_tables,
    selected_values,
)
from wardround.scoring.results import Rows


def constant_query(text: str) -> str:
    """The query whose result is a text, or the number that it is.

    >>> constant_query("5"), constant_query("it's")
    ('SELECT 5', "SELECT 'it''s'")
    """
    literal = exp.Literal.number(text) if text.isdigit() else exp.Literal.string(text)
    return exp.select(literal).sql()


def gives_constants(sql: str, dialect: str = "") -> bool | None:
    """True if each value that a query gives is written in it; None if it is not understood.

    >>> gives_constants("SELECT 3 FROM patients"), gives_constants("SELECT COUNT(*) FROM patients")
    (True, False)
    """
    origin = origin_of_values(sql, dialect)
    return None if origin == "unknown" else origin in ("constants", "choice")


def rests_on_records(
    answer: str, gold: str, dialect: str, run: Callable[[str], Rows | None]
) -> bool | None:
    """False if an answer that equals the gold's does not come from the records.

    It is constant and the gold is not, or it stays the same on empty tables and the gold changes.
    If the gold states that something is true, constants of chosen rows may state it too.

    Args:
        answer: a query whose result equals the gold's.
        gold: the gold.
        dialect: the dialect of both.
        run: runs a query; None if it fails.

    Returns:
        None if the answer is not understood.
    """
    if gives_constants(gold, dialect) is not False:
        return True
    if (constant := gives_constants(answer, dialect)) is None:
        return None
    if constant and not (_tells_truth(gold, dialect) and _is_conditional(answer, dialect)):
        return False
    emptied_answer, emptied_gold = emptied(answer, dialect), emptied(gold, dialect)
    if emptied_answer is None or emptied_gold is None:
        return None
    stays = run(emptied_answer) == run(answer)
    return not stays or run(emptied_gold) == run(gold)


def founded_state(rests: bool | None) -> tuple[State, str]:
    """The strict state of a right result, with the reason if it has not passed.

    Args:
        rests: True if it comes from the records; None if that is not known.
    """
    if rests is None:
        return "undecided", "the query is not understood"
    return ("passed", "") if rests else ("failed", "")


def emptied(sql: str, dialect: str) -> str | None:
    """A query with every table that it reads made empty; None if it is not understood.

    >>> emptied("SELECT COUNT(*) FROM patients AS p", "duckdb")
    'SELECT COUNT(*) FROM (SELECT * FROM patients WHERE 1 = 0) AS p'
    """
    scopes = query_scopes(sql, dialect)
    if not scopes:
        return None
    for scope in scopes:
        for table in record_tables(scope):
            bare = table.copy()
            for name in ("alias", "joins"):
                bare.set(name, None)
            empty = exp.select("*").from_(bare).where("1 = 0").subquery(table.alias_or_name)
            empty.set("joins", table.args.get("joins"))
            table.replace(empty)
    return scopes[-1].expression.root().sql(dialect)


def _tells_truth(sql: str, dialect: str) -> bool:
    """True if a query gives one value, which is a condition."""
    scopes = query_scopes(sql, dialect)
    values = selected_values(scopes[-1]) if scopes else []
    return len(values) == 1 and isinstance(values[0].unalias(), (exp.Predicate, exp.Connector))


def _is_conditional(sql: str, dialect: str) -> bool:
    """True if a query reads chosen rows of a table."""
    scopes = query_scopes(sql, dialect) or []
    return any(
        each.expression.find(exp.Where, exp.Having, exp.If) for each in scopes if each.sources
    )
