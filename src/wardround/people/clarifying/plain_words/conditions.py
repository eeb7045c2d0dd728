"""Verbalizes conditions and comparisons."""

import re

from sqlglot import exp

from wardround.people.clarifying.plain_words.words import (
    enumerated,
    listed,
    quantity_kind,
    verbalize,
)

_COMPARISONS = {
    ("gt", "any"): "{0} is more than {1}",
    ("gte", "any"): "{0} is {1} or more",
    ("lt", "any"): "{0} is less than {1}",
    ("lte", "any"): "{0} is {1} or less",
    ("gt", "age"): "older than {1}",
    ("gte", "age"): "{1} years old or older",
    ("lt", "age"): "younger than {1}",
    ("lte", "age"): "{1} years old or younger",
    ("gt", "time"): "{0} is after {1}",
    ("gte", "time"): "{0} is {1} or later",
    ("lt", "time"): "{0} is before {1}",
    ("lte", "time"): "{0} is {1} or earlier",
    ("gte", "distance"): "{0} is at least {1}",
    ("lte", "distance"): "{0} is at most {1}",
    ("eq", "any"): "{0} is {1}",
    ("neq", "any"): "{0} is not {1}",
}


@verbalize.register(exp.GT)
@verbalize.register(exp.GTE)
@verbalize.register(exp.LT)
@verbalize.register(exp.LTE)
@verbalize.register(exp.EQ)
@verbalize.register(exp.NEQ)
def _comparison(node: exp.Binary) -> str:
    left, right = node.this, node.expression
    from_there = isinstance(right, exp.Add | exp.Sub) and isinstance(right.expression, exp.Interval)
    kind = "distance" if from_there else quantity_kind(left)
    return _compared(node.key, verbalize(left), verbalize(right), kind)


@verbalize.register
def _between(node: exp.Between) -> str:
    low, high = verbalize(node.args["low"]), verbalize(node.args["high"])
    return f"{verbalize(node.this)} from {low} to {high}"


@verbalize.register
def _in(node: exp.In) -> str:
    if query := node.args.get("query"):
        return f"{verbalize(node.this)} among {verbalize(query)}"
    if len(node.expressions) == 1:
        return f"{verbalize(node.this)} is {enumerated(node)}"
    return (
        f"{verbalize(node.this)} is {listed((verbalize(item) for item in node.expressions), 'or')}"
    )


@verbalize.register
def _is(node: exp.Is) -> str:
    if isinstance(node.expression, exp.Null):
        state = "known" if node.args.get("negate") else "missing"
        return f"{verbalize(node.this)} is {state}"
    return f"{verbalize(node.this)} is {verbalize(node.expression)}"


@verbalize.register
def _not(node: exp.Not) -> str:
    if isinstance(node.this, exp.Is) and isinstance(node.this.expression, exp.Null):
        return f"{verbalize(node.this.this)} is known"
    return f"not: {verbalize(node.this)}"


@verbalize.register(exp.Like)
@verbalize.register(exp.ILike)
@verbalize.register(exp.RegexpLike)
@verbalize.register(exp.RegexpILike)
def _like(node: exp.Binary) -> str:
    wanted = node.expression.name
    verb = "contains" if wanted.startswith("%") or "%" not in wanted else "begins with"
    plain = " ".join(re.sub(r"[%_^$.*\\()\[\]?+|]+", " ", wanted).split())
    return f'{verbalize(node.this)} {verb} "{plain}"'


@verbalize.register
def _and(node: exp.And) -> str:
    return listed(verbalize(item) for item in node.flatten())


@verbalize.register
def _or(node: exp.Or) -> str:
    return listed((verbalize(item) for item in node.flatten()), "or")


@verbalize.register
def _exists(node: exp.Exists) -> str:
    return f"there are {verbalize(node.this)}"


def _compared(operator: str, left: str, right: str, kind: str = "any") -> str:
    """Returns a comparison as a phrase.

    Args:
        operator: "gt", "gte", "lt", "lte", "eq" or "neq".
        left: The left operand in words.
        right: The right operand in words.
        kind: "age", "time" or "any", of `left`; "distance" if `right` is an interval before or
            after something.

    >>> _compared("gte", "time of admission", "2190", "time")
    'time of admission is 2190 or later'
    """
    words = _COMPARISONS.get((operator, kind)) or _COMPARISONS[operator, "any"]
    return words.format(left, right)
