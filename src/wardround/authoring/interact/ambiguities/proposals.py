"""Proposed ambiguities of a clear task, and the ambiguous request."""

from collections.abc import Iterable
from dataclasses import dataclass

from wardround.people.clarifying.secret import Ambiguity


@dataclass(frozen=True, slots=True)
class Proposal:
    """An ambiguity that could be put into a task.

    Attributes:
        kind: its type, from `kinds.tsv`.
        fragment: the fragment of the gold that resolves it.
        meaning: the meaning in the user's words.
        otherwise: other readings of the fragment.
        said: the words of the clear request that resolve it; "" if there are none.
        becomes: the words to replace them.
        term: the ambiguous term; "" for `becomes`.
        critical: True if the intent depends on it.
        knowledge: the id of the masked entry.
        transition: the transition of its chain, if any (H.3), such as
            "user-environment-user".
    """

    kind: str
    fragment: str
    meaning: str
    otherwise: tuple[str, ...]
    said: str = ""
    becomes: str = ""
    term: str = ""
    critical: bool = True
    knowledge: int | None = None
    transition: str = ""

    @property
    def worded(self) -> bool:
        """True if it has a meaning; a person or a model words the others."""
        return bool(self.meaning)

    def ambiguity(self) -> Ambiguity:
        """Converts the proposal to an ambiguity."""
        return Ambiguity(
            self.term or self.becomes.strip() or self.meaning,
            self.kind,
            (self.fragment,),
            self.critical,
            self.knowledge,
            self.meaning,
            self.otherwise,
        )


def ambiguous(request: str, proposals: Iterable[Proposal]) -> str:
    """Replaces the words of a request that proposals make ambiguous.

    >>> old = Proposal("semantic", "age >= 65", "", (), "aged 65 or older", "of a higher age")
    >>> ambiguous("Count patients aged 65 or older.", [old])
    'Count patients of a higher age.'
    """
    for proposal in sorted(proposals, key=lambda each: -len(each.said)):
        if proposal.said:
            before, _, after = request.partition(proposal.said)
            request = _with_article(before, proposal.becomes) + proposal.becomes + after
    return _tidy(request)


def clash(first: Proposal, second: Proposal, request: str) -> bool:
    """True if two proposals replace the same words of a request."""
    if not (first.said and second.said):
        return False
    places = sorted((request.find(each.said), len(each.said)) for each in (first, second))
    (start, length), (next_start, _) = places
    return next_start < start + length


def _with_article(before: str, becomes: str) -> str:
    """The text before the new words, with the right article."""
    if before.endswith((" a ", " an ")):
        return before.rstrip().rstrip("an") + ("an " if becomes[:1].lower() in "aeiou" else "a ")
    return before


def _tidy(text: str) -> str:
    text = " ".join(text.split())
    for mark in ",.;?!":
        text = text.replace(f" {mark}", mark)
    for doubled, single in ((",,", ","), (",.", "."), (";.", "."), (", ?", "?"), (",?", "?")):
        text = text.replace(doubled, single)
    return text[:1].upper() + text[1:]
