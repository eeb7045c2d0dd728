"""Dates in the forms in which notes have them are read again."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.ehr.text.dates import Date, dates, without_times

FORMS = ("{0:%Y-%m-%d}", "{0:%Y/%m/%d}", "{0:%B} {0.day}, {0:%Y}", "{0.day} {0:%b} {0:%Y}",
         "{0:%Y}年{0.month}月{0.day}日")  # fmt: skip
DAYS = st.dates(date(1900, 1, 1), date(2299, 12, 31))


@pytest.mark.parametrize("form", FORMS)
@given(day=DAYS)
def test_dates_are_read_again(form: str, day: date) -> None:
    written = form.format(day)
    place = len("seen on ")
    assert dates(f"seen on {written}.") == (Date(place, place + len(written), day.isoformat()),)


@given(day=DAYS, form=st.sampled_from(FORMS))
def test_dates_and_times_are_blanked_out(day: date, form: str) -> None:
    text = f"K 4.5 on {form.format(day)} at 14:05"
    blanked = without_times(text)
    assert len(blanked) == len(text)
    assert blanked.split() == ["K", "4.5", "on", "at"]
