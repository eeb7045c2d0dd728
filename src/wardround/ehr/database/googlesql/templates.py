"""Fragments of DuckDB's SQL with gaps for expressions of the query."""

from functools import cache

from sqlglot import exp, parse_one


def fill(template: str, **parts: exp.Expr) -> exp.Expr:
    """A fragment whose names that begin with `__` are replaced by expressions.

    >>> fill("CASE WHEN __a THEN 1 END", a=exp.column("dead")).sql("duckdb")
    'CASE WHEN dead THEN 1 END'
    """
    tree = _parsed(template).copy()
    for gap in list(tree.find_all(exp.Column)):
        if gap.name.startswith("__"):
            gap.replace(_closed(parts[gap.name[2:]]))
    return tree


def text(words: str) -> exp.Literal:
    """A literal string."""
    return exp.Literal.string(words)


def number(value: float) -> exp.Expr:
    """A literal number, as DuckDB's DOUBLE if it has a fraction."""
    return exp.Literal.number(f"{value!r}e0" if isinstance(value, float) else str(value))


def _closed(part: exp.Expr) -> exp.Expr:
    copy = part.copy()
    return exp.Paren(this=copy) if isinstance(copy, exp.Binary | exp.Unary) else copy


@cache
def _parsed(template: str) -> exp.Expr:
    return parse_one(template, read="duckdb")
