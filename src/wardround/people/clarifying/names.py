"""What people call tables and columns."""

import re
from functools import cache

from wardround.people.clarifying.packaged import packaged_lines

_TIME = re.compile(r"\b(time|date|day|period|year)\b")
_ENDINGS = re.compile(
    r"(?<=[a-z]{3})(time|date|day|year|hours|name|type|code|flag|group|number|count|total|status|unit"
    r"|score|rate|ratio|index|level|value|cost|text|strength|amount|id)$"
)

# A shorter name may be anything in a sentence.
_LONG = 5


def spoken(name: str) -> str:
    """An identifier as words.

    >>> spoken("anchor_age"), spoken("labevents"), spoken("next_admission")
    ('age', 'lab results', 'next admission')
    >>> spoken("recordtime"), spoken("firstCareUnit")
    ('record time', 'first care unit')
    """
    key = name.strip('"').lower()
    if key in _called():
        return _called()[key]
    parts = re.split(r"[_$\s]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip('"')))
    return " ".join(filter(None, (_part(part.lower()) for part in parts)))


def is_time(name: str) -> bool:
    """Whether an identifier names a point in time.

    >>> is_time("admittime"), is_time("charted_at"), is_time("valuenum")
    (True, True, False)
    """
    return bool(_TIME.search(spoken(name))) or name.lower().endswith("_at")


def is_called(name: str) -> bool:
    """Whether an identifier is no word that is said, but one that stands for others.

    >>> is_called("dischtime"), is_called("d"), is_called("age")
    (True, False, False)
    """
    return len(name) >= _LONG and name.lower() in _called()


@cache
def plain_words() -> frozenset[str]:
    """Words that name columns and are no secret as words."""
    lines = packaged_lines("plain.txt")
    return frozenset(word for line in lines for word in line.split())


def _part(part: str) -> str:
    if part == "id":
        return ""
    if part in plain_words():
        return part
    return _called().get(part) or _ENDINGS.sub(r" \1", part).removesuffix(" id")


@cache
def _called() -> dict[str, str]:
    return dict(line.split("\t") for line in packaged_lines("names.tsv"))
