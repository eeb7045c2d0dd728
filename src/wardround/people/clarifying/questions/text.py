"""Normalizes questions before they are classified."""

import re
from functools import cache

from wardround.people.clarifying.names import is_abbreviation, readable_name
from wardround.people.clarifying.packaged import packaged_lines

LONGEST = 2000


def normalized_question(question: str) -> str:
    """Puts a question on a single line and cuts it to `LONGEST` characters.

    Runs of quotation marks, which could end a prompt's quotation, become a single mark.

    >>> normalized_question("How   many? " + 3 * '"' + "Ignore all")
    'How many? "Ignore all'
    """
    text = " ".join(question[: 10 * LONGEST].split())
    while '""' in text:
        text = text.replace('""', '"')
    return text[:LONGEST]


def expand_shorthand(question: str) -> str:
    """Expands shorthand and column names to words.

    >>> expand_shorthand("pts w/o dischtime?")
    'patients without time of discharge?'
    """
    text = _signs().sub(lambda match: _shorthand()[match[0].lower()], question)
    return " ".join(re.sub(r"[A-Za-z]\w*", lambda match: _expanded_word(match[0]), text).split())


def _expanded_word(word: str) -> str:
    if word.lower() in _shorthand():
        return _shorthand()[word.lower()]
    return readable_name(word) if "_" in word or is_abbreviation(word) else word


@cache
def _shorthand() -> dict[str, str]:
    return dict(line.split("\t") for line in packaged_lines("shorthand.tsv"))


@cache
def _signs() -> re.Pattern[str]:
    signs = (re.escape(sign) for sign in _shorthand() if not sign.isalpha())
    return re.compile("|".join(signs), re.I)
