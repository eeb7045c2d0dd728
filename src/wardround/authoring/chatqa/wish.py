"""A part of a question: what is asked for, or a condition that a user tells."""

from collections.abc import Mapping
from dataclasses import dataclass

from wardround.ehr.query import Condition


@dataclass(frozen=True, slots=True)
class Wish:
    """A part of a question: what is asked for, or a condition, with the frame that says it.

    Attributes:
        frame: the name of the frame in the wordings.
        slots: what the frame is filled in with.
        condition: the condition; of a rate that is asked for, what the share is of; None for
            anything else that is asked for.
    """

    frame: str
    slots: Mapping[str, str]
    condition: Condition | None = None
