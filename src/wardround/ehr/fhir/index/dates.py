"""FHIR dates of any precision, periods and timings as time spans in milliseconds."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from wardround.core.errors import UserError
from wardround.ehr.fhir.index.values import Interval

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECOND = timedelta(milliseconds=1)
DATE = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d)"
    r"(?:T(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<fraction>\d+))?)?"
    r"(?:(?P<utc>Z)|(?P<sign>[+-])(?P<hours>\d\d):(?P<minutes>[0-5]\d))?)?)?)?",
    re.ASCII,
)


@lru_cache(maxsize=1 << 16)
def interval(text: str, zone: tzinfo) -> Interval | None:
    """The time span of a date, dateTime or instant; None for other texts.

    Args:
        text: a year, month, day, minute, second or fraction of a second.
        zone: the zone of a date without an offset.

    >>> interval("1970", UTC)
    Interval(low=0, high=31536000000)
    >>> interval("1970-01-01T00:00:01.5Z", UTC)
    Interval(low=1500, high=1600)
    >>> interval("1970-13", UTC)
    """
    match = DATE.fullmatch(text)
    try:
        return span(match, zone) if match else None
    except ValueError:  # there is no such day, hour or offset
        return None


def span(match: re.Match[str], zone: tzinfo) -> Interval:
    """The time span of a date by its parts."""
    year, month, day = (int(part or 1) for part in match.group("year", "month", "day"))
    if match["hour"] is None:
        start = datetime(year, month, day, tzinfo=zone)
        return Interval(milliseconds(start), end_of_day(start, match))
    hour, minute, second = (int(part or 0) for part in match.group("hour", "minute", "second"))
    leap, second = (1000, 59) if second == 60 else (0, second)
    start = datetime(year, month, day, hour, minute, second, tzinfo=offset(match) or zone)
    fraction, width = precision(match)
    low = milliseconds(start) + leap + fraction
    return Interval(low, low + width)


def end_of_day(start: datetime, match: re.Match[str]) -> int | None:
    """The end of a year, month or day; None for the last that can be computed with."""
    try:
        if match["month"] is None:
            return milliseconds(start.replace(year=start.year + 1))
        if match["day"] is None:
            start = start.replace(day=28) + timedelta(days=4)
            return milliseconds(start.replace(day=1))
        return milliseconds(start + timedelta(days=1))
    except (ValueError, OverflowError):  # year 9999, in practice "without end"
        return None


def precision(match: re.Match[str]) -> tuple[int, int]:
    """Milliseconds beyond the second, and the width of the span."""
    if match["second"] is None:
        return 0, 60_000
    digits = (match["fraction"] or "")[:3]
    return int(digits.ljust(3, "0")), 10 ** (3 - len(digits))


def offset(match: re.Match[str]) -> tzinfo | None:
    """The offset that a time is written with."""
    if match["utc"]:
        return UTC
    return fixed_offset(*match.group("sign", "hours", "minutes")) if match["sign"] else None


@cache
def fixed_offset(sign: str, hours: str, minutes: str) -> timezone:
    """The zone at a distance from UTC; FHIR has none beyond 14 hours."""
    distance = timedelta(hours=int(hours), minutes=int(minutes))
    if distance > timedelta(hours=14):
        raise ValueError(f"{sign}{hours}:{minutes} is an offset beyond 14 hours.")
    return timezone(-distance if sign == "-" else distance)


def milliseconds(moment: datetime) -> int:
    """Milliseconds since 1970 UTC."""
    return (moment - EPOCH) // MILLISECOND


def period(value: dict[str, Any], zone: tzinfo) -> Interval | None:
    """The time span of a Period; None if it has neither start nor end."""
    start, end = (date_in(value.get(name), zone) for name in ("start", "end"))
    if start is None and end is None:
        return None
    return Interval(start.low if start else None, end.high if end else None)


def timing(value: dict[str, Any], zone: tzinfo) -> Interval | None:
    """The outer limits of a Timing: its events, and the bounds of its repetition."""
    events = value.get("event", ())
    events = events if isinstance(events, list) else ()
    repeat = value.get("repeat")
    bounds = repeat.get("boundsPeriod") if isinstance(repeat, dict) else None
    spans = [date_in(event, zone) for event in events]
    spans.append(period(bounds, zone) if isinstance(bounds, dict) else None)
    return hull([each for each in spans if each])


def hull(spans: list[Interval]) -> Interval | None:
    """The smallest time span that holds all; None without any."""
    if not spans:
        return None
    lows = [each.low for each in spans if each.low is not None]
    highs = [each.high for each in spans if each.high is not None]
    return Interval(
        min(lows) if len(lows) == len(spans) else None,
        max(highs) if len(highs) == len(spans) else None,
    )


def date_in(value: object, zone: tzinfo) -> Interval | None:
    """The time span of a JSON value; None if it is not a date."""
    return interval(value, zone) if isinstance(value, str) else None


def read_zone(name: str) -> ZoneInfo:
    """The time zone of a name of the tz database.

    Raises:
        UserError: there is no such zone.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UserError(
            f"There is no time zone {name!r}; give a name of the tz database such as "
            "America/New_York."
        ) from None
