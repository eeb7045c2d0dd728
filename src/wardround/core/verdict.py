"""Verdicts of programs, models and people on single items of a trial, and a judge's votes."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from wardround.core.errors import InfraError, MalformedAnswerError
from wardround.core.task import digest

State: TypeAlias = Literal["passed", "failed", "undecided"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's decision on one item.

    Attributes:
        item: the judged query, answer, stage or leaf of a rubric.
        source: the judge: "program:NAME", "model:ROLE", "person:NAME" or "file:NAME".
        state: the decision.
        points: points of the item if passed; otherwise it earns none.
        reason: the reason; an undecided verdict without one still lacks votes.
        votes: the single votes in order; the state is their majority.
        key: digest of the judge's settings, prompt version and input.
        evidence: the difference from the gold's result, for reports; contains database values.
    """

    item: str
    source: str
    state: State
    points: float = 1.0
    reason: str = ""
    votes: tuple[State, ...] = ()
    key: str = ""
    evidence: str = ""

    @property
    def passed(self) -> bool:
        """True if the item passed."""
        return self.state == "passed"

    @property
    def earned(self) -> float:
        """The points of an item that passed, otherwise 0."""
        return self.points if self.passed else 0.0

    @property
    def final(self) -> bool:
        """True unless votes are still missing."""
        return self.state != "undecided" or bool(self.reason)


def verdict_key(*parts: Any) -> str:
    """The key of a verdict: a digest of the judge's settings, prompt version and input.

    >>> verdict_key("program:sql", 1, "SELECT 1") == verdict_key("program:sql", 1, "SELECT 2")
    False
    """
    return digest([str(part) if isinstance(part, bytes) else part for part in parts])


def program_source(name: str) -> str:
    """The source of a program's verdicts.

    >>> program_source("paper")
    'program:paper'
    """
    return f"program:{name}"


def state_of(passed: bool) -> State:
    """The state of a decided item."""
    return "passed" if passed else "failed"


def with_undecided_as(verdicts: Iterable[Verdict], state: State) -> list[Verdict]:
    """The verdicts with undecided ones replaced by `state`.

    >>> [v.state for v in with_undecided_as([Verdict("a", "model:judge", "undecided")], "failed")]
    ['failed']
    """
    return [replace(v, state=state) if v.state == "undecided" else v for v in verdicts]


def latest(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """The last verdict for each item and source."""
    return list({(verdict.item, verdict.source): verdict for verdict in verdicts}.values())


async def voted(
    item: Verdict,
    known: Mapping[str, Verdict],
    ask: Callable[[int], Awaitable[State]],
    votes: int = 3,
) -> AsyncIterator[Verdict]:
    """Yields the verdict on an item after each vote, so that no vote is requested twice.

    If the judge fails, the item stays undecided with the votes so far. Ties are undecided.

    Args:
        item: the verdict without its state and votes.
        known: earlier verdicts, by key.
        ask: requests the vote with this number, from 0.
        votes: the number of votes; an odd number has no ties.
    """
    before = known.get(item.key, item)
    if item.key in known and before.final:
        return
    cast = before.votes
    while len(cast) < votes:
        try:
            cast = (*cast, await ask(len(cast)))
        except (InfraError, MalformedAnswerError) as error:
            yield replace(item, state="undecided", reason=str(error), votes=cast)
            return
        if len(cast) < votes:
            yield replace(item, state="undecided", reason="", votes=cast)
    yield _majority(replace(item, votes=cast))


def _majority(verdict: Verdict) -> Verdict:
    passed, failed = (verdict.votes.count(state) for state in ("passed", "failed"))
    if passed == failed:
        return replace(verdict, state="undecided", reason="the votes are tied")
    return replace(verdict, state="passed" if passed > failed else "failed")
