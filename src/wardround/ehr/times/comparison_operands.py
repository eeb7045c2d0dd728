"""Operands of time comparisons, parsed from any supported dialect."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, get_args

from sqlglot import exp

from wardround.ehr.times.model import Unit

_UNITS: tuple[Unit, ...] = get_args(Unit)
_SHIFT = re.compile(r"([+-]\d+) (year|month|day)s?")
# The published v1.5 files are lower-cased throughout, including %Y.
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
    """A column, the current time or a constant, truncated to a unit and then shifted.

    Attributes:
        cast: True if cast to a time; a bare column may have any type.
        start: The unit that it is truncated to.
        shift: The number of units added afterwards.
    """

    base: exp.Column | datetime | Literal["now"]
    cast: bool = False
    start: Unit | None = None
    shift: tuple[int, Unit] | None = None


@dataclass(frozen=True)
class Parts:
    """Date parts (year, month, day) of a column, as text or number."""

    column: exp.Column
    names: tuple[Unit, ...]


def instant(node: exp.Expression) -> Instant | None:
    """The expression as an instant; None if time templates cannot express it."""
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
            return _truncated(node)
        case exp.Add() | exp.Sub():
            return _month_overflow(node) or _with_interval(node)
    return None


def parts(node: exp.Expression) -> Parts | None:
    """The expression as parts of a column's date; None if it is something else."""
    match node:
        case exp.TimeToStr():
            column, names = node.this.this, _FORMATS.get(node.text("format"))
        case exp.Extract():
            column, names = node.expression, tuple(_unit(node.name))
        case _:
            return None
    return Parts(column, names) if isinstance(column, exp.Column) and names else None


def _unit(name: str) -> Iterator[Unit]:
    """The unit of that name, if it exists."""
    return (unit for unit in _UNITS if unit == name.lower())


def _constant(text: str) -> Instant | None:
    try:
        return Instant(datetime.strptime(text, "%Y-%m-%d %H:%M:%S"))
    except ValueError:
        return None


def _modified(arguments: list[exp.Expression]) -> Instant | None:
    """SQLite's `datetime(value, modifier, …)`."""
    result = instant(arguments[0]) if arguments else None
    for argument in arguments[1:]:
        result = result and _with_modifier(result, argument.name)
    return replace(result, cast=True) if result else None


def _with_modifier(value: Instant, modifier: str) -> Instant | None:
    if modifier.startswith("start of "):
        return _at_start_of(value, modifier.removeprefix("start of "))
    match = _SHIFT.fullmatch(modifier)
    return _shifted(value, int(match[1]), match[2]) if match else None


def _truncated(node: exp.TimestampTrunc | exp.DateTrunc) -> Instant | None:
    inner = instant(node.this)
    return _at_start_of(inner, node.text("unit")) if inner else None


def _with_interval(node: exp.Add | exp.Sub) -> Instant | None:
    inner, interval = instant(node.this), node.expression
    if not inner or not isinstance(interval, exp.Interval) or not interval.name.isdigit():
        return None
    sign = 1 if isinstance(node, exp.Add) else -1
    return _shifted(inner, sign * int(interval.name), interval.text("unit"))


def _at_start_of(value: Instant, name: str) -> Instant | None:
    unit = next(_unit(name), None)
    return None if value.start or value.shift or not unit else replace(value, start=unit)


def _shifted(value: Instant, count: int, name: str) -> Instant | None:
    unit = next(_unit(name), None)
    return None if value.shift or not unit else replace(value, shift=(count, unit))


def _month_overflow(node: exp.Add | exp.Sub) -> Instant | None:
    """A shifted month start plus the rest of the month: SQLite's month arithmetic."""
    rest = node.expression.unnest()
    if not isinstance(node, exp.Add) or not isinstance(rest, exp.Sub):
        return None
    moved, full, first = instant(node.this), instant(rest.this), instant(rest.expression)
    if not moved or not full or first != replace(full, start="month"):
        return None
    return replace(full, shift=moved.shift) if replace(moved, shift=None) == first else None
