"""What an agent may do and what it gets back: actions and observations."""

from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Say:
    """The agent speaks to the person in the room."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """The agent uses a tool; `arguments` are JSON values by parameter name."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)


Action: TypeAlias = Say | Call


@dataclass(frozen=True, slots=True)
class Observation:
    """What came back: a person's words, a tool's result, or word that the trial is over.

    Attributes:
        text: what was said or returned.
        source: who it comes from: a person's role ("user", "patient", "physician"), "tool", or
            "environment", which answers an action that it does not carry out.
        done: True when the trial has ended and no action is awaited.
        budget: what is left to spend, in the environment's own unit; None when actions are free.
        stage: the name of the stage that the trial is in; a new one begins with the observation
            that first names it. Empty where a trial has one stage.
    """

    text: str
    source: str
    done: bool = False
    budget: float | None = None
    stage: str = ""
