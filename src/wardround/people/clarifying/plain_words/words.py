"""Names, values and lists of them in plain words: what all the rest is told with."""

import re
from collections.abc import Iterable
from functools import singledispatch

from sqlglot import exp

from wardround.people.clarifying.names import is_time, spoken


@singledispatch
def tell(node: exp.Expr) -> str:
    """An expression in plain words.

    >>> from sqlglot import parse_one
    >>> tell(parse_one("p.anchor_age > 80"))
    'older than 80'
    >>> tell(parse_one("ROUND(AVG(valuenum), 2)", read="postgres"))
    'the average value, rounded to 2 decimals'
    """
    inner = listed(tell(child) for child in node.iter_expressions())
    if isinstance(node, exp.Func):
        return f"{_function_name(node)} of {inner}" if inner else _function_name(node)
    return inner


def listed(pieces: Iterable[str], last: str = "and") -> str:
    """Pieces as a list in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    known = list(dict.fromkeys(piece for piece in pieces if piece))
    if len(known) < 2:
        return "".join(known)
    return f"{', '.join(known[:-1])} {last} {known[-1]}"


def _function_name(node: exp.Func) -> str:
    name = node.name if isinstance(node, exp.Anonymous) else node.sql_name()
    return f"the {spoken(name.lower())}"


def each(node: exp.Expr) -> str:
    """The expressions of a node as a list in a sentence."""
    return listed(tell(one) for one in node.expressions)


def sort_of(node: exp.Expr) -> str:
    """Whether something is an age, a point in time or anything else, for how it is compared."""
    column = node.find(exp.Column)
    if isinstance(node, exp.Binary | exp.Func) or column is None:
        return "any"
    if re.search(r"\bage\b", spoken(column.name)):
        return "age"
    return "time" if is_time(column.name) else "any"


@tell.register(exp.Identifier)
@tell.register(exp.Column)
@tell.register(exp.Table)
def _name(node: exp.Expr) -> str:
    return spoken(node.name)


@tell.register
def _literal(node: exp.Literal) -> str:
    if not node.is_string or re.match(r"[\d:\- .]+$", node.name):
        return _number(node.name)
    return f'"{node.name}"'


def _number(text: str) -> str:
    return re.sub(r"(\.\d*?)0+$", r"\1", text).rstrip(".") if "." in text else text


@tell.register
def _star(node: exp.Star) -> str:
    return "everything"


@tell.register
def _null(node: exp.Null) -> str:
    return "nothing"


@tell.register
def _boolean(node: exp.Boolean) -> str:
    return "yes" if node.this else "no"


@tell.register(exp.Alias)
@tell.register(exp.Paren)
@tell.register(exp.Cast)
@tell.register(exp.TryCast)
@tell.register(exp.Where)
@tell.register(exp.Having)
def _inner(node: exp.Expr) -> str:
    return tell(node.this)


@tell.register
def _var(node: exp.Var) -> str:
    return node.name.lower()
