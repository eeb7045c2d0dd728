"""Dates in a text of either language, with a year or without, and days before now."""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from wardround.ehr.terms.chinese import plain
from wardround.ehr.text.segments import blanked
from wardround.ehr.text.word_tables import word_patterns

# fmt: off
MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)
# fmt: on
# The numbers of months by their names and abbreviations, in lower case.
MONTHS: Mapping[str, int] = {
    word: number
    for number, name in enumerate(map(str.lower, MONTH_NAMES), start=1)
    for word in (name, name[:3], *(("sept",) if number == 9 else ()))
}
_MONTH = rf"(?P<month>{'|'.join(MONTHS)})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s+(?P<year>\d{4})(?!\d))?"
_SLASHED = re.compile(r"(?<![\d/])(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})(?!\d)")
_FORMS = (
    re.compile(
        r"(?P<year>\d{4})\s*[-/年.]\s*(?P<month>\d{1,2})\s*[-/月.]\s*(?P<day>\d{1,2})\s*日?"
    ),
    _SLASHED,
    re.compile(r"(?P<year>)(?<!\d)(?P<month>\d{1,2})\s*月\s*(?P<day>\d{1,2})\s*[日号]"),
    re.compile(rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}\b(?!\d){_YEAR}"),
    re.compile(rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}(?![a-z]){_YEAR}"),
)
_DAYS_AGO = (3, 2, 1, 0)  # rows of the table, the longest Chinese words first
_CLOCK = re.compile(r"\d{1,2}:\d\d(?::\d\d)?")
_TEXTS = 4096  # cached texts


class Date(NamedTuple):
    """A date at `text[start:end]`: YYYY-MM-DD, or --MM-DD where no year is given."""

    start: int
    end: int
    day: str


class PastDay(NamedTuple):
    """A day before now at `text[start:end]`, by the number of days between; -1 for tomorrow."""

    start: int
    end: int
    days: int


@lru_cache(_TEXTS)
def dates(text: str) -> tuple[Date, ...]:
    """The dates of a text, form by form.

    The month and the day of 11/3/2161 are read in both orders.

    >>> note = "on 2148-04-02, then April 5th, 2148; 2148年4月6日, 3rd of May"
    >>> [(each.day, note[each.start : each.end]) for each in dates(note)][:2]
    [('2148-04-02', '2148-04-02'), ('2148-04-06', '2148年4月6日')]
    >>> [(each.day, note[each.start : each.end]) for each in dates(note)][2:]
    [('2148-04-05', 'April 5th, 2148'), ('--05-03', '3rd of May')]
    >>> dates("decreased 12 mmHg by March")
    ()
    >>> [each.day for each in dates("11/3/2161, 2148/04/02")]
    ['2148-04-02', '2161-11-03', '2161-03-11']
    """
    return tuple(_dates(plain(text)))


def days(text: str) -> frozenset[str]:
    """The days that a text names, as in `Date.day`.

    >>> sorted(days("on April 5th, 2148, on 2148-04-05 and on the 3rd of May"))
    ['--05-03', '2148-04-05']
    """
    return frozenset(date.day for date in dates(text))


def past_days(text: str) -> Iterator[PastDay]:
    """The days of a text that are named by a word, such as yesterday, the latest last.

    >>> [each.days for each in past_days("yesterday")], [each.days for each in past_days("大前天")]
    ([1], [3])
    >>> [each.days for each in past_days("the day before yesterday, the day after yesterday")]
    [2, 0]
    """
    words = word_patterns(__package__, "past_days.tsv")
    rest = text
    for days in _DAYS_AGO:
        for match in words[str(days)].finditer(rest):
            yield _stepped(text, PastDay(*match.span(), days))
        rest = blanked(rest, (match.span() for match in words[str(days)].finditer(rest)))


def has_date(days: Collection[str], day: str) -> bool:
    """True if a day is among others; one without a year is the same in any.

    >>> has_date({"2148-04-02"}, "--04-02"), has_date({"--04-02"}, "2148-04-02")
    (True, True)
    >>> has_date({"2148-04-02"}, "2149-04-02")
    False
    """
    if day in days:
        return True
    same_day = [each for each in days if each[-5:] == day[-5:]]
    return any(each.startswith("--") or day.startswith("--") for each in same_day)


def without_times(text: str) -> str:
    """A text with dates and times of day blanked out, as long as before."""
    places = [(date.start, date.end) for date in dates(text)]
    return blanked(text, (*places, *(match.span() for match in _CLOCK.finditer(text))))


def _stepped(text: str, day: PastDay) -> PastDay:
    """A day, or the one before or after it where words for that stand right before its own."""
    words = word_patterns(__package__, "past_days.tsv")
    for step, more in (("before", 1), ("after", -1)):
        for match in words[step].finditer(text, 0, day.start):
            if not text[match.end() : day.start].strip():
                return _stepped(text, PastDay(match.start(), day.end, day.days + more))
    return day


def _dates(text: str) -> Iterator[Date]:
    for form in _FORMS:
        for match in form.finditer(text):
            month, day = _number(match["month"]), int(match["day"])
            if 1 <= month <= 12 and 1 <= day <= 31:
                year = match["year"] or "-"
                yield Date(*match.span(), f"{year}-{month:02}-{day:02}")
            if form is _SLASHED and 1 <= month <= 31 and 1 <= day <= 12:
                yield Date(*match.span(), f"{match['year']}-{day:02}-{month:02}")
        text = form.sub(lambda match: " " * len(match[0]), text)


def _number(month: str) -> int:
    return int(month) if month.isdigit() else MONTHS[month]
