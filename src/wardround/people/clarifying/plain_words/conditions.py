"""Verbalizes conditions, comparisons, clauses and statements."""

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


@verbalize.register
def _distinct(node: exp.Distinct) -> str:
    of = verbalize(node.args["on"]) if node.args.get("on") else enumerated(node)
    return f"each {of or 'line'} only once"


@verbalize.register
def _order(node: exp.Order) -> str:
    return f"by {', then by '.join(verbalize(item) for item in node.expressions)}"


@verbalize.register
def _ordered(node: exp.Ordered) -> str:
    down = bool(node.args.get("desc"))
    if quantity_kind(node.this) == "time":
        return f"{verbalize(node.this)}, {'latest' if down else 'earliest'} first"
    return f"{verbalize(node.this)}, {'highest first' if down else 'in ascending order'}"


@verbalize.register(exp.Limit)
@verbalize.register(exp.Fetch)
def _limit(node: exp.Expr) -> str:
    count = node.args.get("expression") or node.args.get("count")
    number = verbalize(count) if count is not None else "1"
    return "only the first one" if number == "1" else f"only the first {number}"


@verbalize.register
def _offset(node: exp.Offset) -> str:
    return f"leaving out the first {verbalize(node.expression)}"


@verbalize.register
def _group(node: exp.Group) -> str:
    return f"for each {enumerated(node)}"


@verbalize.register
def _join(node: exp.Join) -> str:
    if node.side in ("LEFT", "RIGHT", "FULL"):
        return f"all of them, also those without any {verbalize(node.this)}"
    return f"only those that have {verbalize(node.this)}"


RANK_WORDS: dict[type[exp.Expr], str] = {
    exp.DenseRank: "equal ones share a place and no place is left out after them",
    exp.Rank: "equal ones share a place and as many places are left out after them",
    exp.RowNumber: "each gets a place of its own, equal ones too",
}


@verbalize.register
def _window(node: exp.Window) -> str:
    order = f"ranked {verbalize(node.args['order'])}" if node.args.get("order") else ""
    within = listed(verbalize(item) for item in node.args.get("partition_by") or [])
    inner = RANK_WORDS.get(type(node.this)) or _neighbour(node.this)
    is_same_word = f"within the same {within}" if within else ""
    return listed([inner, order, is_same_word], ",").replace(" ,", ",")


def _neighbour(node: exp.Expr) -> str:
    if isinstance(node, exp.Lead | exp.Lag):
        return f"the {'next' if isinstance(node, exp.Lead) else 'previous'} {verbalize(node.this)}"
    return verbalize(node)


@verbalize.register
def _select(node: exp.Select) -> str:
    where = node.args.get("where")
    about = listed(verbalize(item) for item in node.expressions)
    return f"{about} where {verbalize(where)}" if where is not None else about


@verbalize.register(exp.Union)
@verbalize.register(exp.Except)
@verbalize.register(exp.Intersect)
def _set(node: exp.SetOperation) -> str:
    return f"{verbalize(node.this)}, together with {verbalize(node.expression)}"


@verbalize.register
def _create(node: exp.Create) -> str:
    name = node.find(exp.Table, exp.Identifier)
    kind = (node.args.get("kind") or "").lower()
    article = "an" if kind[:1] in "aeiou" else "a"
    return f"{article} {kind} called {name.name if name is not None else ''}".rstrip()


@verbalize.register
def _column_definition(node: exp.ColumnDef) -> str:
    return f"{node.name} ({verbalize(node.kind)})" if node.kind is not None else node.name


_TYPES = {
    "text": "text",
    "char": "text",
    "int": "whole number",
    "bool": "yes or no",
    "date": "date",
    "time": "date and time",
    "json": "JSON",
}


@verbalize.register
def _type(node: exp.DataType) -> str:
    name = node.sql().lower()
    return next((words for part, words in _TYPES.items() if part in name), "number")
