"""What is worked out of values, in plain words."""

from sqlglot import exp

from wardround.people.clarifying.plain_words.words import each, listed, sort_of, tell


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
    if sort_of(left) == sort_of(right) == "time":
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
        return f"the number of different {_plural(each(node.this))}, each counted once"
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
    of = tell(node.this).removeprefix("the ")
    return f"{timed if sort_of(node.this) == 'time' else plain} {of}"


@tell.register
def _percentile(node: exp.WithinGroup) -> str:
    value = node.this.find(exp.Literal)
    of = tell(node.expression.expressions[0].this)
    share = float(value.name) if value is not None else 0.5
    return f"the median of {of}" if share == 0.5 else f"the {100 * share:g}th percentile of {of}"


@tell.register
def _round(node: exp.Round) -> str:
    return f"{tell(node.this)}, {precision(node)}"


def precision(node: exp.Expr) -> str:
    """How exactly a rounded number is wanted."""
    decimals = node.args.get("decimals")
    number = decimals.name if decimals is not None else "0"
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


_PARTS_OF_TIME = {"%Y": "year", "%m": "month", "%d": "day", "%H": "hour", "%M": "minute"}


@tell.register
def _time_to_str(node: exp.TimeToStr) -> str:
    form = node.args["format"].name
    parts = listed(word for sign, word in _PARTS_OF_TIME.items() if sign in form)
    return f"the {parts or 'text'} of {tell(node.this)}"


@tell.register
def _trunc(node: exp.TimestampTrunc) -> str:
    return f"the {tell(node.args['unit'])} of {tell(node.this)}"
