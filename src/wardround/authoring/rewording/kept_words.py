"""Words of time, order and counting, which a new wording keeps and does not add."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from wardround.authoring.slots import SLOT, in_tense
from wardround.core.packaged_data import read_toml

# Share of the known wordings that say a thing from which on it belongs to the question.
_MOST = 0.8


def lost_things(wording: str, known: Sequence[str]) -> frozenset[str]:
    """The things that most known wordings say, and this one does not.

    >>> lost_things("Which patients had {drug_name}?", ["How many patients had {drug_name}?"])
    frozenset({'count'})
    """
    counts = Counter(thing for each in known for thing in things_said(each))
    usual = {thing for thing, count in counts.items() if count >= _MOST * len(known)}
    return frozenset(usual) - things_said(wording)


def added_things(wording: str, known: Iterable[str]) -> frozenset[str]:
    """The things that this wording says, and no known one does.

    >>> added_things("Which drug was last given?", ["Which drug was given?"])
    frozenset({'last'})
    """
    return things_said(wording) - frozenset().union(*map(things_said, known))


@cache
def things_said(wording: str) -> frozenset[str]:
    """The things of `kept_words.toml` that a wording says outside its slots."""
    text = SLOT.sub(" ", in_tense(wording, over=False)).lower()
    return frozenset(thing for thing, pattern in _patterns().items() if pattern.search(text))


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    stored = read_toml(__package__, "kept_words.toml")
    return {thing: re.compile(rf"\b(?:{'|'.join(ways)})\b") for thing, ways in stored.items()}
