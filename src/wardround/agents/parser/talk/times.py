"""Reads time expressions ("past 90 days", "since 2099", "in March 2100") as time windows."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple, TypeAlias

from wardround.agents.parser.talk.numbers import number, number_pattern
from wardround.ehr.query import Between
from wardround.ehr.text.dates import MONTH_NAMES, MONTHS

_SHORT_MONTHS = [name for name in MONTHS if len(name) == 3]
_DAY = r"\d{4}-\d\d(?:-\d\d)?(?: \d\d:\d\d(?::\d\d)?)?|\d{4}"
_NAMED = rf"(?:{'|'.join(MONTH_NAMES).lower()}|(?:{'|'.join(_SHORT_MONTHS)})\.?)"
_DATE = rf"(?:{_NAMED}(?: \d{{1,2}}(?:st|nd|rd|th)?)?,? (?:of )?\d{{4}}|{_DAY})"


_WindowReader: TypeAlias = "Callable[[re.Match[str], datetime], Between]"


class FoundWindow(NamedTuple):
    """A time window with its range in the text."""

    start: int
    end: int
    window: Between


def find_time_windows(text: str, now: datetime) -> list[FoundWindow]:
    """Find the time windows in lower-case text.

    >>> find_time_windows("admitted in the past 90 days", datetime(2100, 12, 31, 23, 59))[0].window
    Between(since=datetime.datetime(2100, 10, 2, 23, 59), until=None)
    >>> find_time_windows("in march 2100", datetime(2100, 12, 31))[0].window
    Between(since=datetime.datetime(2100, 3, 1, 0, 0), until=datetime.datetime(2100, 4, 1, 0, 0))
    """
    windows: list[FoundWindow] = []
    for pattern, read in _patterns():
        for match in pattern.finditer(text):
            if not any(match.start() < f.end and f.start < match.end() for f in windows):
                windows.append(FoundWindow(match.start(), match.end(), read(match, now)))
    return sorted(windows)


def time_ago(now: datetime, count: int, unit: str) -> datetime:
    """The time some units ago as in SQLite: a 31st that the month lacks runs over."""
    if unit in ("month", "year"):
        months = now.year * 12 + now.month - 1 - count * (12 if unit == "year" else 1)
        first = now.replace(year=months // 12, month=months % 12 + 1, day=1)
        return first + timedelta(days=now.day - 1)
    return now - timedelta(**{f"{unit}s": count})


def month_of_year(month: str, window: Between) -> Between | None:
    """A month by its name in the year of a window; None unless the window lies in a single year.

    >>> year = Between(datetime(2100, 1, 1), datetime(2101, 1, 1))
    >>> month_of_year("april", year)
    Between(since=datetime.datetime(2100, 4, 1, 0, 0), until=datetime.datetime(2100, 5, 1, 0, 0))
    """
    if window.since is None or window.until is None:
        return None
    year = window.since.year
    if (window.until - timedelta(seconds=1)).year != year:
        return None
    return _whole(datetime(year, MONTHS[month[:3]], 1), "month")


def _past_window(match: re.Match[str], now: datetime) -> Between:
    count, unit = int(number(match["n"] or "a")), match["unit"]
    return Between(since=time_ago(now, count, unit))


def _this_window(match: re.Match[str], now: datetime) -> Between:
    return _whole(now, match["unit"])


def _previous_window(match: re.Match[str], now: datetime) -> Between:
    return _whole(time_ago(now.replace(day=1), 1, match["unit"]), match["unit"])


def _today_window(match: re.Match[str], now: datetime) -> Between:
    return _whole(now - timedelta(days=match[0] == "yesterday"), "day")


def _since_window(match: re.Match[str], now: datetime) -> Between:
    return Between(since=_span(match["date"]).since)


def _after_window(match: re.Match[str], now: datetime) -> Between:
    return Between(since=_span(match["date"]).until)


def _before_window(match: re.Match[str], now: datetime) -> Between:
    return Between(until=_span(match["date"]).since)


def _until_window(match: re.Match[str], now: datetime) -> Between:
    return Between(until=_span(match["date"]).until)


def _between_window(match: re.Match[str], now: datetime) -> Between:
    return Between(_span(match["date"]).since, _span(match["end"]).until)


def _in_window(match: re.Match[str], now: datetime) -> Between:
    return _span(match["date"])


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], _WindowReader], ...]:
    unit = r"(?P<unit>hour|day|week|month|year)"
    date = rf"(?P<date>{_DATE})"
    small = rf"(?P<n>an?|{number_pattern()})"
    attribute_wordings = (
        (
            rf"(?:in|within|over|during|for)? ?(?:the )?(?:past|last|previous) {small} {unit}s?",
            _past_window,
        ),
        (rf"(?:in|within|over|during) (?:the )?(?:past|last) (?P<n>){unit}\b", _past_window),
        (rf"(?:in|within) (?:the )?{small} {unit}s? (?:up to|before) (?:now|today)", _past_window),
        (rf"(?:in |during )?(?:the )?past (?P<n>){unit}\b", _past_window),
        (rf"since {small} {unit}s? ago", _past_window),
        (r"(?:in |during )?(?:this|the current) (?P<unit>month|year)\b", _this_window),
        (r"(?:last|the previous) (?P<unit>month|year)\b", _previous_window),
        (r"\b(?:today|yesterday)\b", _today_window),
        (rf"(?:between|from) {date} (?:and|to|until|through) (?P<end>{_DATE})", _between_window),
        (rf"(?:since|from|(?:in|on) or after|starting (?:in|from)) {date}", _since_window),
        (rf"(?:after) {date}", _after_window),
        (rf"(?:before|prior to) {date}", _before_window),
        (rf"(?:until|up to|through) {date}", _until_window),
        (rf"(?:in|during|on|of|for) (?:the year )?{date}\b(?! ?(?:mg|ml|units?))", _in_window),
    )
    return tuple((re.compile(say), read) for say, read in attribute_wordings)


def _span(date: str) -> Between:
    """The window of a date: a year, month, day or moment."""
    year = int(re.findall(r"\d{4}", date)[0])
    if date[0].isdigit():
        parts = [int(part) for part in re.split(r"[- :]", date)]
    else:
        day = re.search(r" (\d{1,2})(?:st|nd|rd|th)?,? ", date)
        parts = [year, MONTHS[date[:3]], *([int(day[1])] if day else [])]
    start = datetime(*([*parts, 1, 1][: max(3, len(parts))]))  # type: ignore[arg-type]
    unit = ("year", "month", "day", "hour", "minute", "second")[len(parts) - 1]
    if unit in ("year", "month"):
        return _whole(start, unit)
    return Between(start, time_ago(start, -1, unit))


def _whole(moment: datetime, unit: str) -> Between:
    start = moment.replace(hour=0, minute=0, second=0)
    if unit != "day":
        start = start.replace(day=1)
    if unit == "year":
        start = start.replace(month=1)
    return Between(start, time_ago(start, -1, unit))
