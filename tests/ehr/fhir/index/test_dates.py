"""Time spans of FHIR dates."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.ehr.fhir.index.dates import interval, period, timing
from wardround.ehr.fhir.index.values import Interval

BOSTON = ZoneInfo("America/New_York")
MOMENTS = st.datetimes(datetime(1800, 1, 1), datetime(9998, 12, 31))
OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
FORMS = ("%Y", "%Y-%m", "%Y-%m-%d")


def span(text: str) -> Interval:
    found = interval(text, BOSTON)
    assert found is not None
    return found


@given(MOMENTS, OFFSETS)
def test_second_with_offset_is_that_second(moment: datetime, offset: timezone) -> None:
    moment = moment.replace(microsecond=0, tzinfo=offset)
    low = round((moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()) * 1000
    assert span(moment.isoformat()) == Interval(low, low + 1000)


@given(MOMENTS, st.integers(0, 3))
def test_less_precise_dates_hold_the_more_precise(moment: datetime, digits: int) -> None:
    local = moment.replace(tzinfo=BOSTON)
    fraction = f".{moment.microsecond:06d}"[: digits + 1] if digits else ""
    time = local.strftime("%Y-%m-%dT%H:%M")
    second = f"{time}{local.strftime(':%S')}"
    texts = [local.strftime(form) for form in FORMS] + [time, second, f"{second}{fraction}"]
    spans = [span(text.zfill(4)) for text in texts]
    for wide, narrow in pairwise(spans):
        assert (wide.low or 0) <= (narrow.low or 0) < (narrow.high or 0) <= (wide.high or 0)


@given(st.text("0123456789-:T.Z+", max_size=30))
def test_any_text_is_a_span_or_none(text: str) -> None:
    found = interval(text, UTC)
    assert found is None or found.low is not None


@given(MOMENTS)
def test_days_follow_each_other_without_a_gap(moment: datetime) -> None:
    day, following = (moment + timedelta(days=days) for days in (0, 1))
    assert span(f"{day:%Y-%m-%d}").high == span(f"{following:%Y-%m-%d}").low


@for_each(
    ["2180-13", "2180-00-01", "2180-02-30", "0000", "218", "2180-5-6", "2180-05-06T24:00:00Z",
     "2180-05-06T10:60:00Z", "2180-05-06T10:00:61Z", "2180-05-06T10:00:00+15:00",
     "2180-05-06 10:00:00-04:00", "2180-W01-1T10:00:00+00:00", "٢١٨٠", "2180-05-06T10", ""]
)  # fmt: skip
def test_text_that_is_no_date_has_no_span(text: str) -> None:
    assert interval(text, UTC) is None


def test_a_day_is_shorter_when_summer_time_begins() -> None:
    day = span("2024-03-10")
    assert (day.high or 0) - (day.low or 0) == 23 * 3_600_000


def test_a_leap_second_is_the_second_after_the_last() -> None:
    assert span("2016-12-31T23:59:60Z") == span("2017-01-01T00:00:00Z")


def test_the_last_year_has_no_end() -> None:
    assert span("9999").high is span("9999-12-31").high is None


def test_periods_are_open_where_an_end_is_missing() -> None:
    assert period({"start": "1970-01-01"}, UTC) == Interval(0, None)
    assert period({"end": "1970-01-01"}, UTC) == Interval(None, 86_400_000)
    assert period({}, UTC) is None


def test_timings_reach_from_their_first_to_their_last_time() -> None:
    events = ["1970-01-03", "1970-01-01"]
    assert timing({"event": events}, UTC) == Interval(0, 3 * 86_400_000)
    bounds = {"repeat": {"boundsPeriod": {"start": "1970-01-01"}}}
    assert timing({"event": events, **bounds}, UTC) == Interval(0, None)
    assert timing({"repeat": {"frequency": 2}}, UTC) is None
