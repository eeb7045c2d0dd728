"""The language of a text."""

import re
from typing import Literal, TypeAlias, get_args

Language: TypeAlias = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
_HAN, _LATIN = re.compile(r"[\u4e00-\u9fff]"), re.compile(r"[A-Za-z]{2,}")
# A Chinese text may hold this many Latin words for each Chinese letter; names of tests are Latin.
_LATIN_SHARE = 1.0


def language_of(text: str) -> Language | None:
    """The language of a text; None for one without words. Latin names of tests do not count.

    >>> language_of("INR 3.8，偏高"), language_of("INR 3.8, high"), language_of("3.8")
    ('zh', 'en', None)
    """
    han, latin = len(_HAN.findall(text)), len(_LATIN.findall(text))
    if not han and not latin:
        return None
    return "zh" if han and latin <= _LATIN_SHARE * han else "en"


def has_han(text: str) -> bool:
    """True if a text has a Chinese letter."""
    return _HAN.search(text) is not None
