"""Whole numbers and their English words (Lee et al. 2025, A.6.2)."""

from functools import cache

# fmt: off
_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)
# fmt: on
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
LARGEST = 9999


def in_words(number: int) -> str:
    """A whole number from 0 to 9999 in words, without hyphens and without "and".

    Raises:
        ValueError: the number is out of range.

    >>> in_words(247)
    'two hundred forty seven'
    """
    if not 0 <= number <= LARGEST:
        raise ValueError(f"{number} is not between 0 and {LARGEST}")
    if number < 20:
        return _SMALL[number]
    if number < 100:
        return _join(_TENS[number // 10 - 2], number % 10)
    unit, name = (100, "hundred") if number < 1000 else (1000, "thousand")
    return _join(f"{_SMALL[number // unit]} {name}", number % unit)


def from_words(text: str) -> int | None:
    """The number for its words, with or without hyphens and "and"; None for other text.

    >>> from_words("Two hundred and forty-seven"), from_words("aspirin")
    (247, None)
    """
    words = text.lower().replace("-", " ").split()
    return _numbers_by_words().get(" ".join(word for word in words if word != "and"))


def _join(head: str, rest: int) -> str:
    return f"{head} {in_words(rest)}" if rest else head


@cache
def _numbers_by_words() -> dict[str, int]:
    return {in_words(number): number for number in range(LARGEST + 1)}
