"""Periods of time in an answer, as conditions on a column."""

import re
from collections.abc import Iterator
from functools import cache, partial
from typing import NamedTuple

from wardround.agents.parser.interview.said import wording
from wardround.agents.parser.interview.wish import DIALECT
from wardround.ehr.times import TimeFilter, condition, find_times

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = r"(\d{4}-\d\d?-\d\d?|\d\d?/\d{4}|\d{4}(?![\d-]))"


class Period(NamedTuple):
    """A period of time that a text says, with the words that are left without it."""

    filters: tuple[TimeFilter, ...]
    rest: str

    def on(self, column: str) -> Iterator[str]:
        """Its conditions on a column of time."""
        for filter in self.filters:
            yield condition(filter, column, DIALECT)


def period(text: str, year: int) -> Period:
    """The period that a text says.

    Args:
        text: A sentence.
        year: The present year.

    >>> list(period("Since the first of July 2100.", 2100).on("charttime"))[0][:22]
    "date_trunc('day', CAST"
    >>> period("They were 75 or older.", 2100).filters
    ()
    """
    plain = put_plainly(text, year)
    found = [one for one in find_times(plain) if _is_condition(one.filter)]
    rest = plain
    for one in reversed(found):
        rest = rest[: one.start] + rest[one.end :]
    return Period(tuple(one.filter for one in found), rest)


def put_plainly(text: str, year: int) -> str:
    """The text with its times as "since" and "until" some day.

    >>> put_plainly("The quarter that ends now: from October 2100 on.", 2100)
    'The quarter that ends now: since 10/2100.'
    >>> put_plainly("charge time is 2100-01-01 or later", 2100)
    'charge time since 2100-01-01'
    """
    for pattern, means in _rewritings():
        text = pattern.sub(partial(_filled, means, year), text)
    return text


@cache
def _rewritings() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple(
        (re.compile(_parts(one["said"]), re.IGNORECASE), one["means"]) for one in wording()["times"]
    )


def _parts(said: str) -> str:
    return said.replace("{month}", _MONTH).replace("{day}", _DAY)


def _filled(means: str, year: int, found: re.Match[str]) -> str:
    return means.format(*(_number(one or "") for one in found.groups()), year=year)


def _number(said: str) -> str:
    month = said[:3].lower()
    return f"{_MONTHS.index(month) + 1:02}" if month in _MONTHS and said.isalpha() else said


def _is_condition(filter: TimeFilter) -> bool:
    try:
        condition(filter, "t", DIALECT)
    except TypeError:
        return False
    return True
