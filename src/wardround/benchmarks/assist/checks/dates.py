"""Dates in a text of either language."""

import re

from wardround.ehr.terms.chinese import plain

_DATE = re.compile(r"(\d{4})\s*[-/年.]\s*(\d{1,2})\s*[-/月.]\s*(\d{1,2})\s*日?")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY = re.compile(
    rf"\b(?:(\d{{1,2}})\s+)?({'|'.join(_MONTHS)})[a-z]*\.?(?:\s+(\d{{1,2}})(?:st|nd|rd|th)?)?,?\s+"
    r"(\d{4})\b"
)
_CLOCK = re.compile(r"\d{1,2}:\d\d(?::\d\d)?")


def dates(text: str) -> frozenset[str]:
    """The dates of a text as YYYY-MM-DD.

    >>> sorted(dates("on 2148-04-02, then April 5, 2148; 2148年4月6日"))
    ['2148-04-02', '2148-04-05', '2148-04-06']
    """
    lower = plain(text)
    found = {_iso(y, m, d) for y, m, d in _DATE.findall(lower)}
    for before, month, behind, year in _DAY.findall(lower):
        if before or behind:
            found.add(_iso(year, _MONTHS.index(month) + 1, before or behind))
    return frozenset(found)


def without_times(text: str) -> str:
    """A text in lower case with dates and times of day blanked out, as long as before."""
    for pattern in (_DATE, _DAY, _CLOCK):
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return text


def _iso(year: str, month: str | int, day: str) -> str:
    return f"{year}-{int(month):02}-{int(day):02}"
