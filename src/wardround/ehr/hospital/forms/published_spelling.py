"""Writes what the hospital keeps in lower case as published databases spell it."""

import re
from functools import cache

from wardround.ehr.hospital.catalogue import table

_WORD = re.compile(r"(?<![a-z'])[a-z]")


def spelled(kind: str, text: str) -> str:
    """A drug, a unit or a unit of care ("care") as MIMIC-IV spells it.

    >>> spelled("drug", "hydromorphone (dilaudid)"), spelled("unit", "meq/l")
    ('HYDROmorphone (Dilaudid)', 'mEq/L')
    >>> spelled("care", "surgery"), spelled("unit", "mg")
    ('Surgery', 'mg')
    """
    known = _spellings().get((kind, text))
    return known or (text if kind == "unit" else titled(text))


@cache
def titled(text: str) -> str:
    """Each word with a capital.

    >>> titled("obstetrics (postpartum & antepartum)")
    'Obstetrics (Postpartum & Antepartum)'
    """
    return _WORD.sub(lambda letter: letter.group().upper(), text)


def sentence(text: str) -> str:
    """The first letter as a capital."""
    return text[:1].upper() + text[1:]


@cache
def _spellings() -> dict[tuple[str, str], str]:
    return {(row["kind"], row["text"]): row["spelled"] for row in table("forms/spellings")}
