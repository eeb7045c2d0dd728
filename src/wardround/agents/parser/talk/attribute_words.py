"""Lay wordings of attributes that hospitals code in their own way, from attributes.tsv."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache

from wardround.agents.parser.talk.request import Kind
from wardround.core.packaged_data import read_rows


@dataclass(frozen=True, slots=True)
class AttributeWording:
    """Wordings of an attribute.

    Attributes:
        kind: The kind of record that has it.
        column: Its column.
        stored: The texts that records may hold, the likeliest first.
        cue: A pattern that the same sentence must match.
        wording: A pattern of the wordings.
    """

    kind: Kind
    column: str
    stored: tuple[str, ...]
    cue: re.Pattern[str]
    wording: re.Pattern[str]


@cache
def attribute_wordings() -> tuple[AttributeWording, ...]:
    """All packaged attributes, in the order of precedence."""
    rows = read_rows("wardround.agents.parser.talk", "attributes.tsv")
    return tuple(_attribute_wording(*row) for row in rows)


def find_attributes(
    sentence: str, spoken_of: Collection[Kind]
) -> Iterator[tuple[int, int, AttributeWording]]:
    """Every attribute in a lower-case sentence; ranges may overlap.

    Args:
        sentence: The sentence.
        spoken_of: Kinds of record mentioned before, which need no cue.
    """
    for attribute in attribute_wordings():
        if attribute.kind in spoken_of or attribute.cue.search(sentence):
            for match in attribute.wording.finditer(sentence):
                yield match.start(), match.end(), attribute


def _attribute_wording(
    kind: str, column: str, stored: str, cue: str, wording: str
) -> AttributeWording:
    either = "|".join(wording.split("; "))
    return AttributeWording(
        kind,
        column,
        tuple(stored.split("; ")),
        re.compile(cue),
        re.compile(rf"(?<![\w-])(?:{either})(?![\w-])"),
    )
