"""Typed checks of rubric items: their common form, how they are stored, and what they find."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

from wardround.core.verdict import State, state_of

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


def all_of(findings: Iterable[Finding]) -> Finding:
    """The first failed of several findings, else the first undecided, else the first.

    >>> all_of([Finding("passed"), Finding("undecided", "no column"), Finding("passed")]).state
    'undecided'
    """
    return min(findings, key=lambda each: _FIRST[each.state])
