"""Compares what an agent reports with a condition: by numbers, or by the meaning of words."""

import re

from wardround.people.branches import generic_words
from wardround.people.conditions import asked_about
from wardround.people.patterns import content_words, pattern

_NUMBER_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
    *("nineteen", "twenty"),
)
_NUMBERS = {word: float(value) for value, word in enumerate(_NUMBER_WORDS)}
_NUMBERS |= {"once": 1.0, "twice": 2.0, "half": 50.0}
_NUMBER = re.compile(rf"(?<![\w.-])(?:\d+(?:\.\d+)?|{'|'.join(_NUMBERS)})(?![\w-])", re.IGNORECASE)
_GREATER = re.compile(r"\b(?:more|greater|higher|longer|older|larger|bigger|above|over|exceeds?)\b")
_LESS = re.compile(r"\b(?:fewer|less|lower|shorter|younger|smaller|below|under)\b")
# Items that are named to be excluded.
_CONTRAST = re.compile(r"\b(?:instead of|rather than)\b.*|\banyway\b")
# Words as close in meaning as this match ("dead" and "died").
_CLOSE = 0.55
# Numbers of years and identifiers are no counts.
_YEARS, _LARGEST = (1900.0, 2200.0), 99_999.0


def matches_report(condition: str, report: str) -> bool:
    """True if a report states a condition.

    >>> matches_report("there are fewer than 10 such stays", "There were 4 stays in 2102.")
    True
    >>> matches_report("the count exceeds twenty", "The count is 12.")
    False
    """
    plain = condition.lower()
    limits = _numbers(condition)
    counts = [n for n in _numbers(report) if _is_count(n) and n not in limits]
    if limits and counts and _GREATER.search(plain):
        return any(count > limits[0] for count in counts) and not _LESS.search(report.lower())
    if limits and counts and _LESS.search(plain):
        return any(count < limits[0] for count in counts) and not _GREATER.search(report.lower())
    return _is_negated(condition) == _is_negated(report) and closeness(condition, report) >= _CLOSE


def closeness(condition: str, report: str) -> float:
    """Returns the mean similarity of the condition's own words to those of a report."""
    from wardround.people.clarifying.similarity import best_similarity

    if pattern("grammar", "speaker").search(condition):
        condition = asked_about(condition)
    named = content_words(_CONTRAST.sub("", condition))
    own = named - generic_words() or named
    stated = content_words(report)
    return sum(best_similarity(word, stated) for word in own) / len(own) if own else 0.0


def _is_count(number: float) -> bool:
    return number <= _LARGEST and not _YEARS[0] <= number <= _YEARS[1]


def _numbers(text: str) -> list[float]:
    found = (number.lower() for number in _NUMBER.findall(text))
    return [_NUMBERS[number] if number in _NUMBERS else float(number) for number in found]


def _is_negated(text: str) -> bool:
    return bool(pattern("grammar", "nothing").search(text))
