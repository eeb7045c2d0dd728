"""Time in words: "past 90 days", "since 2099", "in March 2100", as windows of stored times."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from typing import NamedTuple, TypeAlias

from wardround.agents.parser.talk.numbers import number, number_pattern
from wardround.agents.parser.talk.request import Window

_MONTHS = "january february march april may june july august september october november december"
_MONTH = {name[:3]: number for number, name in enumerate(_MONTHS.split(), start=1)}
_DAY = r"\d{4}-\d\d(?:-\d\d)?(?: \d\d:\d\d(?::\d\d)?)?|\d{4}"
_NAMED = rf"(?:{'|'.join(_MONTHS.split())}|(?:{'|'.join(_MONTH)})\.?)"
_DATE = rf"(?:{_NAMED}(?: \d{{1,2}}(?:st|nd|rd|th)?)?,? (?:of )?\d{{4}}|{_DAY})"


_Read: TypeAlias = "Callable[[re.Match[str], datetime], Window]"


class Found(NamedTuple):
    """A window and where in the text it was said."""

    start: int
    end: int
    window: Window


def find_windows(text: str, now: datetime) -> list[Found]:
    """Finds time spans in lower-case text.

    >>> find_windows("admitted in the past 90 days", datetime(2100, 12, 31, 23, 59))[0].window
    Window(since='2100-10-02 23:59:00', until=None)
    >>> find_windows("in march 2100", datetime(2100, 12, 31))[0].window
    Window(since='2100-03-01 00:00:00', until='2100-04-01 00:00:00')
    """
    found: list[Found] = []
    for pattern, read in _patterns():
        for match in pattern.finditer(text):
            if not any(match.start() < f.end and f.start < match.end() for f in found):
                found.append(Found(match.start(), match.end(), read(match, now)))
    return sorted(found)


def back(now: datetime, count: int, unit: str) -> datetime:
    """The time some units ago, as SQLite counts: a 31st that a month lacks runs over."""
    if unit in ("month", "year"):
        months = now.year * 12 + now.month - 1 - count * (12 if unit == "year" else 1)
        first = now.replace(year=months // 12, month=months % 12 + 1, day=1)
        return first + timedelta(days=now.day - 1)
    return now - timedelta(**{f"{unit}s": count})


def _past(match: re.Match[str], now: datetime) -> Window:
    count, unit = int(number(match["n"] or "a")), match["unit"]
    return Window(since=_text(back(now, count, unit)))


def _this(match: re.Match[str], now: datetime) -> Window:
    return _whole(now, match["unit"])


def _previous(match: re.Match[str], now: datetime) -> Window:
    return _whole(back(now.replace(day=1), 1, match["unit"]), match["unit"])


def _today(match: re.Match[str], now: datetime) -> Window:
    return _whole(now - timedelta(days=match[0] == "yesterday"), "day")


def _since(match: re.Match[str], now: datetime) -> Window:
    return Window(since=_span(match["date"]).since)


def _after(match: re.Match[str], now: datetime) -> Window:
    return Window(since=_span(match["date"]).until)


def _before(match: re.Match[str], now: datetime) -> Window:
    return Window(until=_span(match["date"]).since)


def _until(match: re.Match[str], now: datetime) -> Window:
    return Window(until=_span(match["date"]).until)


def _between(match: re.Match[str], now: datetime) -> Window:
    return Window(_span(match["date"]).since, _span(match["end"]).until)


def _in(match: re.Match[str], now: datetime) -> Window:
    return _span(match["date"])


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], _Read], ...]:
    unit = r"(?P<unit>hour|day|week|month|year)"
    date = rf"(?P<date>{_DATE})"
    small = rf"(?P<n>an?|{number_pattern()})"
    sayings = (
        (
            rf"(?:in|within|over|during|for)? ?(?:the )?(?:past|last|previous) {small} {unit}s?",
            _past,
        ),
        (rf"(?:in|within|over|during) (?:the )?(?:past|last) (?P<n>){unit}\b", _past),
        (rf"(?:in|within) (?:the )?{small} {unit}s? (?:up to|before) (?:now|today)", _past),
        (rf"(?:in |during )?(?:the )?past (?P<n>){unit}\b", _past),
        (rf"since {small} {unit}s? ago", _past),
        (r"(?:in |during )?(?:this|the current) (?P<unit>month|year)\b", _this),
        (r"(?:last|the previous) (?P<unit>month|year)\b", _previous),
        (r"\b(?:today|yesterday)\b", _today),
        (rf"(?:between|from) {date} (?:and|to|until|through) (?P<end>{_DATE})", _between),
        (rf"(?:since|from|(?:in|on) or after|starting (?:in|from)) {date}", _since),
        (rf"(?:after) {date}", _after),
        (rf"(?:before|prior to) {date}", _before),
        (rf"(?:until|up to|through) {date}", _until),
        (rf"(?:in|during|on|of|for) (?:the year )?{date}\b(?! ?(?:mg|ml|units?))", _in),
    )
    return tuple((re.compile(say), read) for say, read in sayings)


def _span(date: str) -> Window:
    """The day, month, year or moment that a date names."""
    year = int(re.findall(r"\d{4}", date)[0])
    if date[0].isdigit():
        parts = [int(part) for part in re.split(r"[- :]", date)]
    else:
        day = re.search(r" (\d{1,2})(?:st|nd|rd|th)?,? ", date)
        parts = [year, _MONTH[date[:3]], *([int(day[1])] if day else [])]
    start = datetime(*([*parts, 1, 1][: max(3, len(parts))]))  # type: ignore[arg-type]
    unit = ("year", "month", "day", "hour", "minute", "second")[len(parts) - 1]
    if unit in ("year", "month"):
        return _whole(start, unit)
    return Window(_text(start), _text(back(start, -1, unit)))


def _whole(moment: datetime, unit: str) -> Window:
    start = moment.replace(hour=0, minute=0, second=0)
    if unit != "day":
        start = start.replace(day=1)
    if unit == "year":
        start = start.replace(month=1)
    return Window(_text(start), _text(back(start, -1, unit)))


def _text(moment: datetime) -> str:
    return moment.isoformat(" ", "seconds")
