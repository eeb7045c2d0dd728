"""Verbalizes calculations."""

from sqlglot import exp

from wardround.people.clarifying.names import is_key
from wardround.people.clarifying.plain_words.words import (
    enumerated,
    listed,
    quantity_kind,
    verbalize,
)

_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div)


@verbalize.register
def _interval(node: exp.Interval) -> str:
    amount = node.this.name if node.this else ""
    unit = node.args.get("unit")
    return f"{amount} {unit.name.lower()}" if unit else amount


@verbalize.register
def _add(node: exp.Add) -> str:
    if isinstance(node.expression, exp.Interval):
        return f"{verbalize(node.expression)} after the {verbalize(node.this)}"
    return f"{verbalize(node.this)} plus {verbalize(node.expression)}"


@verbalize.register
def _sub(node: exp.Sub) -> str:
    left, right = node.this, node.expression
    if isinstance(right, exp.Interval):
        return f"{verbalize(right)} before the {verbalize(left)}"
    if quantity_kind(left) == quantity_kind(right) == "time":
        return f"the time from {_moment(right)} to {_moment(left)}"
    return f"{verbalize(left)} minus {verbalize(right)}"


def _moment(node: exp.Expr) -> str:
    return verbalize(node).removeprefix("time of ")


@verbalize.register
def _mul(node: exp.Mul) -> str:
    if isinstance(node.this, exp.Literal) and float(node.this.name or 0) == 100:
        return f"the percentage of {verbalize(node.expression)}"
    return f"{verbalize(node.this)} times {verbalize(node.expression)}"


@verbalize.register
def _div(node: exp.Div) -> str:
    return f"{verbalize(node.this)} divided by {verbalize(node.expression)}"


@verbalize.register
def _parenthesized(node: exp.Paren) -> str:
    """Keeps the parentheses of a formula within a formula."""
    inner = verbalize(node.this)
    is_formula = isinstance(node.this, _ARITHMETIC) and isinstance(node.parent, _ARITHMETIC)
    return f"({inner})" if is_formula else inner


@verbalize.register
def _count(node: exp.Count) -> str:
    if isinstance(node.this, exp.Star) or node.this is None:
        return "the number of entries"
    if isinstance(node.this, exp.Distinct):
        return f"the number of different {_plural(enumerated(node.this))}, each counted once"
    if isinstance(node.this, exp.Column) and is_key(node.this.name):
        return f"the number of {_plural(verbalize(node.this))}"
    return f"the number of entries with a known {verbalize(node.this)}"


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


@verbalize.register(exp.Avg)
@verbalize.register(exp.Max)
@verbalize.register(exp.Min)
@verbalize.register(exp.Sum)
@verbalize.register(exp.Median)
@verbalize.register(exp.Stddev)
def _aggregate(node: exp.AggFunc) -> str:
    plain, timed = _AGGREGATES[type(node)]
    of = verbalize(node.this).removeprefix("the ")
    return f"{timed if quantity_kind(node.this) == 'time' else plain} {of}"


@verbalize.register
def _percentile(node: exp.WithinGroup) -> str:
    value = node.this.find(exp.Literal)
    of = verbalize(node.expression.expressions[0].this)
    share = float(value.name) if value is not None else 0.5
    return f"the median of {of}" if share == 0.5 else f"the {100 * share:g}th percentile of {of}"


@verbalize.register
def _round(node: exp.Round) -> str:
    return f"{verbalize(node.this)}, {precision(node)}"


def precision(node: exp.Expr) -> str:
    """Verbalizes the precision of a rounded number."""
    decimals = node.args.get("decimals")
    number = decimals.name if decimals is not None else "0"
    if number == "0":
        return "rounded to whole numbers"
    return f"rounded to {number} decimal{'' if number == '1' else 's'}"


@verbalize.register
def _coalesce(node: exp.Coalesce) -> str:
    defaults = listed((verbalize(item) for item in node.expressions), "or")
    return f"{verbalize(node.this)}, or {defaults} where that is missing"


@verbalize.register
def _nullif(node: exp.Nullif) -> str:
    return f"{verbalize(node.this)} (left out where it is {verbalize(node.expression)})"


@verbalize.register
def _case(node: exp.Case) -> str:
    default = node.args.get("default")
    branches = "; ".join(verbalize(item) for item in node.args["ifs"])
    return f"{branches}; otherwise {verbalize(default)}" if default is not None else branches


@verbalize.register
def _if(node: exp.If) -> str:
    return f"{verbalize(node.args['true'])} if {verbalize(node.this)}"


@verbalize.register
def _filter(node: exp.Filter) -> str:
    return f"{verbalize(node.this)} where {verbalize(node.expression)}"


@verbalize.register
def _extract(node: exp.Extract) -> str:
    unit = node.this.name.lower()
    if unit == "epoch":
        return f"{verbalize(node.expression)} in seconds"
    return f"the {unit} of {verbalize(node.expression)}"


_PARTS_OF_TIME = {"%Y": "year", "%m": "month", "%d": "day", "%H": "hour", "%M": "minute"}


@verbalize.register
def _time_to_str(node: exp.TimeToStr) -> str:
    form = node.args["format"].name
    parts = listed(word for sign, word in _PARTS_OF_TIME.items() if sign in form)
    return f"the {parts or 'text'} of {verbalize(node.this)}"


@verbalize.register
def _trunc(node: exp.TimestampTrunc) -> str:
    return f"the {verbalize(node.args['unit'])} of {verbalize(node.this)}"
