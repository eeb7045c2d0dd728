"""Time filters that let a given moment through (Lee et al. 2022, 3.1.4: condition values)."""

import random
from datetime import datetime, timedelta

from wardround.ehr.times import TimeFilter, TimeTemplate, span
from wardround.ehr.times.filter_evaluation import accepts
from wardround.ehr.times.model import Ago, Calendar, Following, Moment, Part, Period, Unit
from wardround.ehr.times.moments import shifted, start_of

# The most units that a count goes back, and that a calendar date is away from the event: nobody
# says "since 900 days ago".
_AGO: dict[Unit, int] = {"year": 10, "month": 24, "day": 60}
_NEAR: dict[Unit, int] = {"year": 2, "month": 6, "day": 20}
_NEAREST = 4
_FOLLOWING = 3


def filter_around(
    template: TimeTemplate, time: datetime, now: datetime, chance: random.Random
) -> TimeFilter | None:
    """Returns a filter of that template that lets the time through; None if none does.

    Templates about visits and orders of rows have no values: theirs lets every time through.
    """
    match template.meaning:
        case Ago() as meaning:
            return _ago(template, meaning, time, now, chance)
        case Following():
            return TimeFilter(template, {template.values[0]: chance.randint(1, _FOLLOWING)})
        case Calendar(unit, comparison):
            steps = chance.randint(0, _NEAR[unit]) * {"=": 0, ">=": -1, "<=": 1}[comparison]
            near = min(shifted(time, steps, unit), now)
            return _named(template, near, time, now)
        case _:
            return _named(template, time, time, now)


def reach(template: TimeTemplate, now: datetime) -> tuple[datetime, datetime]:
    """Returns the first and last moment that some filter of the template lets through."""
    match template.meaning:
        case Period():
            return span(TimeFilter(template), now)
        case Part(_, of, back):
            start = shifted(start_of(now, of), -back, of)
            return start, shifted(start, 1, of) - timedelta(seconds=1)
        case Ago(unit, comparison):
            since, until = shifted(now, -_AGO[unit], unit), shifted(now, -1, unit)
            return (since, datetime.max) if comparison == ">=" else (datetime.min, until)
    return datetime.min, datetime.max


def _ago(
    template: TimeTemplate, meaning: Ago, time: datetime, now: datetime, chance: random.Random
) -> TimeFilter | None:
    counts = range(1, _AGO[meaning.unit] + 1)
    filters = [TimeFilter(template, {meaning.unit: count}) for count in counts]
    holding = [filter for filter in filters if accepts(filter, time, now)]
    nearest = holding[:_NEAREST] if meaning.comparison == ">=" else holding[-_NEAREST:]
    return chance.choice(nearest) if nearest else None


def _named(
    template: TimeTemplate, named: datetime, time: datetime, now: datetime
) -> TimeFilter | None:
    filter = TimeFilter(template, {name: getattr(named, name) for name in template.values})
    about_one_time = template.role == "global" and template.unit not in ("hospital", "icu")
    if about_one_time or isinstance(template.meaning, Moment):
        return filter if accepts(filter, time, now) else None
    return filter
