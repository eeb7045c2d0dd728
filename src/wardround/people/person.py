"""The interface of people, the end of a conversation, and people recorded or really there."""

from dataclasses import dataclass
from typing import Protocol

from wardround.core.capabilities import Reply
from wardround.core.errors import InfraError
from wardround.core.trajectory import Called, Returned, Said, Trajectory

END = "###END###"


@dataclass(frozen=True, slots=True)
class Utterance:
    """A message of a person; `ends` is True for the last one."""

    text: str
    ends: bool = False


class Person(Protocol):
    """A person in a trial. It remembers the conversation itself and never sees a database."""

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


class RecordedPerson:
    """Repeats a speaker's recorded messages in order, whatever the agent says."""

    def __init__(self, recording: Trajectory, speaker: str) -> None:
        self._lines = recording.said_by(speaker)
        self._spoken = 0
        events = [e for e in recording.events if isinstance(e, Said | Called | Returned)]
        # The person ended the conversation only if the last event is theirs.
        self._ended = bool(events) and events[-1] == Said(speaker, self._lines[-1])

    async def open(self) -> Utterance:
        """Returns the first recorded message."""
        return self._next()

    async def reply(self, message: str) -> Utterance:
        """Returns the next recorded message."""
        return self._next()

    def _next(self) -> Utterance:
        if self._spoken == len(self._lines):
            raise InfraError("the recorded person said no more")
        self._spoken += 1
        last = self._spoken == len(self._lines)
        return Utterance(self._lines[self._spoken - 1], ends=last and self._ended)


@dataclass(frozen=True, slots=True)
class RealPerson:
    """A person who is there, and not simulated.

    Attributes:
        question: their first message.
        answer: their side of the conversation.
    """

    question: str
    answer: Reply

    async def open(self) -> Utterance:
        """Returns their first message."""
        return Utterance(self.question)

    async def reply(self, message: str) -> Utterance:
        """Shows them a message of the agent, and waits for their next one."""
        reply = await self.answer(message)
        return Utterance(reply or "", ends=reply is None)
