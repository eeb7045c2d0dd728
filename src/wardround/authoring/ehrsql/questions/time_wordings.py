"""Other words for the times of a question than the time templates' own."""

import random
import tomllib
from calendar import month_name
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from wardround.ehr.times import TimeFilter, TimeTag, filter_text


def ways_to_say(filter: TimeFilter) -> tuple[str, ...]:
    """Every way to say the filter, its own words first.

    >>> from wardround.ehr.times import time_filter
    >>> ways_to_say(time_filter("abs-month-since", month=7, year=2102))
    ('since 07/2102', 'since July 2102', 'starting in 07/2102')
    """
    others = _others().get(filter.template.id, ())
    return (filter_text(filter), *(_filled(words, filter) for words in others))


def said_otherwise(question: str, times: TimeTag, chance: random.Random) -> str:
    """The question with each of its times said in one of its ways.

    A time that stands there twice, as one visit of two values, keeps its words.
    """
    for filter in times.filters:
        if filter:
            own, *_ = ways = ways_to_say(filter)
            chosen = chance.choice(ways)
            question = question.replace(own, chosen) if question.count(own) == 1 else question
    return question


def _filled(words: str, filter: TimeFilter) -> str:
    month, day = (filter.values.get(unit, 0) for unit in ("month", "day"))
    return words.format(**filter.values, month_name=month_name[month], day_th=_th(day))


def _th(day: int) -> str:
    """The day as it is counted.

    >>> _th(1), _th(12), _th(23)
    ('1st', '12th', '23rd')
    """
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{day}{'th' if day in (11, 12, 13) else ends.get(day % 10, 'th')}"


@cache
def _others() -> Mapping[str, Sequence[str]]:
    file = files(__package__) / "times_said.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
