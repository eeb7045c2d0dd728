"""Forms of SQL that sqlglot passes on unchanged though a dialect writes them differently."""

import json
import re
from collections.abc import Callable
from typing import TypeAlias, get_args

from sqlglot import exp

from wardround.core.errors import UserError
from wardround.ehr.database import Database, Dialect

_Form: TypeAlias = Callable[[exp.Expr], exp.Expr]
_PARTS = {"YEAR": "%Y", "MONTH": "%m", "DAY": "%d", "HOUR": "%H"}


def dialect_of(database: Database) -> Dialect:
    """The SQL dialect of a database.

    Raises:
        UserError: Wardround does not write its own queries in this dialect.
    """
    dialects: tuple[Dialect, ...] = get_args(Dialect)
    for dialect in dialects:
        if dialect == database.dialect:
            return dialect
    raise UserError(
        f"Database {database.url} is on {database.dialect}; wardround writes its own queries for "
        f"{', '.join(dialects)} only."
    )


def in_dialect(query: exp.Expr, dialect: Dialect) -> exp.Expr:
    """A copy of a query, in the forms of a dialect.

    Times on SQLite are text: a cast to a time is a call, an added interval a modifier, and a part
    of a time is formatted. PostgreSQL multiplies an interval by a number. The parts of a text are
    rows: of a function that returns a set, and on SQLite of a joined JSON array. A text that may be
    a number is looked at before it is read as one.

    >>> from sqlglot import parse_one
    >>> query = parse_one("SELECT born + INTERVAL (months) MONTH", read="duckdb")
    >>> in_dialect(query, "sqlite").sql("sqlite")
    "SELECT DATETIME(born, CAST((months) AS TEXT) || ' months')"
    >>> in_dialect(query, "postgres").sql("postgres")
    "SELECT born + (months) * INTERVAL '1 MONTH'"
    """
    form = _FORMS.get(dialect)
    query = query.copy()
    if form is None:
        return query
    for node in reversed(list(query.walk(bfs=True))):  # what is inside comes first
        new = form(node)
        if new is not node and node is query:
            query = new
        elif new is not node:
            node.replace(new)
    return query


def _for_sqlite(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Select):
        for at, parts in enumerate(list(node.find_all(exp.Explode))):
            node.join(_json_parts(parts, f"part{at}"), join_type="cross", copy=False)
            parts.replace(exp.column("value", f"part{at}"))
        return node
    if isinstance(node, exp.TryCast) and node.to.this in exp.DataType.FLOAT_TYPES:
        text = exp.func("TRIM", node.this.copy())
        valid = exp.Anonymous(this="JSON_VALID", expressions=[text.copy()])
        kind = exp.Anonymous(this="JSON_TYPE", expressions=[text.copy()])
        numbers = exp.In(this=kind, expressions=list(map(exp.Literal.string, ("integer", "real"))))
        # JSON_TYPE() fails on text that is not JSON, so it must not be called for it.
        is_number = exp.Case().when(valid, numbers).else_(exp.false())
        return exp.Case().when(is_number, exp.cast(text, node.to.copy()))
    if isinstance(node, exp.Cast) and node.to.this in exp.DataType.TEMPORAL_TYPES:
        name = "DATE" if node.to.this == exp.DataType.Type.DATE else "DATETIME"
        return exp.Anonymous(this=name, expressions=[node.this.copy()])
    if isinstance(node, exp.Extract) and node.name.upper() in _PARTS:
        part = exp.Literal.string(_PARTS[node.name.upper()])
        text = exp.Anonymous(this="STRFTIME", expressions=[part, node.expression.copy()])
        return exp.cast(text, "INT")
    if isinstance(node, exp.Add | exp.Sub) and isinstance(node.expression, exp.Interval):
        number, unit = node.expression.this.copy(), node.expression.text("unit")
        amount = exp.Neg(this=exp.paren(number)) if isinstance(node, exp.Sub) else number
        words = exp.Literal.string(f" {unit.lower()}s")
        modifier = exp.DPipe(this=exp.cast(amount, "TEXT"), expression=words)
        return exp.Anonymous(this="DATETIME", expressions=[node.this.copy(), modifier])
    return node


def _json_parts(parts: exp.Explode, alias: str) -> exp.Expr:
    """The parts of a text as the rows of a JSON array."""
    text, separator = parts.this.this, parts.this.expression.name
    quoted = exp.Anonymous(this="JSON_QUOTE", expressions=[text.copy()])
    marks = [exp.Literal.string(mark) for mark in (json.dumps(separator)[1:-1], '","')]
    items = exp.Anonymous(this="REPLACE", expressions=[quoted, *marks])
    array = exp.DPipe(this=exp.Literal.string("["), expression=items)
    array = exp.DPipe(this=array, expression=exp.Literal.string("]"))
    name = exp.TableAlias(this=exp.to_identifier(alias))
    return exp.Table(this=exp.Anonymous(this="JSON_EACH", expressions=[array]), alias=name)


def _for_postgres(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.TryCast) and node.to.this in exp.DataType.FLOAT_TYPES:
        text = exp.func("TRIM", node.this.copy())
        pattern = exp.Literal.string(r"^-?\d+(\.\d+)?([eE][+-]?\d+)?$")
        is_number = exp.RegexpLike(this=text.copy(), expression=pattern)
        return exp.Case().when(is_number, exp.cast(text, node.to.copy()))
    if isinstance(node, exp.Explode):
        # An empty text has one part; UNNEST(STRING_TO_ARRAY()) has none.
        separator = exp.Literal.string(re.escape(node.this.expression.name))
        of = [node.this.this.copy(), separator]
        return exp.Anonymous(this="REGEXP_SPLIT_TO_TABLE", expressions=of)
    if isinstance(node, exp.Interval) and not isinstance(node.this, exp.Literal):
        one = exp.Interval(this=exp.Literal.string("1"), unit=exp.var(node.text("unit")))
        return exp.Mul(this=exp.paren(node.this.unnest().copy()), expression=one)
    return node


def years_between(start: exp.Expr, end: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The whole years from one day to another, such as an age."""
    years, months, days = (
        [exp.Extract(this=exp.var(part), expression=each.copy()) for each in (end, start)]
        for part in ("YEAR", "MONTH", "DAY")
    )
    of_year = [
        exp.Add(this=exp.Mul(this=exp.convert(100), expression=month), expression=day)
        for month, day in zip(months, days, strict=True)
    ]
    is_before = exp.LT(this=of_year[0], expression=of_year[1])
    fewer = exp.Case().when(is_before, exp.convert(1)).else_(exp.convert(0))
    number = exp.Sub(this=exp.Sub(this=years[0], expression=years[1]), expression=fewer)
    return in_dialect(exp.paren(number), dialect)


def days_between(start: exp.Expr, end: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The days from one time to another, with fractions."""
    if dialect == "sqlite":
        days = [exp.Anonymous(this="julianday", expressions=[each]) for each in (end, start)]
        return exp.paren(exp.Sub(this=days[0], expression=days[1]), copy=False)
    length = exp.paren(exp.Sub(this=end, expression=start), copy=False)
    seconds = exp.Extract(this=exp.var("EPOCH"), expression=length)
    return exp.paren(exp.Div(this=seconds, expression=exp.convert(86400)), copy=False)


_FORMS: dict[Dialect, _Form] = {"sqlite": _for_sqlite, "postgres": _for_postgres}
