"""A person as an environment sees one: somebody who opens, answers, and may end the talk."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Utterance:
    """What a person said; `ends` when it was the last thing they had to say."""

    text: str
    ends: bool = False


class Person(Protocol):
    """A simulated person. It holds its own memory of the talk and never sees a database."""

    async def open(self) -> Utterance:
        """The first thing the person says."""
        ...

    async def reply(self, said: str) -> Utterance:
        """What the person answers to what the agent just said."""
        ...
