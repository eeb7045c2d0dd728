"""Clauses and statements in plain words."""

from sqlglot import exp

from wardround.people.clarifying.plain_words.words import each, listed, sort_of, tell


@tell.register
def _distinct(node: exp.Distinct) -> str:
    of = tell(node.args["on"]) if node.args.get("on") else each(node)
    return f"each {of or 'line'} only once"


@tell.register
def _order(node: exp.Order) -> str:
    return f"by {', then by '.join(tell(one) for one in node.expressions)}"


@tell.register
def _ordered(node: exp.Ordered) -> str:
    down = bool(node.args.get("desc"))
    if sort_of(node.this) == "time":
        return f"{tell(node.this)}, {'latest' if down else 'earliest'} first"
    return f"{tell(node.this)}, {'highest first' if down else 'in ascending order'}"


@tell.register(exp.Limit)
@tell.register(exp.Fetch)
def _limit(node: exp.Expr) -> str:
    count = node.args.get("expression") or node.args.get("count")
    number = tell(count) if count is not None else "1"
    return "only the first one" if number == "1" else f"only the first {number}"


@tell.register
def _offset(node: exp.Offset) -> str:
    return f"leaving out the first {tell(node.expression)}"


@tell.register
def _group(node: exp.Group) -> str:
    return f"for each {each(node)}"


@tell.register
def _join(node: exp.Join) -> str:
    if node.side in ("LEFT", "RIGHT", "FULL"):
        return f"all of them, also those without any {tell(node.this)}"
    return f"only those that have {tell(node.this)}"


PLACES: dict[type[exp.Expr], str] = {
    exp.DenseRank: "equal ones share a place and no place is left out after them",
    exp.Rank: "equal ones share a place and as many places are left out after them",
    exp.RowNumber: "each gets a place of its own, equal ones too",
}


@tell.register
def _window(node: exp.Window) -> str:
    order = f"ranked {tell(node.args['order'])}" if node.args.get("order") else ""
    within = listed(tell(one) for one in node.args.get("partition_by") or [])
    inner = PLACES.get(type(node.this)) or _neighbour(node.this)
    same = f"within the same {within}" if within else ""
    return listed([inner, order, same], ",").replace(" ,", ",")


def _neighbour(node: exp.Expr) -> str:
    if isinstance(node, exp.Lead | exp.Lag):
        return f"the {'next' if isinstance(node, exp.Lead) else 'previous'} {tell(node.this)}"
    return tell(node)


@tell.register
def _select(node: exp.Select) -> str:
    where = node.args.get("where")
    about = listed(tell(one) for one in node.expressions)
    return f"{about} where {tell(where)}" if where is not None else about


@tell.register(exp.Union)
@tell.register(exp.Except)
@tell.register(exp.Intersect)
def _set(node: exp.SetOperation) -> str:
    return f"{tell(node.this)}, together with {tell(node.expression)}"


@tell.register
def _create(node: exp.Create) -> str:
    name = node.find(exp.Table, exp.Identifier)
    kind = (node.args.get("kind") or "").lower()
    return f"a {kind} called {name.name if name is not None else ''}".rstrip()


@tell.register
def _column_definition(node: exp.ColumnDef) -> str:
    return f"{node.name} ({tell(node.kind)})" if node.kind is not None else node.name


_TYPES = {
    "text": "text",
    "char": "text",
    "int": "whole number",
    "bool": "yes or no",
    "date": "date",
    "time": "date and time",
    "json": "JSON",
}


@tell.register
def _type(node: exp.DataType) -> str:
    name = node.sql().lower()
    return next((words for part, words in _TYPES.items() if part in name), "number")
