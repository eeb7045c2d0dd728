"""Maps an ambiguity to the gold fragments it is about."""

from collections.abc import Iterable, Sequence

from wardround.people.clarifying.fragments import Fragment
from wardround.people.clarifying.gold_parser import DIALECT, parse_fragment
from wardround.people.clarifying.secret import Ambiguity

# Aspect of an implementation ambiguity, by its type (Huo et al. 2025, Table 7).
BY_KIND = {
    "decimal": "decimal",
    "join": "join",
    "distinct": "distinct",
    "sort": "order",
    "null": "null",
    "rank": "rank",
    "divide by zero": "zero",
}
_IMPLEMENTATION = frozenset({*BY_KIND.values(), "count", "aggregate", "denominator"})
_CONDITIONS = frozenset({"threshold", "period", "choice", "exclusion"})


def fragments_in_scope(ambiguity: Ambiguity, pieces: Sequence[Fragment]) -> list[Fragment]:
    """Returns the fragments that an ambiguity is about, matched by their text.

    An implementation ambiguity covers the fragments of its type's aspect: those that overlap its
    own fragment, or else all of them. Any other covers the fragments within its own, or else the
    narrowest condition around it; implementation fragments only where they are all there is.
    """
    texts = [_text(fragment) for fragment in ambiguity.fragments]
    if kind := BY_KIND.get(ambiguity.kind):
        touched = [
            fragment for fragment in pieces if fragment.aspect == kind and _touches(fragment, texts)
        ]
        of_kind = touched or [fragment for fragment in pieces if fragment.aspect == kind]
        return [
            fragment
            for fragment in pieces
            if fragment in of_kind or _is_implementation(fragment, texts)
        ]
    within = [
        fragment
        for fragment in pieces
        if any(_without_spaces(fragment.sql) in text for text in texts)
    ]
    found = [
        fragment
        for fragment in within
        if fragment.aspect not in _IMPLEMENTATION or _is_implementation(fragment, texts)
    ]
    return found or _enclosing_condition(texts, pieces)


def _is_implementation(fragment: Fragment, texts: Sequence[str]) -> bool:
    """True if an implementation fragment equals the ambiguity's own fragment."""
    return fragment.aspect in _IMPLEMENTATION and _without_spaces(fragment.sql) in texts


def _touches(fragment: Fragment, texts: Iterable[str]) -> bool:
    text = _without_spaces(fragment.sql)
    return any(text in own_text or own_text in text for own_text in texts)


def _enclosing_condition(texts: Sequence[str], pieces: Iterable[Fragment]) -> list[Fragment]:
    found = [
        fragment
        for fragment in pieces
        if fragment.aspect in _CONDITIONS
        and any(text in _without_spaces(fragment.sql) for text in texts)
    ]
    return sorted(found, key=lambda fragment: len(fragment.sql))[:1]


def _text(fragment: str) -> str:
    read = " ".join(tree.sql(dialect=DIALECT, comments=False) for tree in parse_fragment(fragment))
    return _without_spaces(read or fragment)


def _without_spaces(sql: str) -> str:
    return "".join(sql.lower().split())
