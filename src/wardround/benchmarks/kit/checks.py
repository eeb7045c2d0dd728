"""Rubric items: the form of their checks, the findings of checks, and the verdict that counts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from wardround.core.verdict import State, Verdict, state_of

_FIRST: dict[State, int] = {"failed": 0, "undecided": 1, "passed": 2}


class Check(BaseModel):
    """A check of a rubric item; its `kind` tells it from the other checks of a benchmark."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    kind: str

    def stored(self) -> dict[str, Any]:
        """The check as JSON data, without the fields that have their default."""
        return {"kind": self.kind, **self.model_dump(mode="json", exclude_defaults=True)}


@dataclass(frozen=True, slots=True)
class Finding:
    """The decision of a check, and its reason."""

    state: State
    reason: str = ""


def finding(passed: bool, otherwise: str) -> Finding:
    """Passed, or failed for a reason.

    >>> finding(False, "n holds text")
    Finding(state='failed', reason='n holds text')
    """
    return Finding(state_of(passed), "" if passed else otherwise)


def best_verdict(verdicts: Sequence[Verdict], order: Sequence[str]) -> Verdict:
    """The first decided verdict on an item in an order of sources; else the first undecided.

    A place in the order is a source, or the kind of several: "person" stands for "person:NAME".

    >>> of_both = [Verdict("a", "model:judge", "passed"), Verdict("a", "program:checks", "failed")]
    >>> best_verdict(of_both, ("program", "model:judge")).source
    'program:checks'
    """

    def rank(verdict: Verdict) -> tuple[bool, int]:
        kind = verdict.source if verdict.source in order else verdict.source.partition(":")[0]
        return verdict.state == "undecided", order.index(kind) if kind in order else len(order)

    return min(verdicts, key=rank)


def all_of(findings: Iterable[Finding]) -> Finding:
    """The first failed of several findings, else the first undecided, else the first.

    >>> all_of([Finding("passed"), Finding("undecided", "no column"), Finding("passed")]).state
    'undecided'
    """
    return min(findings, key=lambda each: _FIRST[each.state])
