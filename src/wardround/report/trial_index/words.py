"""The words of a text as the index keeps them."""

import re
from collections.abc import Iterable

# Decimals are one word; signs of Chinese, which has no spaces, are one word each.
_WORD = re.compile(r"\d+\.\d+|[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")


def distinct_words(texts: Iterable[str]) -> str:
    """Each word of the texts once, in the order of first occurrence.

    >>> distinct_words(["Heparin 2.5 mg, heparin", "mimic_iv 肝素"])
    'heparin 2.5 mg mimic iv 肝 素'
    """
    pieces = dict.fromkeys(" ".join(texts).lower().split())  # fewer to search by the expression
    return " ".join(dict.fromkeys(_WORD.findall(" ".join(pieces))))


def match(words: str) -> str:
    """A query for all words, each in quotes, so that none is read as an operator.

    >>> match('heparin "5 mg" OR')
    '"heparin" "5" "mg" "or"'
    """
    return " ".join(f'"{word}"' for word in distinct_words([words]).split())
