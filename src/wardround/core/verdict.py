"""Verdicts: what a program or a model finds of one item of a trial."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from wardround.core.task import digest

State: TypeAlias = Literal["passed", "failed", "undecided"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One finding of a judge.

    Attributes:
        item: what was judged: a query, an answer, a stage, a leaf of a rubric.
        source: who judged: "program:NAME", "model:ROLE", "person:NAME" or "file:NAME".
        state: what was found.
        points: what the item earns if it passed; nothing otherwise.
        reason: why. An undecided verdict without a reason still lacks votes.
        votes: the findings of which the state is the majority, in the order they were given.
        key: digest of the judge's settings, its prompt's version and what was judged.
        evidence: how the gold's result differs from the one judged, for reports; it holds values.
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
    """The key of a verdict, from its judge's settings, prompt version and what is judged.

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


def settled(verdicts: Iterable[Verdict], state: State) -> list[Verdict]:
    """The verdicts with every undecided one taken for `state`.

    >>> [v.state for v in settled([Verdict("a", "model:judge", "undecided")], "failed")]
    ['failed']
    """
    return [replace(v, state=state) if v.state == "undecided" else v for v in verdicts]


def latest(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """One verdict for each item and source: the one given last."""
    return list({(verdict.item, verdict.source): verdict for verdict in verdicts}.values())


def given_by(verdicts: Sequence[Verdict], source: str) -> list[Verdict]:
    """The verdicts of one source, in order."""
    return [verdict for verdict in verdicts if verdict.source == source]
