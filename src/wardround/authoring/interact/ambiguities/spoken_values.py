"""Spoken forms of SQL values: numbers, days, months, years and texts."""

import re
from collections.abc import Iterator
from datetime import date

from wardround.scoring.numerals import LARGEST, in_words

# fmt: off
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)
# fmt: on
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[ T]00:00(?::00)?)?\Z")


def forms(value: str) -> tuple[str, ...]:
    """The ways in which a request may say a value, the longest first.

    >>> forms("2100-04-01")[:3], forms("12")
    (('on 1 April 2100', 'April 1, 2100', '1 April 2100'), ('twelve', '12'))
    """
    return tuple(sorted(dict.fromkeys(_forms(value)), key=len, reverse=True))


def as_day(value: str) -> date | None:
    """The day that a text stands for; None for other texts."""
    found = _DAY.match(value)
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None


def _forms(value: str) -> Iterator[str]:
    yield value
    if day := as_day(value):
        month = _MONTHS[day.month - 1]
        yield f"{day.day} {month} {day.year}"
        yield f"on {day.day} {month} {day.year}"
        yield f"{month} {day.day}, {day.year}"
        if day.day == 1:
            yield f"{month} {day.year}"
        if (day.month, day.day) == (1, 1):
            yield str(day.year)
    elif value.isdigit() and int(value) <= LARGEST:
        yield in_words(int(value))
        if len(value) > 3:
            yield f"{int(value):,}"
