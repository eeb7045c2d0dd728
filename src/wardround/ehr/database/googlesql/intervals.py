"""Intervals: MAKE_INTERVAL, and differences by `-` of dates (days) and of times (down to seconds).

BigQuery never carries the parts of such an interval over: 36 hours are no day.
"""

from sqlglot import exp

from wardround.ehr.database.googlesql.templates import fill

_MICROSECONDS = {"HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000}
_PARTS = ("year", "month", "day", "hour", "minute", "second")
_DATES = (exp.Date, exp.CurrentDate, exp.TsOrDsToDate)


def subtraction(node: exp.Sub) -> exp.Expr | None:
    """`a - b` of two dates as an interval, where DuckDB gives a number."""
    if not (_is_date(node.this) and _is_date(node.expression)):
        return None
    return fill("TO_DAYS(DATE_DIFF('DAY', __b, __a))", a=node.this, b=node.expression)


def made(node: exp.MakeInterval) -> exp.Expr:
    """MAKE_INTERVAL, whose parts sqlglot would write into a text, as the sum of its parts."""
    given = [value for value in node.args.values() if value is not None]
    unnamed = [value for value in given if not isinstance(value, exp.Kwarg)]
    parts = dict(zip(_PARTS, unnamed, strict=False))
    parts |= {value.name: value.expression for value in given if isinstance(value, exp.Kwarg)}
    sums = " + ".join(f"TO_{name}S(CAST(__{name} AS BIGINT))" for name in parts)
    return fill(f"({sums or 'INTERVAL 0 DAY'})", **parts)


def part_of_difference(node: exp.Extract) -> exp.Expr | None:
    """`EXTRACT(part FROM a - b)`; None if it takes the part of something else."""
    difference = node.expression.unnest()
    if not isinstance(difference, exp.Sub):
        return None
    unit = node.this.name.upper()
    if unit == "DAY":
        value = "CASE WHEN TYPEOF(__a) = 'DATE' THEN DATE_DIFF('DAY', __b, __a) ELSE 0 END"
    elif unit in _MICROSECONDS:
        whole = "EPOCH_US(__a) - EPOCH_US(__b)"
        wrapped = "" if unit == "HOUR" else " % 60"
        # Towards zero, as the signs of all parts are alike.
        part = f"CAST(TRUNC(({whole}) / {_MICROSECONDS[unit]}) AS BIGINT){wrapped}"
        value = f"CASE WHEN TYPEOF(__a) = 'DATE' THEN 0 ELSE {part} END"
    else:
        return None
    return fill(value, a=difference.this, b=difference.expression)


def _is_date(node: exp.Expr) -> bool:
    inner = node.unnest()
    return isinstance(inner, _DATES) or (isinstance(inner, exp.Cast) and inner.is_type("date"))
