"""Verbalizes clauses and statements."""

from sqlglot import exp

from wardround.people.clarifying.plain_words.words import (
    enumerated,
    listed,
    quantity_kind,
    verbalize,
)


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
