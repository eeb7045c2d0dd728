"""What people call the attributes that hospitals write in their own way, as sayings.tsv lists."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from wardround.agents.parser.talk.request import Kind


@dataclass(frozen=True, slots=True)
class Saying:
    """How people say an attribute.

    Attributes:
        kind: which records have it.
        column: in which column it is.
        stored: what records may hold, the likeliest first.
        cue: what must stand in the same sentence.
        said: the ways to say it.
    """

    kind: Kind
    column: str
    stored: tuple[str, ...]
    cue: re.Pattern[str]
    said: re.Pattern[str]


@cache
def sayings() -> tuple[Saying, ...]:
    """All that are packaged, in their order: what stands first is tried first."""
    lines = (files(__package__) / "sayings.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return tuple(_saying(*row) for row in rows[1:])


def said_in(sentence: str, spoken_of: Collection[Kind]) -> Iterator[tuple[int, int, Saying]]:
    """Every attribute that a lower-case sentence says, possibly overlapping.

    Args:
        sentence: what was said.
        spoken_of: kinds of record that are spoken of anyway, so that no cue is needed.
    """
    for saying in sayings():
        if saying.kind in spoken_of or saying.cue.search(sentence):
            for match in saying.said.finditer(sentence):
                yield match.start(), match.end(), saying


def _saying(kind: str, column: str, stored: str, cue: str, said: str) -> Saying:
    either = "|".join(said.split("; "))
    return Saying(
        kind,
        column,
        tuple(stored.split("; ")),
        re.compile(cue),
        re.compile(rf"(?<![\w-])(?:{either})(?![\w-])"),
    )
