"""The interface of simulated people, and the token with which they end a conversation."""

from dataclasses import dataclass
from typing import Protocol

END = "###END###"


@dataclass(frozen=True, slots=True)
class Utterance:
    """A message of a person; `ends` is True for the last one."""

    text: str
    ends: bool = False


class Person(Protocol):
    """A simulated person. It remembers the conversation itself and never sees a database."""

    async def open(self) -> Utterance:
        """Returns the first message."""
        ...

    async def reply(self, message: str) -> Utterance:
        """Returns the reply to a message of the agent."""
        ...


def to_utterance(text: str) -> Utterance:
    """Makes an utterance of a simulated person's text.

    The end token ends the conversation wherever it is. It should be alone, but models write a
    farewell beside it (as in Lee et al. 2025, D.2.1). The text is kept: if it breaks a rule is
    for the validator to decide.

    >>> to_utterance("###END###")
    Utterance(text='###END###', ends=True)
    >>> to_utterance("That's all. ###END###").ends, to_utterance("##END##").ends
    (True, False)
    """
    return Utterance(text.strip(), END in text)
