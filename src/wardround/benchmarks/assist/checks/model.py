"""Decisions on rubric items."""

from dataclasses import dataclass

from wardround.core.verdict import State


@dataclass(frozen=True, slots=True)
class Finding:
    """The decision on an item, and its reason."""

    state: State
    reason: str = ""
