"""Queries whose result rests on no record, told from their text and by emptied tables."""

from collections.abc import Callable, Iterator
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from wardround.core.verdict import State
from wardround.scoring.results import Rows


def constant_query(text: str) -> str:
    """The query whose result is a text, or the number that it is.

    >>> constant_query("5"), constant_query("it's")
    ('SELECT 5', "SELECT 'it''s'")
    """
    literal = exp.Literal.number(text) if text.isdigit() else exp.Literal.string(text)
    return exp.select(literal).sql()


@lru_cache(maxsize=4096)
def gives_constants(sql: str, dialect: str = "") -> bool | None:
    """True if each value that a query gives is written in it; None if it is not understood.

    It reads no table, or it selects constants of the rows that it reads: then the records decide
    whether it says something, but not what.

    >>> gives_constants("SELECT 3"), gives_constants("SELECT 3 FROM patients WHERE gender = 'F'")
    (True, True)
    >>> gives_constants("SELECT COUNT(*) > 3 FROM patients"), gives_constants("SELECT 3 FROM")
    (False, None)
    """
    scopes = _scopes(sql, dialect)
    if scopes is None:
        return None
    return not any(map(_base_tables, scopes)) or not _gives_values(scopes[-1])


def rests_on_records(
    answer: str, gold: str, dialect: str, run: Callable[[str], Rows | None]
) -> bool | None:
    """False if an answer that equals the gold's does not come from the records.

    It is constant where the gold is not, or it stays the same on empty tables where the gold
    changes. If the gold tells that something is true, constants of chosen rows may tell it too.

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
    scopes = _scopes(sql, dialect)
    if not scopes:
        return None
    for scope in scopes:
        for table in _base_tables(scope):
            bare = table.copy()
            for name in ("alias", "joins"):
                bare.set(name, None)
            empty = exp.select("*").from_(bare).where("1 = 0").subquery(table.alias_or_name)
            empty.set("joins", table.args.get("joins"))
            table.replace(empty)
    return scopes[-1].expression.root().sql(dialect)


def _tells_truth(sql: str, dialect: str) -> bool:
    """True if a query gives one value, which is a condition."""
    scopes = _scopes(sql, dialect)
    values = _selected(scopes[-1]) if scopes else []
    return len(values) == 1 and isinstance(values[0].unalias(), (exp.Predicate, exp.Connector))


def _is_conditional(sql: str, dialect: str) -> bool:
    """True if a query reads chosen rows of a table."""
    scopes = _scopes(sql, dialect) or []
    return any(
        each.expression.find(exp.Where, exp.Having, exp.If) for each in scopes if each.sources
    )


def _scopes(sql: str, dialect: str) -> list[Scope] | None:
    """The scopes of a query, the outermost last; None if it is not understood."""
    try:
        statements = sqlglot.parse(sql, dialect=dialect or None)
        if len(statements) != 1 or not isinstance(statements[0], exp.Query):
            return None
        return traverse_scope(statements[0]) or None
    except (SqlglotError, RecursionError):
        return None


def _base_tables(scope: Scope) -> list[exp.Table]:
    """The tables that a scope reads, without those that the query defines."""
    return [
        source
        for source in scope.sources.values()
        if isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier)
    ]


def _gives_values(scope: Scope) -> bool:
    """True if a scope selects something of the rows that it reads."""
    if scope.set_operation_scopes:
        return any(map(_gives_values, scope.set_operation_scopes))
    return any(_is_drawn(value, scope) for value in _selected(scope))


def _selected(scope: Scope) -> list[exp.Expr]:
    """The values that a scope selects."""
    query = scope.expression
    return list(query.selects) if isinstance(query, exp.Query) else [query]


def _is_drawn(value: exp.Expr, scope: Scope) -> bool:
    """True if a value depends on rows otherwise than by a choice among constants."""
    return any(_is_part_drawn(part, scope) for part in _parts(value))


def _is_part_drawn(part: exp.Expr, scope: Scope) -> bool:
    if isinstance(part, exp.Column):
        return _is_column_drawn(part, scope)
    if isinstance(part, exp.Query):
        query = part.unnest()
        return any(
            _gives_values(each) for each in scope.subquery_scopes if each.expression is query
        )
    if isinstance(part, _DRAWN):
        return True
    if isinstance(part, _OF_ONE_ROW):
        return False
    return isinstance(part, exp.AggFunc) and part.find(exp.Column) is not None


# Expressions without a column whose value depends on the rows that are read.
_DRAWN = (exp.Star, exp.Count, exp.Sum, exp.Exists, exp.Window)
# Aggregates that give the value of one row.
_OF_ONE_ROW = (exp.Max, exp.Min, exp.AnyValue, exp.First, exp.Last)


def _is_column_drawn(column: exp.Column, scope: Scope) -> bool:
    """True if a column is of a table, or of a query in which it is drawn from one."""
    if column.table:
        source = scope.sources.get(column.table)
        return source is None or _gives(source, column.name)
    sources = scope.sources.values()
    return not sources or any(_gives(each, column.name) for each in sources)


def _gives(source: exp.Table | Scope, name: str) -> bool:
    """True if a table, or a query by a drawn value, gives a column of a name."""
    if isinstance(source, exp.Table):
        return True
    if source.set_operation_scopes:
        return any(map(_gives_values, source.set_operation_scopes))
    values = _selected(source)
    named = [each for each in values if each.alias_or_name.lower() == name.lower()]
    return any(_is_drawn(each, source) for each in named or values)


def _parts(value: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of an expression, without conditions that choose among results and subqueries."""
    yield value
    if isinstance(value, exp.Query):
        return
    for name, child in value.args.items():
        if isinstance(value, exp.If) and name == "this":
            continue
        for each in child if isinstance(child, list) else [child]:
            if isinstance(each, exp.Expr):
                yield from _parts(each)
