"""Comparisons with a number in a sentence: "two admissions or more", "older than 80"."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from wardround.agents.parser.interview.said import wording
from wardround.scoring.numerals import from_words, in_words

_ONES = "|".join(map(in_words, range(1, 10)))
_TENS = "|".join(map(in_words, range(20, 100, 10)))
_TEENS = "|".join(map(in_words, range(10, 20)))
_SMALL = rf"(?:{_TENS})(?:[ -](?:{_ONES}))?|{_TEENS}|{_ONES}|zero"
_NUMBER = rf"(?:\$ ?|us dollars )?(\d[\d,]*(?:\.\d+)?|one[ -]hundred|{_SMALL})\b"
# The words after a number may tell of what it is: up to so many.
_OF = r"((?: (?!and\b|or\b|than\b|where\b|in (?:the|a) )[a-z%°/-]+){0,4}?)"
_UNITS = {"minute", "hour", "day", "week", "month", "year"}


class Compared(NamedTuple):
    """A comparison.

    Attributes:
        said: Its words.
        before: The words of the sentence before it.
        by: The sign of SQL.
        number: What with.
        of: The words after the number.
        after: The rest of the sentence.
    """

    said: str
    before: str
    by: str
    number: str
    of: str
    after: str

    @property
    def unit(self) -> str:
        """The unit of time of the number; "" for none."""
        found = re.match(r"(\w+?)s?\b", self.of.strip())
        return found[1].lower() if found and found[1].lower() in _UNITS else ""

    @property
    def words(self) -> str:
        """All words around the number."""
        return f"{self.before} {self.said} {self.after}".strip()


def comparisons(text: str) -> Iterator[Compared]:
    """Every comparison of a sentence without times.

    >>> [(one.by, one.number, one.of) for one in comparisons("Ten different drugs or more.")]
    [('>=', '10', ' different drugs')]
    >>> [(one.by, one.number, one.unit) for one in comparisons("They stayed more than three days.")]
    [('>', '3', 'day')]
    """
    taken = [False] * len(text)
    for by, pattern in _patterns():
        for found in pattern.finditer(text):
            start, end = found.span()
            if not any(taken[start:end]):
                taken[start:end] = [True] * (end - start)
                of = found[2] or _words_after(text[end:])
                yield Compared(found[0], text[:start], by, _number(found[1]), of, text[end:])


def number_in(text: str) -> str:
    """The first number of a text; "" for none.

    >>> number_in("only the first ten"), number_in("all of them")
    ('10', '')
    """
    found = re.search(rf"(?<![\w/-]){_NUMBER}(?![/-])", text, re.IGNORECASE)
    return _number(found[1]) if found else ""


def _words_after(rest: str) -> str:
    found = re.match(r"(?: [a-z%°/-]+){0,4}", rest, re.IGNORECASE)
    return found[0] if found else ""


def _number(said: str) -> str:
    return said.replace(",", "") if said[0].isdigit() else str(from_words(said))


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (entry["by"], re.compile(_filled(said), re.IGNORECASE))
        for entry in wording()["compared"]
        for said in entry["said"]
    )


def _filled(said: str) -> str:
    return r"(?<!\w)" + said.replace("{n}", _NUMBER).replace("{of}", _OF)
