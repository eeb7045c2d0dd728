"""What stands on either side of a comparison of times, whatever the dialect that wrote it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, get_args

from sqlglot import exp

from wardround.ehr.times.model import Unit

_UNITS: tuple[Unit, ...] = get_args(Unit)
_SHIFT = re.compile(r"([+-]\d+) (year|month|day)s?")
# The published v1.5 files are in lower case throughout, and with them the year's %Y.
_FORMATS: dict[str, tuple[Unit, ...]] = {
    "%Y": ("year",),
    "%y": ("year",),
    "%Y-%m": ("year", "month"),
    "%y-%m": ("year", "month"),
    "%Y-%m-%d": ("year", "month", "day"),
    "%y-%m-%d": ("year", "month", "day"),
    "%m": ("month",),
    "%m-%d": ("month", "day"),
    "%d": ("day",),
}


@dataclass(frozen=True)
class Instant:
    """A time: a column, the current time or a constant, cut to its unit and then shifted.

    Attributes:
        cast: Said to be a time; a bare column may be anything.
        start: The unit whose first moment it is.
        shift: How many units it is moved.
    """

    base: exp.Column | datetime | Literal["now"]
    cast: bool = False
    start: Unit | None = None
    shift: tuple[int, Unit] | None = None


@dataclass(frozen=True)
class Parts:
    """A column's year, month and day, or some of them, as text or as a number."""

    column: exp.Column
    names: tuple[Unit, ...]


def instant(node: exp.Expression) -> Instant | None:
    """The time that an expression is; None where it is none that time templates know."""
    match node:
        case exp.Column():
            return Instant(node)
        case exp.CurrentTime():
            return Instant("now")
        case exp.Literal(is_string=True):
            return _constant(node.this)
        case exp.Anonymous() if node.name.upper() == "DATETIME":
            return _modified(node.expressions)
        case exp.Cast() if node.to.this in exp.DataType.TEMPORAL_TYPES:
            inner = instant(node.this)
            return replace(inner, cast=True) if inner and not inner.start else None
        case exp.TimestampTrunc() | exp.DateTrunc():
            return _cut(node)
        case exp.Add() | exp.Sub():
            return _run_over(node) or _moved(node)
    return None


def parts(node: exp.Expression) -> Parts | None:
    """The parts of a column's date that an expression is; None where it is none."""
    match node:
        case exp.TimeToStr():
            column, names = node.this.this, _FORMATS.get(node.text("format"))
        case exp.Extract():
            column, names = node.expression, tuple(_unit(node.name))
        case _:
            return None
    return Parts(column, names) if isinstance(column, exp.Column) and names else None


def _unit(name: str) -> Iterator[Unit]:
    """The unit of that name, if it is one."""
    return (unit for unit in _UNITS if unit == name.lower())


def _constant(text: str) -> Instant | None:
    try:
        return Instant(datetime.strptime(text, "%Y-%m-%d %H:%M:%S"))
    except ValueError:
        return None


def _modified(arguments: list[exp.Expression]) -> Instant | None:
    """SQLite's `datetime`, whose further arguments say what is done to the first."""
    result = instant(arguments[0]) if arguments else None
    for argument in arguments[1:]:
        result = result and _with_modifier(result, argument.name)
    return replace(result, cast=True) if result else None


def _with_modifier(value: Instant, modifier: str) -> Instant | None:
    if modifier.startswith("start of "):
        return _started(value, modifier.removeprefix("start of "))
    found = _SHIFT.fullmatch(modifier)
    return _shifted(value, int(found[1]), found[2]) if found else None


def _cut(node: exp.TimestampTrunc | exp.DateTrunc) -> Instant | None:
    inner = instant(node.this)
    return _started(inner, node.text("unit")) if inner else None


def _moved(node: exp.Add | exp.Sub) -> Instant | None:
    inner, interval = instant(node.this), node.expression
    if not inner or not isinstance(interval, exp.Interval) or not interval.name.isdigit():
        return None
    sign = 1 if isinstance(node, exp.Add) else -1
    return _shifted(inner, sign * int(interval.name), interval.text("unit"))


def _started(value: Instant, name: str) -> Instant | None:
    unit = next(_unit(name), None)
    return None if value.start or value.shift or not unit else replace(value, start=unit)


def _shifted(value: Instant, count: int, name: str) -> Instant | None:
    unit = next(_unit(name), None)
    return None if value.shift or not unit else replace(value, shift=(count, unit))


def _run_over(node: exp.Add | exp.Sub) -> Instant | None:
    """A month's first day moved, and then the rest of the month: months as SQLite counts them."""
    rest = node.expression.unnest()
    if not isinstance(node, exp.Add) or not isinstance(rest, exp.Sub):
        return None
    moved, whole, first = instant(node.this), instant(rest.this), instant(rest.expression)
    if not moved or not whole or first != replace(whole, start="month"):
        return None
    return replace(whole, shift=moved.shift) if replace(moved, shift=None) == first else None
