"""Actions, what an agent can do, and observations, what it gets back."""

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
    arguments: dict[str, Any] = field(default_factory=dict)


Action: TypeAlias = Say | Call


@dataclass(frozen=True, slots=True)
class Observation:
    """The answer to an action: a person's words, a tool's result, or the end of the trial.

    Attributes:
        text: the words or the result.
        source: who it comes from: a person's role ("user", "patient", "physician"), "tool", or
            "environment", which answers an action that it does not carry out.
        done: True if the trial has ended; no further action is expected.
        budget: units left to spend, in the environment's own unit; None if actions are free.
        stage: the name of the current stage; a stage begins with the first observation that has
            its name. Empty if a trial has one stage.
    """

    text: str
    source: str
    done: bool = False
    budget: float | None = None
    stage: str = ""
