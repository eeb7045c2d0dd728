"""Verbalizes names, values and lists; the base of the other modules."""

import re
from collections.abc import Iterable
from functools import singledispatch

from sqlglot import exp

from wardround.people.clarifying.names import is_time, readable_name


@singledispatch
def verbalize(node: exp.Expr) -> str:
    """Puts an expression in plain words.

    >>> from sqlglot import parse_one
    >>> verbalize(parse_one("p.anchor_age > 80"))
    'older than 80'
    >>> verbalize(parse_one("ROUND(AVG(valuenum), 2)", read="postgres"))
    'the average value, rounded to 2 decimals'
    """
    inner = listed(verbalize(child) for child in node.iter_expressions())
    if isinstance(node, exp.Func):
        return f"{_function_name(node)} of {inner}" if inner else _function_name(node)
    return inner


def listed(pieces: Iterable[str], last: str = "and") -> str:
    """Joins words to a list in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    known = list(dict.fromkeys(parse_fragment for parse_fragment in pieces if parse_fragment))
    if len(known) < 2:
        return "".join(known)
    return f"{', '.join(known[:-1])} {last} {known[-1]}"


def _function_name(node: exp.Func) -> str:
    name = node.name if isinstance(node, exp.Anonymous) else node.sql_name()
    return f"the {readable_name(name.lower())}"


def enumerated(node: exp.Expr) -> str:
    """Joins the expressions of a node to a list in a sentence."""
    return listed(verbalize(item) for item in node.expressions)


def quantity_kind(node: exp.Expr) -> str:
    """Returns "age", "time" or "any", which decides the wording of comparisons."""
    column = node.find(exp.Column)
    if isinstance(node, exp.Binary | exp.Func) or column is None:
        return "any"
    if re.search(r"\bage\b", readable_name(column.name)):
        return "age"
    return "time" if is_time(column.name) else "any"


@verbalize.register(exp.Identifier)
@verbalize.register(exp.Column)
@verbalize.register(exp.Table)
def _name(node: exp.Expr) -> str:
    return readable_name(node.name)


@verbalize.register
def _literal(node: exp.Literal) -> str:
    if not node.is_string or re.match(r"[\d:\- .]+$", node.name):
        return _number(node.name)
    return f'"{node.name}"'


def _number(text: str) -> str:
    return re.sub(r"(\.\d*?)0+$", r"\1", text).rstrip(".") if "." in text else text


@verbalize.register
def _star(node: exp.Star) -> str:
    return "everything"


@verbalize.register
def _null(node: exp.Null) -> str:
    return "nothing"


@verbalize.register
def _boolean(node: exp.Boolean) -> str:
    return "yes" if node.this else "no"


@verbalize.register(exp.Alias)
@verbalize.register(exp.Paren)
@verbalize.register(exp.Cast)
@verbalize.register(exp.TryCast)
@verbalize.register(exp.Where)
@verbalize.register(exp.Having)
def _inner(node: exp.Expr) -> str:
    return verbalize(node.this)


@verbalize.register
def _var(node: exp.Var) -> str:
    return node.name.lower()
