"""Dates and times, and FORMAT: differences by type, weeks that begin on Sunday, parts, strings."""

import re
from collections.abc import Iterator, Sequence

from sqlglot import exp

from wardround.ehr.database.googlesql.templates import fill, text
from wardround.ehr.database.googlesql.texts import AS_TEXT, as_text
from wardround.ehr.database.interface import QueryError

_INTERVAL_MICROSECONDS = {"HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000}
_PARTS = ("year", "month", "day", "hour", "minute", "second")
_DATES = (exp.Date, exp.CurrentDate, exp.TsOrDsToDate)

_SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86400}
_MICROSECONDS = {"MICROSECOND": 1, "MILLISECOND": 1000} | {
    part: 1_000_000 * seconds for part, seconds in _SECONDS.items()
}
_DAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")
_INSTANT = "'TIMESTAMP WITH TIME ZONE'"
_SUFFIXES = ("MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR")

_PIECE = re.compile(
    r"%(?P<flags>[-+ #0']*)(?P<width>\d*)(?P<precision>(?:\.\d+)?)(?P<kind>[diouxXeEfFgGstTpP%])"
    r"|(?P<plain>[^%]+|%)"
)


def has_instants(tree: exp.Expr) -> bool:
    """True if a value of the query may be a TIMESTAMP; MIMIC's columns are DATETIME."""
    return any(
        isinstance(node, exp.Timestamp | exp.CurrentTimestamp | exp.TimestampDiff)
        or (isinstance(node, exp.DataType) and node.this == exp.DType.TIMESTAMPTZ)
        for node in tree.walk()
    )


def difference(
    node: exp.DateDiff | exp.DatetimeDiff | exp.TimestampDiff, *, instants: bool
) -> exp.Expr:
    """Unit boundaries between dates or DATETIMEs, whole units between TIMESTAMPs."""
    end, start, part = node.this, node.expression, node.args.get("unit")
    if isinstance(node, exp.TimestampDiff):
        end, start = _instant(end), _instant(start)
    else:
        end, start = _time(end), _time(start)
    count, unit = _boundaries(part), _name(part)
    if instants and unit in _MICROSECONDS:
        count = (
            f"CASE WHEN TYPEOF(__a) = {_INSTANT}"
            f" THEN (EPOCH_US(__a) - EPOCH_US(__b)) // {_MICROSECONDS[unit]} ELSE {count} END"
        )
    return fill(count, a=end, b=start)


def _boundaries(part: exp.Expr | None) -> str:
    """The template of the boundaries of a part between __b and __a."""
    unit, shift = _name(part), _shift(part)
    if unit == "ISOYEAR":
        return "ISOYEAR(__a) - ISOYEAR(__b)"
    if shift is None:
        return f"DATE_DIFF('{unit}', __b, __a)"
    return (
        f"DATE_DIFF('DAY', DATE_TRUNC('WEEK', __b + INTERVAL {shift} DAY),"
        f" DATE_TRUNC('WEEK', __a + INTERVAL {shift} DAY)) // 7"
    )


def truncation(node: exp.Expr) -> exp.Expr | None:
    """A date or time cut to the beginning of a part, in its own type."""
    part, value = node.args.get("unit"), _time(node.this)
    unit, shift = _name(part), _shift(part)
    if unit == "ISOYEAR":
        cut = "DATE_TRUNC('WEEK', MAKE_DATE(CAST(ISOYEAR(__a) AS BIGINT), 1, 4))"
    elif shift is None:
        cut = f"DATE_TRUNC('{unit}', __a)"
    else:
        cut = f"DATE_TRUNC('WEEK', __a + INTERVAL {shift} DAY) - INTERVAL {shift} DAY"
    return fill(f"CAST_TO_TYPE({cut}, __a)", a=value)


def addition(node: exp.Expr) -> exp.Expr:
    """A date or time moved by an interval; a DATE moved by days stays a DATE."""
    sign = "-" if type(node).__name__.endswith("Sub") else "+"
    amount, unit = node.args["expression"], _name(node.args.get("unit"))
    if isinstance(amount, exp.Interval):
        amount, unit = amount.this, _name(amount.args.get("unit"))
    count = exp.Literal.number(amount.name) if isinstance(amount, exp.Literal) else amount
    scale, unit = (3, "MONTH") if unit == "QUARTER" else (1, unit)
    value = _time(node.this)
    amount_text = f"(__n * {scale})" if scale != 1 else "CAST(__n AS BIGINT)"
    moved = f"__a {sign} INTERVAL 1 {unit} * {amount_text}"
    return fill(moved if unit in _SUFFIXES else f"CAST_TO_TYPE({moved}, __a)", a=value, n=count)


def extraction(node: exp.Extract) -> exp.Expr | None:
    """A part of a date or time: days of the week from 1, weeks from the first Sunday."""
    part, value = node.this, _time(node.expression)
    unit, shift = _name(part), _shift(part)
    if unit == "DAYOFWEEK":
        return fill("DAYOFWEEK(__a) + 1", a=value)
    if unit in ("DATE", "TIME"):
        return exp.cast(value, unit, copy=False)
    if unit == "ISOWEEK":
        return fill("WEEKOFYEAR(__a)", a=value)
    if shift is not None:
        # Days of the year until the last beginning of a week, in whole weeks.
        return fill(f"(DAYOFYEAR(__a) + 6 - (ISODOW(__a) - 1 + {shift}) % 7) // 7", a=value)
    if unit in ("SECOND", "MILLISECOND", "MICROSECOND"):
        scale = {"SECOND": 1_000_000, "MILLISECOND": 1000, "MICROSECOND": 1}[unit]
        return fill(f"MICROSECOND(__a) % 60000000 % 60000000 // {scale} {_wrapped(unit)}", a=value)
    return None


def _wrapped(unit: str) -> str:
    return {"SECOND": "", "MILLISECOND": "% 1000", "MICROSECOND": "% 1000000"}[unit]


def _name(part: exp.Expr | None) -> str:
    """The part's name: of a WEEK(day) as of a WEEK."""
    if part is None:
        return "DAY"
    return "WEEK" if isinstance(part, exp.WeekStart) else part.name.upper()


def _shift(part: exp.Expr | None) -> int | None:
    """Days from the week's first day to the next Monday; None if the part is not a week."""
    if isinstance(part, exp.WeekStart):
        return (7 - _DAYS.index(part.name.upper())) % 7
    return {"WEEK": 1, "ISOWEEK": 0}.get(_name(part))


def _time(value: exp.Expr) -> exp.Expr:
    """The value, a literal string as the DATETIME that BigQuery reads in it."""
    return exp.cast(value.copy(), "TIMESTAMP") if value.is_string else value


def _instant(value: exp.Expr) -> exp.Expr:
    return exp.cast(value.copy(), "TIMESTAMPTZ") if value.is_string else value


def subtraction(node: exp.Sub) -> exp.Expr | None:
    """`a - b` of two dates as an interval, where DuckDB gives a number."""
    if not (_is_date(node.this) and _is_date(node.expression)):
        return None
    return fill("TO_DAYS(DATE_DIFF('DAY', __b, __a))", a=node.this, b=node.expression)


def made(node: exp.MakeInterval) -> exp.Expr:
    """MAKE_INTERVAL as the sum of its parts; sqlglot would write them into a text."""
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
    elif unit in _INTERVAL_MICROSECONDS:
        whole = "EPOCH_US(__a) - EPOCH_US(__b)"
        wrapped = "" if unit == "HOUR" else " % 60"
        # Towards zero, as the signs of all parts are alike.
        part = f"CAST(TRUNC(({whole}) / {_INTERVAL_MICROSECONDS[unit]}) AS BIGINT){wrapped}"
        value = f"CASE WHEN TYPEOF(__a) = 'DATE' THEN 0 ELSE {part} END"
    else:
        return None
    return fill(value, a=difference.this, b=difference.expression)


def _is_date(node: exp.Expr) -> bool:
    inner = node.unnest()
    return isinstance(inner, _DATES) or (isinstance(inner, exp.Cast) and inner.is_type("date"))


def formatted(node: exp.Format) -> exp.Expr:
    """FORMAT with a literal format string; NULL if an argument of another kind than %t is.

    Raises:
        QueryError: The format string is not a literal, or needs another number of arguments.
    """
    if not node.this.is_string:
        raise QueryError("FORMAT runs here with a literal format string only.", "syntax")
    whole: exp.Expr = text("")
    for piece in _pieces(node.this.name, node.expressions):
        whole = fill("__a || __b", a=whole, b=piece)
    return whole


def _pieces(template: str, values: Sequence[exp.Expr]) -> Iterator[exp.Expr]:
    rest = iter(values)
    for piece in _PIECE.finditer(template):
        if piece["plain"]:
            yield text(piece["plain"])
        elif piece["kind"] == "%":
            yield text("%")
        else:
            value = next(rest, None)
            if value is None:
                raise QueryError("FORMAT has too few arguments for its format string.", "syntax")
            yield _piece(piece, value)
    if next(rest, None) is not None:
        raise QueryError("FORMAT has more arguments than its format string takes.", "syntax")


def _piece(piece: re.Match[str], value: exp.Expr) -> exp.Expr:
    kind, flags, width = piece["kind"], piece["flags"], piece["width"]
    if kind == "t":
        return _padded(fill("COALESCE(__x, 'NULL')", x=as_text(value)), flags, width)
    if kind == "T":
        quoted = f"CASE WHEN TYPEOF(__x) = 'VARCHAR' THEN '\"' || __x || '\"' ELSE {AS_TEXT} END"
        shown = fill(f"COALESCE({quoted}, 'NULL')", x=value)
        return _padded(shown, flags, width)
    if kind == "s":
        return _padded(as_text(value), flags, width)
    type_name = "BIGINT" if kind in "dioxX" else "DOUBLE"
    if "'" in flags:
        pattern = f"{{:,{piece['precision']}{'' if type_name == 'BIGINT' else kind}}}"
        grouped = fill(
            "FORMAT(__p, __x)", p=text(pattern), x=exp.cast(value, type_name, copy=False)
        )
        return _padded(grouped, flags, width)
    pattern = f"%{flags}{width}{piece['precision']}{'d' if kind == 'i' else kind}"
    return fill("PRINTF(__p, __x)", p=text(pattern), x=exp.cast(value, type_name, copy=False))


def _padded(value: exp.Expr, flags: str, width: str) -> exp.Expr:
    """The text in its width, which does not cut it."""
    if not width:
        return value
    pattern = f"{{:{'<' if '-' in flags else '>'}{width}}}"
    return fill("FORMAT(__p, __x)", p=text(pattern), x=value)
