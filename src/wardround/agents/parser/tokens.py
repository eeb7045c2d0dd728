"""Splits a question into words."""

import re
from typing import NamedTuple

from wardround.ehr.text.numerals import SMALL_NUMBERS

_WORD = re.compile(r"\d+(?:\.\d+)?(?![^\W_])|[^\W_]+|[^\w\s]|_")

_MOST = 12  # the largest number that is read in letters
_LETTERS = {word: number for word, number in SMALL_NUMBERS.items() if 1 <= number <= _MOST}
NUMBERS = _LETTERS | {"once": 1, "twice": 2}


class Word(NamedTuple):
    """A word in lower case or a punctuation mark, with its position in the text."""

    text: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    """The words of a text.

    >>> [word.text for word in words("Is NaCl 0.9% given?")]
    ['is', 'nacl', '0.9', '%', 'given', '?']
    """
    return [Word(found[0].lower(), found.start(), found.end()) for found in _WORD.finditer(text)]


def number(word: str) -> float | None:
    """The number that a word stands for, in digits or letters.

    >>> number("five"), number("3.5"), number("many")
    (5, 3.5, None)
    """
    if word in NUMBERS:
        return NUMBERS[word]
    if not re.fullmatch(r"\d+(?:\.\d+)?", word):
        return None
    return float(word) if "." in word else int(word)
