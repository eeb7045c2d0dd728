"""Published spelling of the hospital's lower-case names."""

import re
from functools import cache

from wardround.ehr.hospital.catalogue import table

_WORD = re.compile(r"(?<![a-z'])[a-z]")


@cache
def spell(kind: str, text: str) -> str:
    """MIMIC-IV's spelling of a drug, a unit of measure or a care unit ("care").

    >>> spell("drug", "hydromorphone (dilaudid)"), spell("unit", "meq/l")
    ('HYDROmorphone (Dilaudid)', 'mEq/L')
    >>> spell("care", "surgery"), spell("unit", "mg")
    ('Surgery', 'mg')
    """
    spelling = _spellings().get((kind, text))
    return spelling or (text if kind == "unit" else title_case(text))


@cache
def title_case(text: str) -> str:
    """Each word with a capital.

    >>> title_case("obstetrics (postpartum & antepartum)")
    'Obstetrics (Postpartum & Antepartum)'
    """
    return _WORD.sub(lambda letter: letter.group().upper(), text)


def sentence(text: str) -> str:
    """The first letter as a capital."""
    return text[:1].upper() + text[1:]


@cache
def _spellings() -> dict[tuple[str, str], str]:
    return {(row["kind"], row["text"]): row["spelled"] for row in table("forms/spellings")}
