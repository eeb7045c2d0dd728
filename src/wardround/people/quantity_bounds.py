"""The bounds that a condition sets to a quantity, and whether two exclude each other."""

import re
from dataclasses import dataclass
from math import inf

from wardround.ehr.text.numerals import SMALL_NUMBERS
from wardround.people.patterns import content_words

NUMBERS = {word: float(number) for word, number in SMALL_NUMBERS.items()}
NUMBERS |= {"once": 1.0, "twice": 2.0, "half": 50.0}
_N = rf"(?P<n>\d+(?:\.\d+)?|{'|'.join(SMALL_NUMBERS)})"
_NOUN = r"(?!\s+of\b)(?:\s+(?P<noun>[a-z]+(?: [a-z]+)?))?"
_AT_LEAST, _AT_MOST = r"(?:at least|no fewer than|no less than)", r"(?:at most|no more than|up to)"
# Forms by which bound they set: the number belongs to the range or not.
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"\b{form}{_NOUN}", re.IGNORECASE))
    for name, form in (
        ("least", rf"{_AT_LEAST} {_N}"),
        ("most", rf"{_AT_MOST} {_N}"),
        ("least", rf"{_N} or more"),
        ("most", rf"{_N} or (?:fewer|less)"),
        ("above", rf"(?:more|greater|higher|longer|older|larger|bigger) than {_N}"),
        ("above", rf"(?:above|over|exceeds?|exceeding) {_N}"),
        ("below", rf"(?:fewer|less|lower|shorter|younger|smaller) than {_N}"),
        ("below", rf"(?:below|under) {_N}"),
        ("exactly", rf"(?:only|exactly|just) {_N}"),
        ("single", r"(?:only a|a single|a sole|just a)(?P<n>)"),
        ("several", r"(?:several|multiple)(?P<n>)"),
        ("none", r"(?:no|none)(?P<n>)"),
    )
)


@dataclass(frozen=True, slots=True)
class Bounds:
    """A range of a quantity, with what it counts.

    Attributes:
        low: the least value.
        high: the greatest value.
        open_low: the least value itself is outside.
        open_high: the greatest value itself is outside.
        noun: the words for what is counted; empty if none follows the number.
    """

    low: float
    high: float
    open_low: bool = False
    open_high: bool = False
    noun: frozenset[str] = frozenset()

    def contains(self, value: float) -> bool:
        """True if a value is within the bounds."""
        above = value > self.low if self.open_low else value >= self.low
        return above and (value < self.high if self.open_high else value <= self.high)

    def excludes(self, other: "Bounds") -> bool:
        """True if no value of one quantity is within both.

        >>> [quantity_bounds("only one stay").excludes(quantity_bounds(each)) for each in
        ...  ("more than one stay", "at least one stay", "two or more drugs", "no stay")]
        [True, False, False, True]
        """
        if self.noun and other.noun and not self.noun & other.noun:
            return False
        first, second = sorted((self, other), key=lambda each: (each.low, each.high))
        touching = first.high == second.low and not (first.open_high or second.open_low)
        return first.high <= second.low and not touching


def quantity_bounds(condition: str) -> Bounds | None:
    """The bounds that a condition sets to one quantity; None if it sets none, or more than one.

    >>> quantity_bounds("the patient has more than one stay")
    Bounds(low=1.0, high=inf, open_low=True, open_high=False, noun=frozenset({'stay'}))
    >>> quantity_bounds("there are ties") is None
    True
    """
    bounds = [
        (name, match)
        for name, form in _FORMS
        for match in form.finditer(condition)
        if not _within_another(match, condition)
    ]
    if len(bounds) != 1:
        return None
    [(name, match)] = bounds
    written = match["n"].lower()
    number = NUMBERS[written] if written in NUMBERS else float(written or 0)
    noun = frozenset(word.removesuffix("s") for word in content_words(match["noun"] or ""))
    match name:
        case "least":
            return Bounds(number, inf, noun=noun)
        case "most":
            return Bounds(0, number, noun=noun)
        case "above":
            return Bounds(number, inf, open_low=True, noun=noun)
        case "below":
            return Bounds(0, number, open_high=True, noun=noun)
        case "exactly":
            return Bounds(number, number, noun=noun)
        case "single":
            return Bounds(1, 1, noun=noun)
        case "several":
            return Bounds(2, inf, noun=noun)
        case _:
            return Bounds(0, 0, noun=noun)


def _within_another(match: re.Match[str], condition: str) -> bool:
    """True if a form is part of a longer one, as "more than two" is of "no more than two"."""
    spans = (other.span() for _, form in _FORMS for other in form.finditer(condition))
    start, end = match.start(), match.end()
    return any(a <= start and end <= b and b - a > end - start for a, b in spans)
