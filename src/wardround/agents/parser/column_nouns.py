"""What the values of a column are called."""

import re
from functools import cache
from importlib.resources import files

from wardround.agents.parser.columns import Domain


def noun(domain: Domain) -> str:
    """What a question calls a value of a domain; the column's name where nothing is known of it.

    >>> noun(Domain("d_items", "label", (("linksto", "inputevents"),))), noun(Domain("bed", "side"))
    ('intake', 'side')
    """
    return noun_of(domain.name, domain.column)


def noun_of(name: str, column: str = "") -> str:
    """The noun for a domain's name.

    Args:
        name: As `Domain.name` has it.
        column: What it is called where nothing is known; the name's second word if left out.
    """
    known = (noun for pattern, noun in _nouns() if re.search(pattern, name.lower()))
    return next(known, (column or name.split(".")[1]).replace("_", " "))


@cache
def _nouns() -> tuple[tuple[str, str], ...]:
    text = files("wardround.agents.parser").joinpath("nouns.tsv").read_text(encoding="utf-8")
    lines = (line.split("\t") for line in text.splitlines() if line and line[0] != "#")
    return tuple((pattern, noun) for pattern, noun in lines)
