"""The words of a text as the index keeps them."""

import re
from collections.abc import Iterable

_MOST_SEARCHED = 30
# Decimals are one word; signs of Chinese, which has no spaces, are one word each.
_WORD = re.compile(r"\d+\.\d+|[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")


def distinct_words(texts: Iterable[str]) -> str:
    """Each word of the texts once.

    >>> distinct_words(["Heparin 2.5 mg, heparin", "mimic_iv 肝素"])
    'heparin 2.5 mg mimic iv 肝 素'
    """
    # Most pieces occur often and are words already, so that few are left to the expression.
    pieces = dict.fromkeys(" ".join(texts).lower().split())
    words = [each for each in pieces if each.isascii() and each.isalnum()]
    others = " ".join(each for each in pieces if not (each.isascii() and each.isalnum()))
    return " ".join(dict.fromkeys([*words, *_WORD.findall(others)]))


def match(words: str) -> str:
    """A query for all words, or the first 30, each in quotes so that an operator is a plain word.

    >>> match('heparin "5 mg" OR')
    '"heparin" "or" "5" "mg"'
    """
    return " ".join(f'"{word}"' for word in distinct_words([words]).split()[:_MOST_SEARCHED])
