"""Actions of agents, and the observations that answer them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Say:
    """The agent speaks to the person it works for."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """The agent uses a tool; `arguments` are JSON values by parameter name."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


Action: TypeAlias = Say | Call


@dataclass(frozen=True, slots=True)
class Observation:
    """The answer to an action: a person's words, a tool's result, or the end of the trial.

    Attributes:
        text: the words or the result.
        source: a person's role ("user", "patient", "physician"), "tool", or "environment" for an
            action that was not carried out.
        done: True if the trial has ended; no further action is expected.
        budget: units left to spend, in the environment's own unit; None if actions are free.
        stage: the name of the current stage, which begins with its first observation; empty if a
            trial has one stage.
    """

    text: str
    source: str
    done: bool = False
    budget: float | None = None
    stage: str = ""
