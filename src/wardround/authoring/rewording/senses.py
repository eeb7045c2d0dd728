"""Senses of an English request that no other wording of it may change, such as "above" or "not"."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from wardround.core.packaged_data import read_toml


class _Form(NamedTuple):
    sense: str
    is_counted: bool
    pattern: re.Pattern[str]


def changed_senses(old: str, new: str) -> tuple[str, ...]:
    """The senses that a request in other words loses or adds.

    >>> changed_senses("You want stays with a result above 5.", "You want those that exceed 5.")
    ('stays', 'test')
    >>> changed_senses("Leave out women aged 65 or older.", "Exclude the women of at least 65.")
    ('age',)
    """
    before, after = senses(old), senses(new)
    return tuple(sense for sense in sorted({*before, *after}) if before[sense] != after[sense])


def senses(text: str) -> Counter[str]:
    """The senses of a request with their counts; one that is not counted has 1."""
    numbered = re.sub(r"\d+(?:\.\d+)?", "#", text.lower().replace("\u2019", "'"))
    read: Counter[str] = Counter()
    for form in _longest(numbered):
        read[form.sense] = read[form.sense] + 1 if form.is_counted else 1
    del read[""]
    return read


def _longest(text: str) -> Iterator[_Form]:
    """The forms in a text from left to right; of those that begin at one place, the longest."""
    place = 0
    matches = sorted(
        (
            (match.start(), -match.end(), form)
            for form in _forms()
            for match in form.pattern.finditer(text)
        ),
        key=lambda match: match[:2],
    )
    end_of_last = (0, 0)
    for start, end, form in matches:
        if start >= place:
            yield form
            place, end_of_last = -end, (start, end)
        elif (start, end) == end_of_last:
            yield form  # one phrase may have two senses


@cache
def _forms() -> tuple[_Form, ...]:
    table: Mapping[str, Mapping[str, list[str]]] = read_toml(__package__, "senses.toml")
    return tuple(
        _Form(sense, group == "counted", re.compile(rf"(?<!\w)(?:{pattern})(?!\w)"))
        for group, listed in table.items()
        for sense, patterns in listed.items()
        for pattern in patterns
    )
