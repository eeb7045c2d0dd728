"""Time filters drawn at random around the times of a database, and their wordings."""

import random
from datetime import datetime, timedelta

from wardround.core.packaged_data import read_toml
from wardround.ehr.text.dates import MONTH_NAMES
from wardround.ehr.times import TimeTemplate, span
from wardround.ehr.times.filter_evaluation import accepts, shifted, start_of
from wardround.ehr.times.filters import TimeFilter, TimeTag, filter_text
from wardround.ehr.times.model import Ago, Calendar, Following, Moment, Part, Period, Unit

# Largest counts of relative times, and largest distances of calendar dates from the event: nobody
# says "since 900 days ago".
_AGO: dict[Unit, int] = {"year": 10, "month": 24, "day": 60}
_NEAR: dict[Unit, int] = {"year": 2, "month": 6, "day": 20}
_NEAREST = 4
_FOLLOWING = 3


def filter_around(
    template: TimeTemplate, time: datetime, now: datetime, chance: random.Random
) -> TimeFilter | None:
    """Draw a filter of a template that accepts a time; None if there is none.

    Templates about visits and ranks have no values; their filter accepts every time.
    """
    match template.meaning:
        case Ago() as meaning:
            return _ago(template, meaning, time, now, chance)
        case Following():
            return TimeFilter(template, {template.values[0]: chance.randint(1, _FOLLOWING)})
        case Calendar(unit, comparison):
            steps = chance.randint(0, _NEAR[unit]) * {"=": 0, ">=": -1, "<=": 1}[comparison]
            near = min(shifted(time, steps, unit), now)
            return _dated_filter(template, near, time, now)
        case _:
            return _dated_filter(template, time, time, now)


def reach(template: TimeTemplate, now: datetime) -> tuple[datetime, datetime]:
    """The first and last moment that any filter of the template accepts."""
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


def _dated_filter(
    template: TimeTemplate, date: datetime, time: datetime, now: datetime
) -> TimeFilter | None:
    filter = TimeFilter(template, {name: getattr(date, name) for name in template.values})
    about_one_time = template.role == "global" and template.unit not in ("hospital", "icu")
    if about_one_time or isinstance(template.meaning, Moment):
        return filter if accepts(filter, time, now) else None
    return filter


def filter_wordings(filter: TimeFilter) -> tuple[str, ...]:
    """All wordings of a filter, starting with its template's.

    >>> from wardround.ehr.times import time_filter
    >>> filter_wordings(time_filter("abs-month-since", month=7, year=2102))
    ('since 07/2102', 'since July 2102', 'starting in 07/2102')
    """
    alternatives = read_toml(__package__, "filter_wordings.toml").get(filter.template.id, ())
    return (filter_text(filter), *(_filled(words, filter) for words in alternatives))


def reword_times(question: str, times: TimeTag, chance: random.Random) -> str:
    """Replace each time of a question by a random wording of it.

    A phrase that occurs twice, such as one visit of two values, is left unchanged.
    """
    for filter in times.filters:
        if filter:
            first, *_ = ways = filter_wordings(filter)
            wording = chance.choice(ways)
            question = question.replace(first, wording) if question.count(first) == 1 else question
    return question


def _filled(words: str, filter: TimeFilter) -> str:
    month, day = (filter.values.get(unit, 0) for unit in ("month", "day"))
    return words.format(**filter.values, month_name=MONTH_NAMES[month - 1], day_th=_th(day))


def _th(day: int) -> str:
    """A day as an ordinal.

    >>> _th(1), _th(12), _th(23)
    ('1st', '12th', '23rd')
    """
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{day}{'th' if day in (11, 12, 13) else ends.get(day % 10, 'th')}"
