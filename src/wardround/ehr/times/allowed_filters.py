"""Rules for combining time filters in one question."""

from datetime import datetime, timedelta

from wardround.ehr.times.filter_evaluation import first_moment, shifted, start_of
from wardround.ehr.times.filters import TimeFilter, TimeTag
from wardround.ehr.times.model import (
    Ago,
    Calendar,
    Comparison,
    Moment,
    Part,
    Period,
    Rank,
    Unit,
    Visit,
)

Span = tuple[datetime, datetime]

_VISITS = ("first", "last", "current")
_ROWS = (Rank(False, 0), Rank(False, 1), Rank(True, 1), Rank(True, 0))
_TICK = timedelta(seconds=1)


def is_legal(tag: TimeTag, now: datetime) -> bool:
    """True if the filters can be combined (Lee et al. 2022, B.1 and B.2).

    Every filter has the role of its slot, and a second slot is filled only after the first. The
    second global filter equals the first or lies entirely after it; the second exact time is
    later than the first; days must exist (31 June of this year does not). No template combines
    "this" with "since" or "until", which would be redundant.
    """
    roles = ("global", "global", "within", "exact", "exact")
    placed = zip(tag.filters, roles, strict=True)
    return (
        all(filter is None or filter.template.role == role for filter, role in placed)
        and _on_the_calendar(tag.global1, now)
        and _on_the_calendar(tag.global2, now)
        and _globals_in_order(tag.global1, tag.global2, now)
        and _exacts_in_order(tag.exact1, tag.exact2)
    )


def span(filter: TimeFilter, now: datetime) -> Span:
    """The first and last second that a global filter on one time accepts.

    Raises:
        TypeError: If the filter is about visits, two times or an order of rows.
        ValueError: If the day does not exist, such as 31 June of this year.
    """
    match filter.template.meaning:
        case Period(unit, comparison, back):
            return _span_from(shifted(start_of(now, unit), -back, unit), unit, comparison)
        case Calendar(unit, comparison):
            return _span_from(first_moment(filter), unit, comparison)
        case Ago(unit, comparison):
            then = shifted(now, -filter.values[unit], unit)
            return (then, datetime.max) if comparison == ">=" else (datetime.min, then)
        case Part(unit, of, back):
            period = shifted(start_of(now, of), -back, of)
            date = {"month": period.month, "day": period.day, **filter.values}
            return _span_from(period.replace(month=date["month"], day=date["day"]), unit, "=")
    raise TypeError(f"the time template {filter.template.id} has no span of time")


def _span_from(start: datetime, unit: Unit, comparison: Comparison) -> Span:
    end = shifted(start, 1, unit) - _TICK
    return (
        datetime.min if comparison == "<=" else start,
        datetime.max if comparison == ">=" else end,
    )


def _on_the_calendar(filter: TimeFilter | None, now: datetime) -> bool:
    if filter is None or not isinstance(filter.template.meaning, Part):
        return True
    try:
        span(filter, now)
    except ValueError:
        return False
    return True


def _globals_in_order(first: TimeFilter | None, second: TimeFilter | None, now: datetime) -> bool:
    if first is None or second is None:
        return second is None
    if first == second:
        return True
    match first.template.meaning, second.template.meaning:
        case Visit(first_stay, earlier), Visit(second_stay, later):
            return first_stay == second_stay and _VISITS.index(earlier) < _VISITS.index(later)
        case (Visit(), _) | (_, Visit()):
            return False
    return span(first, now)[1] < span(second, now)[0]


def _exacts_in_order(first: TimeFilter | None, second: TimeFilter | None) -> bool:
    if first is None or second is None:
        return second is None
    match first.template.meaning, second.template.meaning:
        case Rank() as earlier, Rank() as later:
            return _ROWS.index(earlier) < _ROWS.index(later)
        case Moment(), Moment():
            return first_moment(first) < first_moment(second)
    return False
