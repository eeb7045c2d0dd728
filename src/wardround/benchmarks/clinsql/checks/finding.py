"""Decisions of checks."""

from dataclasses import dataclass

from wardround.core.verdict import State


@dataclass(frozen=True, slots=True)
class Finding:
    """The decision of a check, and its reason."""

    state: State
    reason: str = ""
