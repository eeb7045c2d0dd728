"""The language of an answer; abbreviations, names, units and numbers belong to every language."""

import re

from wardround.benchmarks.assist.checks.quantities import quantities
from wardround.benchmarks.assist.checks.words import words_of
from wardround.benchmarks.assist.tasks import Language
from wardround.ehr.terms.chinese import plain

_HAN = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"\b[a-z]{2,}\b")
_TERMS = ("drug", "test", "score", "service", "route", "frequency", "diagnosis")
_LATIN_LETTERS = 4  # Latin letters that weigh as much as a Chinese character


def language_of(text: str) -> Language | None:
    """The language of a text; None if it has no words that tell.

    >>> language_of("患者INR为2.5，WBC 12 K/uL，建议停用warfarin。")
    'zh'
    >>> language_of("INR is 2.5."), language_of("INR 2.5")
    ('en', None)
    """
    rest = list(text)
    for word in words_of(text):
        if word.kind in _TERMS and text[word.start : word.end].isascii():
            rest[word.start : word.end] = " " * (word.end - word.start)
    for quantity in quantities(text):
        rest[quantity.start : quantity.end] = " " * (quantity.end - quantity.start)
    left = "".join(rest)
    han = len(_HAN.findall(left))
    capitals = re.sub(r"\b[A-Z][A-Z0-9-]+\b", " ", left)
    latin = sum(len(word) for word in _WORD.findall(plain(capitals))) / _LATIN_LETTERS
    if not han and not latin:
        return None
    return "zh" if han > latin else "en"
