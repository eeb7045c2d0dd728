"""Arguments and parts of GoogleSQL's date and time functions."""

from datetime import datetime

from sqlglot import exp

from wardround.ehr.database.googlesql.strictness.kinds import (
    MOMENTS,
    accepts,
    are_comparable,
    is_text,
    kind,
    name_of,
)
from wardround.ehr.database.googlesql.strictness.refusal import refusal

_DAYS = frozenset({"DAY", "WEEK", "ISOWEEK", "MONTH", "QUARTER", "YEAR", "ISOYEAR"})
_TIMES = frozenset({"MICROSECOND", "MILLISECOND", "SECOND", "MINUTE", "HOUR"})
_EXTRACTED = frozenset({"DAYOFWEEK", "DAYOFYEAR", "DATE", "TIME", "DATETIME"})
_DIFFERENCES = (exp.DateDiff, exp.DatetimeDiff, exp.TimestampDiff)
_SHIFTS = (
    exp.DateAdd,
    exp.DateSub,
    exp.DatetimeAdd,
    exp.DatetimeSub,
    exp.TimestampAdd,
    exp.TimestampSub,
)
_TRUNCATIONS = (exp.DateTrunc, exp.DatetimeTrunc, exp.TimestampTrunc)


def check_date(node: exp.Expr) -> None:
    """Check a date function.

    Raises:
        QueryError: An argument has the wrong type, or the part is unknown.
    """
    if isinstance(node, _DIFFERENCES):
        _difference(node)
    elif isinstance(node, _SHIFTS):
        _moment(node, node.this)
        _part(node, _DAYS | _TIMES, node.args.get("unit"))
        _whole(node.args["expression"])
    elif isinstance(node, _TRUNCATIONS):
        _moment(node, node.this)
        _part(node, _DAYS | _TIMES, node.args.get("unit"))
    elif isinstance(node, exp.Interval):
        _interval(node)
    elif isinstance(node, exp.Cast):
        _literal(node)


def check_part(node: exp.Expr) -> None:
    """Check EXTRACT."""
    source = node.args["expression"]
    if kind(source) not in (None, *MOMENTS, "TIME", "INTERVAL"):
        raise refusal("argument types", f"EXTRACT is given {kind(source)}.")
    allowed = _DAYS | _EXTRACTED | (frozenset() if kind(source) == "DATE" else _TIMES)
    _part(node, allowed, node.this)


def _difference(node: exp.Expr) -> None:
    _moment(node, node.this)
    _moment(node, node.args["expression"])
    if not are_comparable(node.this, node.args["expression"]):
        _refuse(node, f"{kind(node.this)} and {kind(node.args['expression'])}")
    both_days = {kind(node.this), kind(node.args["expression"])} == {"DATE"}
    _part(node, _DAYS if both_days else _DAYS | _TIMES, node.args.get("unit"))


def _moment(node: exp.Expr, argument: exp.Expr) -> None:
    if not accepts(argument, MOMENTS) or (is_text(argument) and not _is_moment(argument.name)):
        _refuse(node, str(kind(argument)))


def _part(node: exp.Expr, allowed: frozenset[str], unit: exp.Expr | None) -> None:
    if isinstance(unit, exp.WeekStart):  # WEEK with the day on which weeks begin
        unit = exp.var("WEEK")
    name = "" if unit is None else unit.name.upper() or unit.sql("bigquery").upper()
    if name.split("(")[0] not in allowed:
        raise refusal("argument types", f"{name_of(node)} takes no part {name or '(missing)'}.")


def _refuse(node: exp.Expr, given: str) -> None:
    raise refusal("argument types", f"{name_of(node)} is given {given}.")


def _interval(node: exp.Expr) -> None:
    if isinstance(node.args.get("unit"), exp.Var):
        _whole(node.this)


def _whole(size: exp.Expr) -> None:
    """Check the number of an INTERVAL, which sqlglot reads as text if it is a literal."""
    fraction = is_text(size) and "." in size.name
    if fraction or kind(size) not in (None, "INT64", "STRING", "INTERVAL"):
        raise refusal("argument types", "an INTERVAL takes a whole number.")


def _literal(node: exp.Expr) -> None:
    """Check the literal of DATE '…' and its like."""
    name = node.args["to"].sql("bigquery")
    if name in MOMENTS and is_text(node.this) and not _is_moment(node.this.name):
        raise refusal("syntax", f"'{node.this.name}' is no {name}.")


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text.strip().split("+")[0])
    except ValueError:
        return False
    return True
