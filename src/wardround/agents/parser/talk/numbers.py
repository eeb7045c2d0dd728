"""Reads numbers in a sentence: counts in digits or words, and limits with their units."""

import re
from functools import cache
from typing import NamedTuple

from wardround.agents.parser.talk.patterns import bounds
from wardround.ehr.query import Bound
from wardround.ehr.text.numerals import SMALL_NUMBERS, TENS

_NUMBERS = SMALL_NUMBERS | TENS
_UNITS = (
    "%|percent|degrees?(?: celsius| fahrenheit)?|celsius|fahrenheit|"
    "(?:full |whole )?(?:minutes?|hours?|days?|weeks?|months?)|years?(?:[- ]olds?| of age)?|"
    "[a-zµ]+/[a-z]+|m[lg]s?|milli\\w+|cc|lit(?:er|re)s?|units?|grams?"
)
_OPPOSITE = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}
DAYS = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "week": 7.0}


class NumberLimit(NamedTuple):
    """Bounds on a number at `text[start:end]`, with the first word of its unit, if any."""

    start: int
    end: int
    bounds: tuple[Bound, ...]
    unit: str


def number(word: str) -> float:
    """A count in digits or words; an article counts 1.

    >>> number("three"), number("90"), number("a"), number("7.5")
    (3.0, 90.0, 1.0, 7.5)
    """
    return float(_NUMBERS[word] if word in _NUMBERS else _figures(word))


def _figures(word: str) -> str:
    return word if word[0].isdigit() else "1"


def is_number(word: str) -> bool:
    """True if a word is a number in digits or words.

    >>> is_number("ten"), is_number("10"), is_number("tenth")
    (True, True, False)
    """
    return re.fullmatch(number_pattern(), word) is not None


def number_pattern() -> str:
    """A pattern of numbers in digits or words."""
    longest_first = sorted(_NUMBERS, key=len, reverse=True)
    return rf"(?:\d+(?:\.\d+)?|{'|'.join(longest_first)})"


def find_limits(remaining: str) -> list[NumberLimit]:
    """The limits on numbers in lower-case text, without those inside of longer ones.

    >>> [(limit.bounds, limit.unit) for limit in find_limits("lasted more than four full days")]
    [((Bound(operator='>', number=4.0, unit=''),), 'day')]
    >>> find_limits("aged between 40 and 60 years")[0].bounds
    (Bound(operator='>=', number=40.0, unit=''), Bound(operator='<=', number=60.0, unit=''))
    """
    limits: list[NumberLimit] = []
    for operator, pattern in _patterns():
        for match in pattern.finditer(remaining):
            if not any(match.start() < limit.end and limit.start < match.end() for limit in limits):
                limits.append(_limit(operator, match))
    return sorted(limits)


def opposite_limit(limit: NumberLimit) -> NumberLimit:
    """The negation of a limit: "no one under 40"."""
    bounds = tuple(Bound(_OPPOSITE[b.operator], b.number) for b in limit.bounds)
    return limit._replace(bounds=bounds)


def bounds_in_days(limit: NumberLimit) -> tuple[Bound, ...]:
    """The bounds of a duration, in days."""
    return tuple(Bound(b.operator, b.number * DAYS[limit.unit]) for b in limit.bounds)


def _limit(operator: str, match: re.Match[str]) -> NumberLimit:
    wording = [part for part in match.groups() if part]
    numbers = [part for part in wording if re.fullmatch(number_pattern(), part)]
    unit = next((part for part in wording if part not in numbers), "")
    operators = operator.split(" ")
    bounds = tuple(Bound(op, number(n)) for op, n in zip(operators, numbers, strict=False))
    return NumberLimit(match.start(), match.end(), bounds, _bare(unit))


def _bare(unit: str) -> str:
    words = re.split(r"[ -]", unit.replace("full ", "").replace("whole ", ""))
    return words[0].removesuffix("s") if words else ""


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    numeral = rf"\b({number_pattern()})\b(?:[ -]?({_UNITS})(?!\w))?"
    return tuple(
        (operator, re.compile(wording.replace("{number}", numeral)))
        for operator, wording in bounds().items()
    )
