"""Compares what an agent reports with a condition: by numbers, or by the meaning of words."""

import re
from math import inf

from wardround.people.branches import generic_words
from wardround.people.conditions import asked_about
from wardround.people.patterns import content_words, pattern
from wardround.people.quantity_bounds import NUMBERS, Bounds, quantity_bounds

_NUMBER = re.compile(rf"(?<![\w.-])(?:\d+(?:\.\d+)?|{'|'.join(NUMBERS)})(?![\w-])", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")
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
    bounds = quantity_bounds(condition)
    if bounds and bounds.high:
        stated = quantity_bounds(report)
        if stated and (stated.low or stated.high < inf):
            return not bounds.excludes(stated)
        if counts := _counts(report, bounds, condition):
            return any(map(bounds.contains, counts))
    return _is_negated(condition) == _is_negated(report) and closeness(condition, report) >= _CLOSE


def _counts(report: str, bounds: Bounds, condition: str) -> list[float]:
    """The numbers of what is counted in a report, else all that may be counts."""
    of_noun = []
    for match in _NUMBER.finditer(report):
        behind = _WORD.findall(report[match.end() :])[:2]
        if bounds.noun & {word.removesuffix("s") for word in behind}:
            of_noun.append(_number(match[0]))
    if of_noun:
        return of_noun
    stated = [n for n in _numbers(report) if _is_count(n)]
    # A number of the condition is repeated beside the count, unless it is the count itself.
    return [n for n in stated if n not in _numbers(condition)] or stated


def closeness(condition: str, report: str) -> float:
    """Returns the mean similarity of the condition's own words to those of a report."""
    from wardround.people.clarifying.similarity import best_similarity

    if pattern("grammar", "speaker").search(condition):
        condition = asked_about(condition)
    named = content_words(_CONTRAST.sub("", condition))
    specific = named - generic_words() or named
    stated = content_words(report)
    return (
        sum(best_similarity(word, stated) for word in specific) / len(specific) if specific else 0.0
    )


def _is_count(number: float) -> bool:
    return number <= _LARGEST and not _YEARS[0] <= number <= _YEARS[1]


def _numbers(text: str) -> list[float]:
    return [_number(written) for written in _NUMBER.findall(text)]


def _number(written: str) -> float:
    lower = written.lower()
    return NUMBERS[lower] if lower in NUMBERS else float(written)


def _is_negated(text: str) -> bool:
    return bool(pattern("grammar", "nothing").search(text))
