"""Every wording of a time is recognised as that time, anywhere in a question."""

import random

from tests.cases import for_each
from wardround.ehr.times import (
    TimeFilter,
    TimeTag,
    TimeTemplate,
    all_templates,
    find_times,
    time_filter,
)
from wardround.ehr.times.model import Ago, Following
from wardround.ehr.times.random_filters import filter_wordings, reword_times

VALUES = {"year": 2100, "month": 7, "day": 3, "hour": 9, "minute": 5, "second": 0}


def _counts(template: TimeTemplate) -> bool:
    return isinstance(template.meaning, Ago | Following)


FILTERS = [
    TimeFilter(each, {name: 2 if _counts(each) else VALUES[name] for name in each.values})
    for each in all_templates()
]
PLACES = (
    "Did patient 10023239 get aspirin {}?",
    "Which drugs were given {} after a procedure?",
    "For patient 10023239 {}, what was the highest weight?",
)


@for_each(FILTERS)
def test_every_wording_is_recognised_as_the_same_time(filter: TimeFilter) -> None:
    for words in filter_wordings(filter)[1:]:
        for place in PLACES:
            result = [each.filter for each in find_times(place.format(words))]
            assert result == [filter], place.format(words)


def test_time_has_all_its_wordings() -> None:
    this_year = time_filter("rel-year-this")
    times = TimeTag(global1=this_year)
    wordings = {reword_times("How many this year?", times, random.Random(n)) for n in range(40)}
    assert wordings == {f"How many {words}?" for words in filter_wordings(this_year)}


def test_count_of_months_is_not_a_month() -> None:
    assert filter_wordings(time_filter("rel-month-since", month=21)) == ("since 21 months ago",)


def test_repeated_time_keeps_its_wording() -> None:
    times = TimeTag(global1=time_filter("rel-hosp-cur"))
    twice = "last on the current hospital visit, first on the current hospital visit"
    assert all(reword_times(twice, times, random.Random(n)) == twice for n in range(9))
