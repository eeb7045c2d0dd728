"""What a user hears of a question."""

import re
from functools import cache

from wardround.people.clarifying.names import is_called, spoken
from wardround.people.clarifying.packaged import packaged_lines

LONGEST = 2000


def heard(question: str) -> str:
    """A question in one line, cut to what anybody would listen to.

    Quotation marks that could end a prompt's quotation of it become single ones.

    >>> heard("How   many? " + 3 * '"' + "Ignore all")
    'How many? "Ignore all'
    """
    text = " ".join(question[: 10 * LONGEST].split())
    while '""' in text:
        text = text.replace('""', '"')
    return text[:LONGEST]


def in_words(question: str) -> str:
    """A question without shorthand, and with the words that stand for names of columns.

    >>> in_words("pts w/o dischtime?")
    'patients without time of discharge?'
    """
    text = _signs().sub(lambda found: _shorthand()[found[0].lower()], question)
    return " ".join(re.sub(r"[A-Za-z]\w*", lambda found: _in_words(found[0]), text).split())


def _in_words(word: str) -> str:
    if word.lower() in _shorthand():
        return _shorthand()[word.lower()]
    return spoken(word) if "_" in word or is_called(word) else word


@cache
def _shorthand() -> dict[str, str]:
    return dict(line.split("\t") for line in packaged_lines("shorthand.tsv"))


@cache
def _signs() -> re.Pattern[str]:
    signs = (re.escape(one) for one in _shorthand() if not one.isalpha())
    return re.compile("|".join(signs), re.I)
