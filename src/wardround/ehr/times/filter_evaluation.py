"""Evaluation of time filters in plain Python."""

import operator
from collections.abc import Callable
from datetime import datetime, timedelta

from wardround.ehr.times.filters import TimeFilter
from wardround.ehr.times.model import (
    Ago,
    Calendar,
    Comparison,
    Following,
    Moment,
    Part,
    Period,
    SameMoment,
    SamePeriod,
    Unit,
    coarser,
)

_COMPARE: dict[Comparison, Callable[[datetime, datetime], bool]] = {
    "=": operator.eq,
    "<=": operator.le,
    ">=": operator.ge,
}


def accepts(
    filter: TimeFilter, time: datetime, now: datetime, known_to: Unit | None = None
) -> bool:
    """True if the filter accepts a row of that time.

    Args:
        filter: A filter of one time.
        time: The time of the row.
        now: The current time.
        known_to: The unit to which the time is known, if not to the second; the filter then
            accepts it if it accepts any moment of that unit.

    Raises:
        TypeError: If the filter is about visits, two times or an order of rows.
    """
    values = filter.values

    def holds(unit: Unit | None, comparison: Comparison, bound: datetime) -> bool:
        cut = coarser(unit, known_to) if unit else known_to
        ends = (start_of(time, cut), start_of(bound, cut)) if cut else (time, bound)
        return _COMPARE[comparison](*ends)

    match filter.template.meaning:
        case Period(unit, comparison, back):
            return holds(unit, comparison, shifted(start_of(now, unit), -back, unit))
        case Ago(unit, comparison):
            return holds(None, comparison, shifted(now, -values[unit], unit))
        case Calendar(unit, comparison):
            return holds(unit, comparison, first_moment(filter))
        case Part(unit, of, back):
            in_period = holds(of, "=", shifted(start_of(now, of), -back, of))
            is_known = coarser(unit, known_to) == unit
            parts = values if is_known else ()
            return in_period and all(getattr(time, name) == values[name] for name in parts)
        case Moment():
            return holds(None, "=", first_moment(filter))
    raise TypeError(f"the time template {filter.template.id} is not about one time")


def accepts_pair(filter: TimeFilter, first: datetime, second: datetime) -> bool:
    """True if a `within` filter accepts two times.

    Raises:
        TypeError: If the filter is not about two times.
    """
    match filter.template.meaning:
        case SamePeriod(unit):
            return start_of(first, unit) == start_of(second, unit)
        case Following(unit):
            return first <= second <= shifted(first, filter.values[unit], unit)
        case SameMoment():
            return first == second
    raise TypeError(f"the time template {filter.template.id} is not about two times")


def first_moment(filter: TimeFilter) -> datetime:
    """The first moment of the date that an absolute filter names.

    Raises:
        KeyError: If the filter names no year.
    """
    values = {"month": 1, "day": 1, "hour": 0, "minute": 0, "second": 0, **filter.values}
    date = (values["year"], values["month"], values["day"])
    return datetime(*date, values["hour"], values["minute"], values["second"])


def start_of(time: datetime, unit: Unit) -> datetime:
    """The first moment of the time's year, month or day."""
    midnight = time.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "day":
        return midnight
    return midnight.replace(day=1) if unit == "month" else midnight.replace(day=1, month=1)


def shifted(time: datetime, count: int, unit: Unit) -> datetime:
    """The time `count` units later; a day missing from the target month overflows into the next.

    >>> shifted(datetime(2100, 3, 31), -1, "month")
    datetime.datetime(2100, 3, 3, 0, 0)
    """
    if unit == "day":
        return time + timedelta(days=count)
    first = start_of(time, "month")
    months = first.year * 12 + first.month - 1 + count * (12 if unit == "year" else 1)
    moved = first.replace(year=months // 12, month=months % 12 + 1)
    return moved + (time - first)
