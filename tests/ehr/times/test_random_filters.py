"""Random time filters accept the moment they are drawn around."""

import random
from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.ehr.times import TimeTemplate, all_templates
from wardround.ehr.times.filter_evaluation import accepts
from wardround.ehr.times.model import Visit
from wardround.ehr.times.random_filters import filter_around, reach

NOW = datetime(2100, 12, 31, 23, 59)
TIMED = [
    each
    for each in all_templates()
    if each.role == "global" and not isinstance(each.meaning, Visit)
]
MOMENTS = st.datetimes(datetime(2098, 1, 1), NOW).map(lambda time: time.replace(microsecond=0))


@given(st.sampled_from(TIMED), MOMENTS, st.integers(0, 99))
def test_random_filter_accepts_its_moment(
    template: TimeTemplate, time: datetime, seed: int
) -> None:
    filter = filter_around(template, time, NOW, random.Random(seed))
    start, end = reach(template, NOW)
    if filter is None:
        assert template.meaning is not None
        assert not start <= time <= end or template.expression == "mix"
    else:
        assert accepts(filter, time, NOW)
        assert start <= time <= end


@for_each(TIMED)
def test_every_template_reaches_some_moment(template: TimeTemplate) -> None:
    start, end = reach(template, NOW)
    moment = max(start, min(end, NOW) if end >= datetime(2098, 1, 1) else end)
    assert filter_around(template, moment, NOW, random.Random(0)) is not None
