"""SQL in plain words: an expression's tree is walked, no name or keyword of it is said."""

import re
from collections.abc import Iterable
from functools import singledispatch

from sqlglot import exp

from wardround.people.clarifying.comparing import compared
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


def tell_aspect(sort: str, node: exp.Expr) -> str:
    """What a piece tells of one thing that it is, and no more than that.

    >>> from sqlglot import parse_one
    >>> tell_aspect("decimal", parse_one("ROUND(AVG(valuenum), 2)", read="postgres"))
    'rounded to 2 decimals'
    """
    if sort == "decimal":
        decimals = node.args.get("decimals")
        return rounded_to(decimals.name if decimals is not None else "0")
    if sort == "rank":
        return _PLACES[type(node.this)]
    return node.name if sort == "name" else tell(node)


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


def _each(node: exp.Expr) -> str:
    return listed(tell(one) for one in node.expressions)


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


@tell.register(exp.GT)
@tell.register(exp.GTE)
@tell.register(exp.LT)
@tell.register(exp.LTE)
@tell.register(exp.EQ)
@tell.register(exp.NEQ)
def _comparison(node: exp.Binary) -> str:
    left, right = node.this, node.expression
    from_there = isinstance(right, exp.Add | exp.Sub) and isinstance(right.expression, exp.Interval)
    sort = "distance" if from_there else _sort(left)
    return compared(node.key, tell(left), tell(right), sort)


def _sort(node: exp.Expr) -> str:
    """Whether something is an age, a point in time or anything else, for how it is compared."""
    column = node.find(exp.Column)
    if isinstance(node, exp.Binary | exp.Func) or column is None:
        return "any"
    if re.search(r"\bage\b", spoken(column.name)):
        return "age"
    return "time" if is_time(column.name) else "any"


@tell.register
def _between(node: exp.Between) -> str:
    low, high = tell(node.args["low"]), tell(node.args["high"])
    return f"{tell(node.this)} from {low} to {high}"


@tell.register
def _in(node: exp.In) -> str:
    if query := node.args.get("query"):
        return f"{tell(node.this)} among {tell(query)}"
    if len(node.expressions) == 1:
        return f"{tell(node.this)} is {_each(node)}"
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


@tell.register
def _interval(node: exp.Interval) -> str:
    amount = node.this.name if node.this else ""
    unit = node.args.get("unit")
    return f"{amount} {unit.name.lower()}" if unit else amount


@tell.register
def _add(node: exp.Add) -> str:
    if isinstance(node.expression, exp.Interval):
        return f"{tell(node.expression)} after the {tell(node.this)}"
    return f"{tell(node.this)} plus {tell(node.expression)}"


@tell.register
def _sub(node: exp.Sub) -> str:
    left, right = node.this, node.expression
    if isinstance(right, exp.Interval):
        return f"{tell(right)} before the {tell(left)}"
    if _sort(left) == _sort(right) == "time":
        return f"the time from {_moment(right)} to {_moment(left)}"
    return f"{tell(left)} minus {tell(right)}"


def _moment(node: exp.Expr) -> str:
    return tell(node).removeprefix("time of ")


@tell.register
def _mul(node: exp.Mul) -> str:
    if isinstance(node.this, exp.Literal) and float(node.this.name or 0) == 100:
        return f"the percentage of {tell(node.expression)}"
    return f"{tell(node.this)} times {tell(node.expression)}"


@tell.register
def _div(node: exp.Div) -> str:
    return f"{tell(node.this)} divided by {tell(node.expression)}"


@tell.register
def _count(node: exp.Count) -> str:
    if isinstance(node.this, exp.Star) or node.this is None:
        return "the number of entries"
    if isinstance(node.this, exp.Distinct):
        return f"the number of different {_plural(_each(node.this))}, each counted once"
    return f"the number of entries with a known {tell(node.this)}"


def _plural(word: str) -> str:
    return word if word.endswith("s") else f"{word}s"


_AGGREGATES: dict[type[exp.Expr], tuple[str, str]] = {
    exp.Avg: ("the average", "the average"),
    exp.Max: ("the highest", "the latest"),
    exp.Min: ("the lowest", "the earliest"),
    exp.Sum: ("the total of", "the total of"),
    exp.Median: ("the median of", "the median of"),
    exp.Stddev: ("the standard deviation of", "the standard deviation of"),
}


@tell.register(exp.Avg)
@tell.register(exp.Max)
@tell.register(exp.Min)
@tell.register(exp.Sum)
@tell.register(exp.Median)
@tell.register(exp.Stddev)
def _aggregate(node: exp.AggFunc) -> str:
    plain, timed = _AGGREGATES[type(node)]
    return f"{timed if _sort(node.this) == 'time' else plain} {tell(node.this)}"


@tell.register
def _percentile(node: exp.WithinGroup) -> str:
    value = node.this.find(exp.Literal)
    of = tell(node.expression.expressions[0].this)
    share = float(value.name) if value is not None else 0.5
    return f"the median of {of}" if share == 0.5 else f"the {100 * share:g}th percentile of {of}"


@tell.register
def _round(node: exp.Round) -> str:
    return f"{tell(node.this)}, {tell_aspect('decimal', node)}"


def rounded_to(number: str) -> str:
    """How exactly a number is wanted.

    >>> rounded_to("1"), rounded_to("0")
    ('rounded to 1 decimal', 'rounded to whole numbers')
    """
    if number == "0":
        return "rounded to whole numbers"
    return f"rounded to {number} decimal{'' if number == '1' else 's'}"


@tell.register
def _coalesce(node: exp.Coalesce) -> str:
    others = listed((tell(one) for one in node.expressions), "or")
    return f"{tell(node.this)}, or {others} where that is missing"


@tell.register
def _nullif(node: exp.Nullif) -> str:
    return f"{tell(node.this)} (left out where it is {tell(node.expression)})"


@tell.register
def _case(node: exp.Case) -> str:
    default = node.args.get("default")
    branches = "; ".join(tell(one) for one in node.args["ifs"])
    return f"{branches}; otherwise {tell(default)}" if default is not None else branches


@tell.register
def _if(node: exp.If) -> str:
    return f"{tell(node.args['true'])} if {tell(node.this)}"


@tell.register
def _filter(node: exp.Filter) -> str:
    return f"{tell(node.this)} where {tell(node.expression)}"


@tell.register
def _extract(node: exp.Extract) -> str:
    unit = node.this.name.lower()
    if unit == "epoch":
        return f"{tell(node.expression)} in seconds"
    return f"the {unit} of {tell(node.expression)}"


@tell.register
def _trunc(node: exp.TimestampTrunc) -> str:
    return f"the {tell(node.args['unit'])} of {tell(node.this)}"


@tell.register
def _distinct(node: exp.Distinct) -> str:
    of = tell(node.args["on"]) if node.args.get("on") else _each(node)
    return f"each {of or 'line'} only once"


@tell.register
def _order(node: exp.Order) -> str:
    return f"by {', then by '.join(tell(one) for one in node.expressions)}"


@tell.register
def _ordered(node: exp.Ordered) -> str:
    down = bool(node.args.get("desc"))
    if _sort(node.this) == "time":
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
    return f"for each {_each(node)}"


@tell.register
def _join(node: exp.Join) -> str:
    if node.side in ("LEFT", "RIGHT", "FULL"):
        return f"all of them, also those without any {tell(node.this)}"
    return f"only those that have {tell(node.this)}"


_PLACES: dict[type[exp.Expr], str] = {
    exp.DenseRank: "equal ones share a place and no place is left out after them",
    exp.Rank: "equal ones share a place and as many places are left out after them",
    exp.RowNumber: "each gets a place of its own, equal ones too",
}


@tell.register
def _window(node: exp.Window) -> str:
    order = f"ranked {tell(node.args['order'])}" if node.args.get("order") else ""
    within = listed(tell(one) for one in node.args.get("partition_by") or [])
    inner = _PLACES.get(type(node.this)) or _neighbour(node.this)
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


@tell.register
def _var(node: exp.Var) -> str:
    return node.name.lower()
