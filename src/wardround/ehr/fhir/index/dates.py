"""FHIR dates as time spans: a date of any precision stands for all of its instants."""

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from wardround.ehr.fhir.index.values import Interval

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATE = re.compile(
    r"(?P<year>\d{4})(-(?P<month>\d\d)(-(?P<day>\d\d)"
    r"(T(?P<time>\d\d:\d\d(:\d\d(?P<fraction>\.\d+)?)?)(?P<zone>Z|[+-]\d\d:\d\d)?)?)?)?"
)


def milliseconds(instant: datetime) -> int:
    """An instant with a zone as milliseconds since 1970 UTC."""
    return (instant - _EPOCH) // timedelta(milliseconds=1)


def instant(value: int, zone: tzinfo = UTC) -> datetime:
    """The instant of milliseconds since 1970 UTC."""
    return (_EPOCH + timedelta(milliseconds=value)).astimezone(zone)


@lru_cache(maxsize=65_536)
def interval(text: str, zone: str = "UTC") -> Interval:
    """The time span of a FHIR date, dateTime or instant.

    Args:
        text: The value; its precision may be a year, month, day, minute, second or finer.
        zone: The name of the time zone of values without an offset.

    Raises:
        ValueError: It is no such value, or there is no such day or time.

    >>> interval("1970-01-01T00:00:01Z")
    Interval(low=1000, high=2000)
    """
    parts = _DATE.fullmatch(text)
    if parts is None:
        raise ValueError(f"{text!r} is no date")
    if parts["time"]:
        return _time_span(text, parts, zone)
    start = date(int(parts["year"]), int(parts["month"] or 1), int(parts["day"] or 1))
    if parts["day"]:
        end = start.toordinal() + 1
    elif parts["month"]:
        end = _first_of_next_month(start)
    else:
        end = date(start.year + 1, 1, 1).toordinal()
    return Interval(_midnight(start.toordinal(), zone), _midnight(end, zone))


def _time_span(text: str, parts: re.Match[str], zone: str) -> Interval:
    # The fraction is read apart: Python takes three or six digits only before version 3.11.
    fraction = parts["fraction"] or ""
    start = datetime.fromisoformat(text.replace(fraction, "", 1) if fraction else text)
    if start.tzinfo is None:
        start = start.replace(tzinfo=ZoneInfo(zone))
    low = milliseconds(start) + int(fraction[1:4].ljust(3, "0") if fraction else 0)
    if fraction:
        return Interval(low, low + max(1, 10 ** (3 - min(3, len(fraction) - 1))))
    return Interval(low, low + (1000 if parts["time"].count(":") == 2 else 60_000))


def _first_of_next_month(day: date) -> int:
    return (day.replace(day=28) + timedelta(days=4)).replace(day=1).toordinal()


def _midnight(ordinal: int, zone: str) -> int:
    midnight = datetime.combine(date.fromordinal(ordinal), datetime.min.time(), ZoneInfo(zone))
    return milliseconds(midnight)
