"""Words of time and of operations that a new wording of a template keeps, and does not add."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files

from wardround.authoring.ehrsql.paraphrases.stand_ins import SLOT
from wardround.authoring.ehrsql.templates.grammar import in_tense

# A thing said by so many of the known wordings belongs to the question: a few leave it to others.
_MOST = 0.8


def lost(wording: str, known: Sequence[str]) -> frozenset[str]:
    """What most known wordings say and this one does not.

    >>> lost("Which patients had {drug_name}?", ["How many patients had {drug_name}?"])
    frozenset({'count'})
    """
    counts = Counter(thing for one in known for thing in things_said(one))
    usual = {thing for thing, count in counts.items() if count >= _MOST * len(known)}
    return frozenset(usual) - things_said(wording)


def added(wording: str, known: Iterable[str]) -> frozenset[str]:
    """What this wording says and no known one does.

    >>> added("Which drug was last given?", ["Which drug was given?"])
    frozenset({'last'})
    """
    return things_said(wording) - frozenset().union(*map(things_said, known))


@cache
def things_said(wording: str) -> frozenset[str]:
    """The things of `kept_words.toml` that a wording says, slots left out."""
    text = SLOT.sub(" ", in_tense(wording, over=False)).lower()
    return frozenset(thing for thing, way in _ways().items() if way.search(text))


@cache
def _ways() -> Mapping[str, re.Pattern[str]]:
    stored = tomllib.loads((files(__package__) / "kept_words.toml").read_text(encoding="utf-8"))
    return {thing: re.compile(rf"\b(?:{'|'.join(ways)})\b") for thing, ways in stored.items()}
