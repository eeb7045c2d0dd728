"""Other words for the times of a question than the time templates' own."""

import random
from calendar import month_name

from wardround.core.packaged_data import read_toml
from wardround.ehr.times.filters import TimeFilter, TimeTag, filter_text


def filter_wordings(filter: TimeFilter) -> tuple[str, ...]:
    """Returns every wording of the filter, its template's own first.

    >>> from wardround.ehr.times import time_filter
    >>> filter_wordings(time_filter("abs-month-since", month=7, year=2102))
    ('since 07/2102', 'since July 2102', 'starting in 07/2102')
    """
    others = read_toml(__package__, "filter_wordings.toml").get(filter.template.id, ())
    return (filter_text(filter), *(_filled(words, filter) for words in others))


def reword_times(question: str, times: TimeTag, chance: random.Random) -> str:
    """Returns the question with a drawn wording of each of its times.

    A time that occurs twice, such as one visit of two values, keeps its wording.
    """
    for filter in times.filters:
        if filter:
            own, *_ = ways = filter_wordings(filter)
            chosen = chance.choice(ways)
            question = question.replace(own, chosen) if question.count(own) == 1 else question
    return question


def _filled(words: str, filter: TimeFilter) -> str:
    month, day = (filter.values.get(unit, 0) for unit in ("month", "day"))
    return words.format(**filter.values, month_name=month_name[month], day_th=_th(day))


def _th(day: int) -> str:
    """Returns a day as an ordinal.

    >>> _th(1), _th(12), _th(23)
    ('1st', '12th', '23rd')
    """
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{day}{'th' if day in (11, 12, 13) else ends.get(day % 10, 'th')}"
