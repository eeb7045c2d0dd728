"""Tells from an SQL query if its values are drawn from the records, or written in the query.

A query says something of the records if a value of its result depends on their rows. A constant,
even beside tables, or arithmetic that is equal for all rows does not.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, TypeAlias
from zlib import crc32

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope
from sqlglot.optimizer.simplify import simplify

Origin: TypeAlias = Literal["records", "choice", "both", "constants", "unknown"]

# How the names of the engines' own tables begin, and the schemas that hold them.
_CATALOGUES = ("pg_", "sqlite_", "duckdb_", "pragma_")
_CATALOGUE_SCHEMAS = ("information_schema", "pg_catalog")
# Expressions whose value depends on the number of the rows.
_OF_ROWS = (exp.Count, exp.Sum, exp.Window)
# Aggregates that give the value of one row.
_OF_ONE_ROW = (exp.Max, exp.Min, exp.AnyValue, exp.First, exp.Last)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Neg)
_WRAPPERS = (exp.Alias, exp.Paren, exp.Cast, exp.Round)


@lru_cache(maxsize=4096)
def origin_of_values(sql: str, dialect: str = "") -> Origin:
    """The origin of the values of a query's result.

    Args:
        sql: the query.
        dialect: its dialect, as sqlglot names it.

    Returns:
        "constants" if no table of records is read, or only constants are selected of their rows:
        the records then decide whether the query says something, but not what. "choice" if they
        choose among constants, as in `CASE`. "both" if a `UNION` puts rows of constants beside rows
        of the records. "unknown" if the query is not understood.

    >>> origin_of_values("SELECT COUNT(*) > 3 FROM patients")
    'records'
    >>> origin_of_values("SELECT 3 FROM patients WHERE gender = 'F'")
    'constants'
    >>> origin_of_values("SELECT 3 * COUNT(*) / COUNT(*) FROM patients")
    'constants'
    >>> origin_of_values("SELECT CASE WHEN COUNT(*) > 3 THEN 'many' ELSE 'few' END FROM patients")
    'choice'
    >>> origin_of_values("SELECT 3 UNION SELECT subject_id FROM patients")
    'both'
    >>> origin_of_values("SELECT 3 FROM")
    'unknown'
    """
    try:
        scopes = query_scopes(sql, dialect)
        if scopes is None:
            return "unknown"
        if not any(map(record_tables, scopes)):
            return "constants"
        if _gives_values(scopes[-1]):
            return "both" if any(map(_adds_rows, scopes)) else "records"
        chosen = traverse_scope(_of_conditions(scopes[-1].expression.root()))
        return "choice" if _gives_values(chosen[-1]) else "constants"
    except RecursionError:
        return "unknown"


def query_scopes(sql: str, dialect: str) -> list[Scope] | None:
    """The scopes of a query, the outermost last; None if it is not understood."""
    try:
        statements = sqlglot.parse(sql, dialect=dialect or None)
        if len(statements) != 1 or not isinstance(statements[0], exp.Query):
            return None
        return traverse_scope(statements[0]) or None
    except (SqlglotError, RecursionError):
        return None


def record_tables(scope: Scope) -> list[exp.Table]:
    """The tables of records that a scope reads, without those that the query defines.

    >>> scopes = query_scopes("SELECT 1 FROM wards, pg_settings, (SELECT 1 FROM beds) AS b", "")
    >>> [[table.name for table in record_tables(scope)] for scope in scopes]
    [['beds'], ['wards']]
    """
    tables = (each for each in scope.sources.values() if isinstance(each, exp.Table))
    return [table for table in tables if _holds_records(table)]


def selected_values(scope: Scope) -> list[exp.Expr]:
    """The values that a scope selects."""
    query = scope.expression
    return list(query.selects) if isinstance(query, exp.Query) else [query]


def _holds_records(table: exp.Table) -> bool:
    """True unless a table is a function, or of a catalogue of the engine."""
    return (
        isinstance(table.this, exp.Identifier)
        and not table.name.lower().startswith(_CATALOGUES)
        and table.db.lower() not in _CATALOGUE_SCHEMAS
    )


def _reads_records(scope: Scope) -> bool:
    """True if the rows of a scope are made of rows of the records."""
    parts = scope.set_operation_scopes or [
        each for each in scope.sources.values() if isinstance(each, Scope)
    ]
    return bool(record_tables(scope)) or any(map(_reads_records, parts))


def _gives_values(scope: Scope) -> bool:
    """True if a scope selects something of the rows that it reads."""
    if scope.set_operation_scopes:
        return any(map(_gives_values, scope.set_operation_scopes))
    return any(_is_drawn(value, scope) for value in selected_values(scope))


def _adds_rows(scope: Scope) -> bool:
    """True if a scope puts rows of constants beside rows of the records."""
    given = [_gives_values(each) for each in scope.set_operation_scopes]
    return any(given) and not all(given)


def _of_conditions(query: exp.Expr) -> exp.Expr:
    """A copy of a query with conditions in place of the constants that they choose among."""
    query = query.copy()
    for case in [*query.find_all(exp.Case, exp.If)]:
        branches = case.args["ifs"] if isinstance(case, exp.Case) else [case]
        others = (case.args.get("default"), case.args.get("false"))
        results = {*(branch.args["true"] for branch in branches), *others} - {None, exp.null()}
        if len(results) > 1:
            case.replace(case.this if case.this else exp.or_(*(each.this for each in branches)))
    return query


def _is_drawn(value: exp.Expr, scope: Scope) -> bool:
    """True if a value depends on rows otherwise than by a choice among constants."""
    if not _has_drawn_part(value, scope):
        return False
    return bool(simplify(_sampled(value, scope, 1)) != simplify(_sampled(value, scope, 2)))


def _sampled(value: exp.Expr, scope: Scope, seed: int) -> exp.Expr:
    """Arithmetic with a number, drawn by the seed, in place of each part that is drawn."""
    if isinstance(value, _WRAPPERS):
        return _sampled(value.this, scope, seed)
    if isinstance(value, _ARITHMETIC):
        operands = {
            name: _sampled(operand, scope, seed)
            for name, operand in value.args.items()
            if isinstance(operand, exp.Expr)
        }
        return type(value)(**operands)
    if not _has_drawn_part(value, scope):
        return value.copy()
    # A fraction, because a division of whole numbers is not rewritten.
    return exp.Literal.number(crc32(f"{seed} {value.sql()}".encode()) % 9973 + 1.5)


def _has_drawn_part(value: exp.Expr, scope: Scope) -> bool:
    return any(_is_part_drawn(part, scope) for part in _parts(value))


def _is_part_drawn(part: exp.Expr, scope: Scope) -> bool:
    if isinstance(part, exp.Column | exp.Star):
        return _is_column_drawn(part, scope)
    if isinstance(part, exp.Query):
        return any(map(_gives_values, _subqueries(part.unnest(), scope)))
    if isinstance(part, exp.Exists):
        return any(map(_reads_records, _subqueries(part.this, scope)))
    if isinstance(part, _OF_ROWS):
        return _reads_records(scope)
    if isinstance(part, _OF_ONE_ROW):
        return False
    return isinstance(part, exp.AggFunc) and part.find(exp.Column) is not None


def _subqueries(query: exp.Expr, scope: Scope) -> Iterator[Scope]:
    return (each for each in scope.subquery_scopes if each.expression is query)


def _is_column_drawn(column: exp.Column | exp.Star, scope: Scope) -> bool:
    """True if a column is of a table, or of a query in which it is drawn from one."""
    if isinstance(column, exp.Column) and column.table:
        source = scope.sources.get(column.table)
        return source is None or _gives(source, column.name)
    sources = scope.sources.values()
    naming = [each for each in sources if column.name.lower() in _column_names(each)]
    return not sources or any(_gives(each, column.name) for each in naming or sources)


def _column_names(source: exp.Table | Scope) -> list[str]:
    """The names of the columns that the query defines in a source; none of a table."""
    if isinstance(source, exp.Table):
        return []
    query = source.expression
    around = query if isinstance(query, exp.UDTF) else query.parent
    renamed = around.alias_column_names if isinstance(around, exp.CTE | exp.DerivedTable) else []
    names = renamed or (query.named_selects if isinstance(query, exp.Query) else [])
    return [name.lower() for name in names]


def _gives(source: exp.Table | Scope, name: str) -> bool:
    """True if a table, or a query by a drawn value, gives a column of a name."""
    if isinstance(source, exp.Table):
        return _holds_records(source)
    if source.set_operation_scopes:
        return any(map(_gives_values, source.set_operation_scopes))
    values = selected_values(source)
    named = [each for each in values if each.alias_or_name.lower() == name.lower()]
    return any(_is_drawn(each, source) for each in named or values)


def _parts(value: exp.Expr) -> Iterator[exp.Expr]:
    """The parts of an expression, without conditions that choose among results and subqueries."""
    yield value
    if isinstance(value, exp.Query | exp.Column):
        return
    for name, child in value.args.items():
        if isinstance(value, exp.Case | exp.If) and name == "this":
            continue
        for each in child if isinstance(child, list) else [child]:
            if isinstance(each, exp.Expr):
                yield from _parts(each)
