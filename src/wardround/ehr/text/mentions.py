"""Mentions of drugs, tests, diagnoses and the words of orders, of several kinds at once."""

from functools import lru_cache
from typing import NamedTuple

from wardround.ehr.terms.chinese import TermKind
from wardround.ehr.terms.chinese import mentions as mentions_of_kind
from wardround.ehr.text.segments import Span

_TEXTS = 4096  # cached texts


class Mention(NamedTuple):
    """A term at `text[start:end]`, by its kind and its English name."""

    start: int
    end: int
    kind: TermKind
    name: str

    @property
    def span(self) -> Span:
        """The place of the mention."""
        return Span(self.start, self.end)


@lru_cache(_TEXTS)
def mentions(text: str, *kinds: TermKind) -> tuple[Mention, ...]:
    """The terms of some kinds in a text of either language, kind by kind, each kind in order.

    >>> [(each.kind, each.name) for each in mentions("速尿已停，血钾3.1", "drug", "test")]
    [('drug', 'furosemide'), ('test', 'potassium')]
    """
    return tuple(
        Mention(term.start, term.end, kind, term.english)
        for kind in kinds
        for term in mentions_of_kind(text, kind)
    )
