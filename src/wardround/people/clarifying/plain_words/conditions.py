"""Conditions in plain words."""

import re

from sqlglot import exp

from wardround.people.clarifying.plain_words.comparisons import compared
from wardround.people.clarifying.plain_words.words import each, listed, sort_of, tell


@tell.register(exp.GT)
@tell.register(exp.GTE)
@tell.register(exp.LT)
@tell.register(exp.LTE)
@tell.register(exp.EQ)
@tell.register(exp.NEQ)
def _comparison(node: exp.Binary) -> str:
    left, right = node.this, node.expression
    from_there = isinstance(right, exp.Add | exp.Sub) and isinstance(right.expression, exp.Interval)
    sort = "distance" if from_there else sort_of(left)
    return compared(node.key, tell(left), tell(right), sort)


@tell.register
def _between(node: exp.Between) -> str:
    low, high = tell(node.args["low"]), tell(node.args["high"])
    return f"{tell(node.this)} from {low} to {high}"


@tell.register
def _in(node: exp.In) -> str:
    if query := node.args.get("query"):
        return f"{tell(node.this)} among {tell(query)}"
    if len(node.expressions) == 1:
        return f"{tell(node.this)} is {each(node)}"
    return f"{tell(node.this)} is {listed((tell(one) for one in node.expressions), 'or')}"


@tell.register
def _is(node: exp.Is) -> str:
    if isinstance(node.expression, exp.Null):
        state = "known" if node.args.get("negate") else "missing"
        return f"{tell(node.this)} is {state}"
    return f"{tell(node.this)} is {tell(node.expression)}"


@tell.register
def _not(node: exp.Not) -> str:
    if isinstance(node.this, exp.Is) and isinstance(node.this.expression, exp.Null):
        return f"{tell(node.this.this)} is known"
    return f"not: {tell(node.this)}"


@tell.register(exp.Like)
@tell.register(exp.ILike)
@tell.register(exp.RegexpLike)
@tell.register(exp.RegexpILike)
def _like(node: exp.Binary) -> str:
    wanted = node.expression.name
    verb = "contains" if wanted.startswith("%") or "%" not in wanted else "begins with"
    plain = " ".join(re.sub(r"[%_^$.*\\()\[\]?+|]+", " ", wanted).split())
    return f'{tell(node.this)} {verb} "{plain}"'


@tell.register
def _and(node: exp.And) -> str:
    return listed(tell(one) for one in node.flatten())


@tell.register
def _or(node: exp.Or) -> str:
    return listed((tell(one) for one in node.flatten()), "or")


@tell.register
def _exists(node: exp.Exists) -> str:
    return f"there are {tell(node.this)}"
