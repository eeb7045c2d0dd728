"""Spelled names of units such as mg/dL, in English and Chinese."""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from wardround.core.packaged_data import read_rows, split_cell


class _Part(NamedTuple):
    """The words for a part of a unit."""

    english: tuple[str, ...]
    chinese: tuple[str, ...]


def spelled_names(unit: str) -> list[str]:
    """The names of a unit of two parts in words; none for any other.

    >>> spelled_names("mEq/L")[0], spelled_names("ug/mL")[-2:], spelled_names("mg")
    ('milliequivalent per liter', ['微克每毫升', '微克/毫升'], [])
    """
    parts = unit.split("/")
    if len(parts) != 2 or not _words().keys() >= set(parts):
        return []
    amount, per = (_words()[part] for part in parts)
    return [
        *(f"{first} per {second}" for first in amount.english for second in per.english),
        *(f"{a}{sign}{b}" for a in amount.chinese for b in per.chinese for sign in "每/"),
    ]


@cache
def _words() -> Mapping[str, _Part]:
    rows = read_rows(__package__, "unit_parts.tsv")
    return {part: _Part(split_cell(english), split_cell(han)) for part, english, han in rows}
