"""Nouns for the values of a column."""

import re
from functools import cache
from importlib.resources import files

from wardround.agents.parser.columns import Domain


def noun(domain: Domain) -> str:
    """The noun for a value of a domain; the column's name where no line of the file matches.

    >>> noun(Domain("d_items", "label", (("linksto", "inputevents"),))), noun(Domain("bed", "side"))
    ('intake', 'side')
    """
    return noun_of(domain.name, domain.column)


def noun_of(name: str, column: str = "") -> str:
    """The noun for a domain by its name.

    Args:
        name: As in `Domain.name`.
        column: The noun where no line matches; the second part of the name by default.
    """
    known = (noun for pattern, noun in _nouns() if re.search(pattern, name.lower()))
    return next(known, (column or name.split(".")[1]).replace("_", " "))


@cache
def _nouns() -> tuple[tuple[str, str], ...]:
    text = files("wardround.agents.parser").joinpath("nouns.tsv").read_text(encoding="utf-8")
    lines = (line.split("\t") for line in text.splitlines() if line and line[0] != "#")
    return tuple((pattern, noun) for pattern, noun in lines)
