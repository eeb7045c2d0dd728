"""Fragments of DuckDB's SQL with gaps for expressions of the query."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import islice
from typing import Any

from sqlglot import ErrorLevel, exp, parse_one

# Nodes of an expression that is written as often as a template names it. A larger one is written
# once, since nested templates would otherwise multiply it.
_MOST_REPEATED = 12
_MOST_READ_AGAIN = 40


def fill(template: str, **parts: exp.Expr) -> exp.Expr:
    """A fragment whose names that begin with `__` are replaced by expressions.

    An expression is moved, not copied, unless the fragment names it several times; the caller
    copies one that is in two fragments. A large expression that a fragment names
    several times is computed once, as the element of a list.

    >>> fill("CASE WHEN __a THEN 1 END", a=exp.column("dead")).sql("duckdb")
    'CASE WHEN dead THEN 1 END'
    """
    tree = _parsed(template).copy()
    gaps = [gap for gap in tree.find_all(exp.Column) if gap.name.startswith("__")]
    names = Counter(gap.name[2:] for gap in gaps)
    repeated = any(count > 1 and is_large(parts[name]) for name, count in names.items())
    # An aggregate needs values of a column: an element of a list cannot replace them.
    if repeated and tree.find(exp.AggFunc) is None:
        return _computed_once(tree, gaps, {name: parts[name] for name in names})
    for gap in gaps:
        part = parts[gap.name[2:]]
        gap.replace(_closed(part if names[gap.name[2:]] == 1 else part.copy()))
    return tree


def written_once(node: exp.Expr) -> exp.Expr | None:
    """A function whose arguments are computed once; None if sqlglot writes them once.

    Of some functions sqlglot writes and reads the arguments again, so that very large ones are
    taken out in any case.

    >>> from sqlglot import parse_one
    >>> written_once(parse_one("LENGTH(a)", read="bigquery")) is None
    True
    """
    if not isinstance(node, exp.Func) or isinstance(node, _WRITTEN_ONCE):
        return None
    # Functions within may be written several times as well.
    computed = [part for part in node.iter_expressions() if part.find(exp.Func) is not None]
    if not computed or isinstance(node.parent, exp.Window | exp.IgnoreNulls | exp.RespectNulls):
        return None
    parts: dict[str, exp.Expr] = {}

    def shown(value: Any) -> Any:
        if isinstance(value, list):
            return [shown(each) for each in value]
        if not isinstance(value, exp.Expr):
            return value
        if not any(value is part for part in computed):
            return value.copy()
        name = f"p{len(parts)}"
        parts[name] = value
        return exp.column(f"__{name}")

    plain = type(node)(**{key: shown(value) for key, value in node.args.items()})
    text = plain.sql("duckdb", unsupported_level=ErrorLevel.IGNORE)
    once = all(len(re.findall(rf"\b__{name}\b", text)) < 2 for name in parts)
    if once and not any(_has_more(part, _MOST_READ_AGAIN) for part in parts.values()):
        return None
    gaps = [gap for gap in plain.find_all(exp.Column) if gap.name.startswith("__")]
    return _computed_once(plain, gaps, parts)


def _computed_once(
    tree: exp.Expr, gaps: list[exp.Column], parts: Mapping[str, exp.Expr]
) -> exp.Expr:
    """The fragment as a function of a struct that holds all its expressions."""
    for gap in gaps:
        field = exp.Literal.string(gap.name[2:])
        computed = exp.Anonymous(this="STRUCT_EXTRACT", expressions=[exp.column(_ELEMENT), field])
        if gap is tree:
            return computed
        gap.replace(computed)
    struct = exp.Struct(
        expressions=[
            exp.PropertyEQ(this=exp.to_identifier(name, quoted=True), expression=part)
            for name, part in parts.items()
        ]
    )
    applied = _parsed(f"LIST_EXTRACT(LIST_TRANSFORM([__s], LAMBDA {_ELEMENT} : __body), 1)").copy()
    places = {column.name: column for column in applied.find_all(exp.Column)}
    places["__s"].replace(struct)
    places["__body"].replace(tree)
    return applied


def is_large(part: exp.Expr) -> bool:
    """True if an expression is not to be written several times."""
    return _has_more(part, _MOST_REPEATED)


def _has_more(part: exp.Expr, nodes: int) -> bool:
    """True if an expression has more than so many nodes."""
    return next(islice(part.walk(), nodes, None), None) is not None


def text(words: str) -> exp.Literal:
    """A literal string."""
    return exp.Literal.string(words)


def number(value: float) -> exp.Expr:
    """A literal number, as DuckDB's DOUBLE if it has a fraction."""
    return exp.Literal.number(f"{value!r}e0" if isinstance(value, float) else str(value))


def _closed(part: exp.Expr) -> exp.Expr:
    return exp.Paren(this=part) if isinstance(part, exp.Binary | exp.Unary) else part


# Functions of values of several rows, those whose arguments sqlglot writes as they are, and those
# of a query (EXISTS).
_WRITTEN_ONCE = (
    *(exp.AggFunc, exp.Case, exp.If, exp.Coalesce, exp.And, exp.Or, exp.Struct, exp.Array),
    exp.SubqueryPredicate,
)
_ELEMENT = "_element"


@cache
def _parsed(template: str) -> exp.Expr:
    return parse_one(template, read="duckdb")
