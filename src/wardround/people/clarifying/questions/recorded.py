"""Questions to the user, recorded with their class, and the names that the agent has seen."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wardround.core.errors import InfraError
from wardround.core.trajectory import Called, Event, Noted, Said, Trajectory
from wardround.people.clarifying.secret import (
    Answer,
    Choice,
    Clarifier,
    Labelled,
    Located,
    Refused,
)

CLARIFICATION = "clarification"


class Questions:
    """Puts questions to the user and records each choice and leak; the agent gets the reply alone.

    Args:
        users: The user of each stage, who knows that stage's request.
        note: Called with each record.

    Attributes:
        seen: The names that the agent was shown or wrote.
    """

    def __init__(self, users: Mapping[str, Clarifier], note: Callable[[Event], None]) -> None:
        self._users = users
        self._note = note
        self.seen = Seen()

    async def answer(self, stage: str, question: str) -> str:
        """Returns the user's reply.

        Args:
            stage: The request that is being worked on.
            question: The agent's question.

        Raises:
            InfraError: The user's model failed.
        """
        self.seen.add(question)
        answer = await self._users[stage].clarify(question, self.seen.names)
        record = {"reply": answer.text, "leaks": len(answer.leaks), **_described(answer.choice)}
        self._note(Noted(CLARIFICATION, record))
        return answer.text


@dataclass(frozen=True, slots=True)
class Clarified:
    """The class of a question ("AMB", "LOC", "UNA" or ""), and the ambiguity that it is about."""

    action: str
    term: str
    leaks: int


def clarified(trajectory: Trajectory) -> Iterator[Clarified]:
    """Yields the class of each question of a trial."""
    for event in trajectory.events:
        if isinstance(event, Noted) and event.subject == CLARIFICATION:
            data = event.data
            yield Clarified(data["action"], data.get("term", ""), data["leaks"])


def exchanges(trajectory: Trajectory) -> Iterator[tuple[str, str]]:
    """Yields each question of a trial, in plain words or by the tool `ask`, with its answer."""
    question = ""
    for event in trajectory.events:
        if isinstance(event, Said) and event.speaker == "agent":
            question = event.text
        elif isinstance(event, Called) and event.tool == "ask":
            question = str(event.arguments.get("question", ""))
        elif isinstance(event, Noted) and event.subject == CLARIFICATION:
            yield question, event.data["reply"]


class RecordedUser:
    """A user who answers as in a recorded trial, whatever is asked."""

    def __init__(self, recording: Trajectory) -> None:
        events = (e for e in recording.events if isinstance(e, Noted))
        self._replies = iter([e.data["reply"] for e in events if e.subject == CLARIFICATION])

    async def clarify(self, question: str, seen: Collection[str]) -> Answer:
        """Returns the next recorded reply.

        Raises:
            InfraError: There is none.
        """
        reply = next(self._replies, None)
        if reply is None:
            raise InfraError("the recorded user was not asked so much")
        return Answer(reply, None)


def _described(choice: Choice | None) -> dict[str, Any]:
    match choice:
        case Labelled(ambiguity):
            return {"action": "AMB", "term": ambiguity.term}
        case Located(fragment):
            return {"action": "LOC", "fragment": fragment}
        case Refused():
            return {"action": "UNA"}
        case None:
            return {"action": ""}


_NAME = re.compile(r"[A-Za-z_]\w*")


class Seen:
    """The identifiers that the agent was shown or wrote, in lower case.

    >>> seen = Seen("SELECT hadm_id FROM Admissions")
    >>> sorted(seen.names)
    ['admissions', 'from', 'hadm_id', 'select']
    """

    def __init__(self, *texts: str) -> None:
        self.names: set[str] = set()
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """Adds the names in a text."""
        self.names.update(name.lower() for name in _NAME.findall(text))
