"""Which pieces of the gold an ambiguity is about."""

from collections.abc import Iterable, Sequence

from wardround.people.clarifying.fragments import Fragment
from wardround.people.clarifying.gold_parser import DIALECT, piece
from wardround.people.clarifying.model import Ambiguity

# What an implementation ambiguity is about, by its type (Table 7).
BY_KIND = {
    "decimal": "decimal",
    "join": "join",
    "distinct": "distinct",
    "sort": "order",
    "null": "null",
    "rank": "rank",
    "divide by zero": "zero",
}
_HOW = frozenset({*BY_KIND.values(), "count", "aggregate", "denominator"})
_CONDITIONS = frozenset({"threshold", "period", "choice", "exclusion"})


def covered(ambiguity: Ambiguity, pieces: Sequence[Fragment]) -> list[Fragment]:
    """The pieces that an ambiguity is about, found by their text.

    One of how things are carried out is about what its type says alone, and about all of that
    where its own piece is none that is found. Any other is about what lies within its piece, or
    else the narrowest condition around it; how things are carried out only where that is all.
    """
    own = [_text(one) for one in ambiguity.fragments]
    if kind := BY_KIND.get(ambiguity.kind):
        touched = [one for one in pieces if one.sort == kind and _touches(one, own)]
        of_kind = touched or [one for one in pieces if one.sort == kind]
        return [one for one in pieces if one in of_kind or _is_how(one, own)]
    within = [one for one in pieces if any(_squeezed(one.sql) in text for text in own)]
    found = [one for one in within if one.sort not in _HOW or _is_how(one, own)]
    return found or _around(own, pieces)


def _is_how(one: Fragment, own: Sequence[str]) -> bool:
    """Whether a piece says how something is carried out, and an ambiguity's own is no more."""
    return one.sort in _HOW and _squeezed(one.sql) in own


def _touches(one: Fragment, own: Iterable[str]) -> bool:
    text = _squeezed(one.sql)
    return any(text in other or other in text for other in own)


def _around(own: Sequence[str], pieces: Iterable[Fragment]) -> list[Fragment]:
    found = [
        one
        for one in pieces
        if one.sort in _CONDITIONS and any(text in _squeezed(one.sql) for text in own)
    ]
    return sorted(found, key=lambda one: len(one.sql))[:1]


def _text(fragment: str) -> str:
    read = " ".join(tree.sql(dialect=DIALECT, comments=False) for tree in piece(fragment))
    return _squeezed(read or fragment)


def _squeezed(sql: str) -> str:
    return "".join(sql.lower().split())
