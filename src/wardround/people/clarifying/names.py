"""Readable names of tables and columns."""

import re
from functools import cache

from wardround.people.clarifying.packaged import packaged_lines

_TIME = re.compile(r"\b(time|date|day|period|year)\b")
_KEY = re.compile(r"(_id|itemid|_code)$", re.I)
_ENDINGS = re.compile(
    r"(?<=[a-z]{3})(time|date|day|year|hours|name|type|code|flag|group|number|count|total|status|unit"
    r"|score|rate|ratio|index|level|value|cost|text|strength|amount|id)$"
)

# A shorter name may be an ordinary word of a sentence.
_LONG = 5


def readable_name(name: str) -> str:
    """Converts an identifier to words.

    >>> readable_name("anchor_age"), readable_name("labevents"), readable_name("next_admission")
    ('age', 'lab results', 'next admission')
    >>> readable_name("recordtime"), readable_name("firstCareUnit")
    ('record time', 'first care unit')
    """
    key = name.strip('"').lower()
    if key in _readable_names():
        return _readable_names()[key]
    parts = re.split(r"[_$\s]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip('"')))
    return " ".join(filter(None, (_part(part.lower()) for part in parts)))


def is_time(name: str) -> bool:
    """True if an identifier names a point in time.

    >>> is_time("admittime"), is_time("charted_at"), is_time("valuenum")
    (True, True, False)
    """
    return bool(_TIME.search(readable_name(name))) or name.lower().endswith("_at")


def is_key(name: str) -> bool:
    """True if an identifier tells records apart, which means nothing to a user.

    >>> is_key("hadm_id"), is_key("itemid"), is_key("age")
    (True, True, False)
    """
    return bool(_KEY.search(name))


def is_abbreviation(name: str) -> bool:
    """True if an identifier is an abbreviation with a listed readable name.

    >>> is_abbreviation("dischtime"), is_abbreviation("d"), is_abbreviation("age")
    (True, False, False)
    """
    return len(name) >= _LONG and name.lower() in _readable_names()


@cache
def plain_words() -> frozenset[str]:
    """Returns ordinary words that also name columns, so they are not secrets."""
    lines = packaged_lines("plain.txt")
    return frozenset(word for line in lines for word in line.split())


def _part(part: str) -> str:
    if part == "id":
        return ""
    if part in plain_words():
        return part
    return _readable_names().get(part) or _ENDINGS.sub(r" \1", part).removesuffix(" id")


@cache
def _readable_names() -> dict[str, str]:
    return dict(line.split("\t") for line in packaged_lines("names.tsv"))
