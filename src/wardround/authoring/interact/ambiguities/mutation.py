"""Mutates gold SQL by alternative readings of its ambiguities, and restores it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wardround.people.clarifying.secret import Ambiguity


@dataclass(frozen=True, slots=True)
class Hole:
    """A place in the gold that a clarification resolves.

    Attributes:
        fragment: the fragment of the gold.
        reading: the fragment under the alternative reading.
    """

    fragment: str
    reading: str


def misread(gold: str, fragment: str, reading: str) -> str:
    """Replaces all occurrences of a fragment of the gold by another reading.

    >>> misread("SELECT age FROM t WHERE age > 6 AND age > 65", "age > 6", "age > 7")
    'SELECT age FROM t WHERE age > 7 AND age > 65'
    """
    return _whole(fragment).sub(lambda _: reading, gold)


def holes(gold: str, ambiguities: Iterable[Ambiguity]) -> tuple[str | Hole, ...]:
    """Splits the gold at the fragments that ambiguities hide.

    Of two nested fragments the outer one becomes a hole.

    Args:
        gold: the statements as one text.
        ambiguities: the request's ambiguities; each hides its first fragment.

    >>> holes("SELECT 1 WHERE a > 65", [Ambiguity("old", "semantic", ("65",), otherwise=("80",))])
    ('SELECT 1 WHERE a > ', Hole(fragment='65', reading='80'))
    """
    matches = [
        (match.start(), -match.end(), Hole(point.fragments[0], point.otherwise[0]))
        for point in ambiguities
        if point.fragments and point.otherwise
        for match in _whole(point.fragments[0]).finditer(gold)
    ]
    parts: list[str | Hole] = []
    end = 0
    for start, negative, hole in sorted(matches, key=lambda match: match[:2]):
        if start >= end:
            parts += [gold[end:start], hole]
            end = -negative
    return tuple(part for part in (*parts, gold[end:]) if part)


def all_misread(parts: Sequence[str | Hole]) -> str:
    """Returns the gold under the alternative readings of all ambiguities."""
    return "".join(part if isinstance(part, str) else part.reading for part in parts)


def reconstructed(parts: Sequence[str | Hole]) -> str:
    """Returns the gold with every fragment restored."""
    return "".join(part if isinstance(part, str) else part.fragment for part in parts)


def occurs(fragment: str, gold: str) -> bool:
    """True if a fragment occurs in the gold, outside of longer words and numbers."""
    return bool(_whole(fragment).search(gold))


def _whole(fragment: str) -> re.Pattern[str]:
    before = r"(?<![\w.])" if re.match(r"\w", fragment) else ""
    after = r"(?!\w|\.\d)" if re.search(r"\w\Z", fragment) else ""
    return re.compile(before + re.escape(fragment) + after)
