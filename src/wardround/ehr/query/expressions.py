"""SQL expressions that tests of records are built from."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache

from sqlglot import exp, parse_one, select

from wardround.ehr.database import Dialect
from wardround.ehr.query.model import Bound, Span
from wardround.ehr.records.dialect_forms import in_dialect
from wardround.ehr.times import sqlite, standard
from wardround.ehr.times.model import Unit

_OPERATORS: dict[str, Callable[..., exp.Expr]] = {
    ">": exp.GT,
    ">=": exp.GTE,
    "<": exp.LT,
    "<=": exp.LTE,
    "=": exp.EQ,
    "<>": exp.NEQ,
    "!=": exp.NEQ,
}
_MOST = 16  # tests in one chain of alternatives
_CALENDAR: dict[str, Unit] = {"month": "month", "year": "year"}  # units of changing length


def column(alias: str, name: str) -> exp.Column:
    """A column of a table or of an aliased query."""
    return exp.column(name, alias)


def compared(operator: str, left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """The comparison of two values."""
    return _OPERATORS[operator](this=left, expression=right)


def bounded(number: exp.Expr, bound: Bound) -> exp.Expr:
    """The test of a number against a bound."""
    return compared(bound.operator, number, exp.Literal.number(f"{bound.number:g}"))


def one_of(of: exp.Expr, texts: Sequence[str], *, numeric: bool) -> exp.Expr:
    """The test that a column holds one of some texts, or of some numbers."""
    listed = [
        exp.Literal.number(text) if numeric and text.isdigit() else exp.Literal.string(text)
        for text in texts
    ]
    if len(listed) == 1:
        return exp.EQ(this=of, expression=listed[0])
    return exp.In(this=of, expressions=listed)


def containing(of: exp.Expr, texts: Sequence[str]) -> exp.Expr:
    """The test that a column's text contains one of some texts, in any letter case."""
    low = exp.Lower(this=of)
    parts = [exp.Literal.string(text.lower()) for text in texts]
    places = [exp.StrPosition(this=low.copy(), substr=part) for part in parts]
    return any_of([compared(">", place, exp.convert(0)) for place in places])


def any_of(tests: Sequence[exp.Expr]) -> exp.Expr:
    """The test that one of some tests is met; engines limit how deep an expression is nested."""
    if len(tests) == 1:
        return tests[0]
    if len(tests) > _MOST:
        size = -(-len(tests) // _MOST)
        tests = [any_of(tests[n : n + size]) for n in range(0, len(tests), size)]
    return exp.paren(exp.or_(*tests, copy=False), copy=False)


def null_test(of: exp.Expr, is_null: bool) -> exp.Expr:
    """The test that a value is absent, or that it is there."""
    test = exp.Is(this=of.copy(), expression=exp.null())
    return test if is_null else exp.not_(test, copy=False)


def all_of(tests: Sequence[exp.Expr]) -> exp.Expr:
    """The test that all of some tests are met."""
    return exp.and_(*tests, copy=False)


def negated(test: exp.Expr, is_negated: bool) -> exp.Expr:
    """A test or its negation."""
    return exp.not_(test, copy=False) if is_negated else test


def exists(rows: exp.Subquery, tests: Sequence[exp.Expr]) -> exp.Expr:
    """The test that there are rows that meet some tests."""
    found = select(exp.Literal.number(1)).from_(rows, copy=False).where(*tests, copy=False)
    return exp.Exists(this=found)


def in_query(of: exp.Expr, query: exp.Select) -> exp.Expr:
    """The test that a value is in the result of a query."""
    return exp.In(this=of, query=query.subquery(copy=False))


def moment(time: datetime, dialect: Dialect) -> exp.Expr:
    """A point in time."""
    text = exp.Literal.string(f"{time:%Y-%m-%d %H:%M:%S}")
    return text if dialect == "sqlite" else exp.cast(text, "TIMESTAMP")


def day(time: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The day of a time."""
    return in_dialect(exp.cast(time, "DATE"), dialect)


def shifted(time: exp.Expr, span: Span, sign: int, dialect: Dialect) -> exp.Expr:
    """A time moved by a span, forwards for a positive sign.

    A day that the month lacks runs over into the next month on every engine.
    """
    unit = _CALENDAR.get(span.unit)
    if unit:
        spelling = sqlite if dialect == "sqlite" else standard
        text = spelling.shifted(time.sql(dialect), sign * round(span.number), unit)
        return parsed(text, dialect).copy()
    number, name = (7 * span.number, "day") if span.unit == "week" else (span.number, span.unit)
    if dialect == "sqlite":
        modifier = exp.Literal.string(f"{sign * number:+g} {name}")
        return exp.Anonymous(this="DATETIME", expressions=[time, modifier])
    length = exp.Interval(this=exp.Literal.string(f"{number:g}"), unit=exp.var(name.upper()))
    moved = exp.Add if sign > 0 else exp.Sub
    return moved(this=exp.cast(time, "TIMESTAMP"), expression=length)


@cache
def parsed(sql: str, dialect: Dialect) -> exp.Expr:
    """The expression of a text; copy it before it becomes part of another."""
    return parse_one(sql, read=dialect)
