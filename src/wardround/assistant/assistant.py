"""Answers the questions of real people, within their limits, and records each answer first."""

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import perf_counter
from typing import Protocol

from wardround.assistant.consultation import Answer, Query
from wardround.assistant.record_tools import RecordTools
from wardround.assistant.served_record import ServedRecord
from wardround.assistant.users import (
    Allowances,
    LimitError,
    RefusedError,
    UnavailableError,
    cost_of,
)
from wardround.core.errors import WardroundError
from wardround.core.record import TrialRecord
from wardround.core.trajectory import Event, Requested, Trajectory

log = logging.getLogger(__name__)

# A person's oldest conversation is closed when there are more.
MOST_OPEN = 10
LONGEST_QUESTION = 10_000
# The seconds after which somebody whose question is being answered may try again.
_MOMENT = 1.0
_LIMITED = "You see a part of the records only; answers are about that part."


@dataclass(frozen=True, slots=True)
class Answered:
    """A question and its answer, with their place in the record.

    Attributes:
        conversation: the conversation's id.
        number: the question's number in it, from 0.
        question: the question.
        answer: the answer.
        is_right: the person's verdict on it; None if nothing yet.
        correction: the person's own query with its rows; None if there is none.
    """

    conversation: str
    number: int
    question: str
    answer: Answer
    is_right: bool | None = None
    correction: Query | None = None


class Conversation(Protocol):
    """A conversation of a person with an agent; see `Consultation`."""

    @property
    def trajectory(self) -> Trajectory:
        """The events until now."""

    @property
    def is_over(self) -> bool:
        """True if it takes no further message."""

    async def ask(self, message: str, on_call: Callable[[str], None]) -> Answer:
        """Gives the agent a message; returns its reply, or why there is none."""

    async def close(self) -> None:
        """Ends the conversation."""


@dataclass(slots=True)
class _Talk:
    consultation: Conversation
    answers: list[Answered] = field(default_factory=list)
    records: list[TrialRecord] = field(default_factory=list)
    is_busy: bool = False


@dataclass(slots=True)
class _Person:
    at_once: asyncio.Semaphore
    talks: OrderedDict[str, _Talk] = field(default_factory=OrderedDict)


class Assistant:
    """Serves one agent on one database.

    Args:
        consult: opens a conversation of a person, on what they may see.
        tools: run people's own queries.
        record: where questions and answers are written.
        allowances: counts questions and costs against people's limits.
        at_once: the most questions that are answered at the same time; others wait. One person has
            at most a quarter of them.
        limited: the people who see a part of the records only.

    Attributes:
        notice: a sentence of caution for everybody; "" if there is none.
        stopped: why no question is answered any more; "" while they are.
    """

    def __init__(
        self,
        consult: Callable[[str], Awaitable[Conversation]],
        tools: RecordTools,
        record: ServedRecord,
        allowances: Allowances,
        at_once: int = 8,
        notice: str = "",
        limited: Collection[str] = (),
    ) -> None:
        self.notice = notice
        self.stopped = ""
        self._consult = consult
        self._tools = tools
        self._record = record
        self._allowances = allowances
        self._limited = frozenset(limited)
        self._people: dict[str, _Person] = {}
        self._at_once = asyncio.Semaphore(at_once)
        self._each_at_once = max(1, at_once // 4)

    async def ask(
        self,
        person: str,
        question: str,
        conversation: str = "",
        on_call: Callable[[str], None] = lambda tool: None,
    ) -> Answered:
        """Answers a question.

        Args:
            person: who asks.
            question: the question, or the next message of a conversation.
            conversation: the conversation's id; "" for a new one.
            on_call: called with the name of each tool that the agent calls.

        Raises:
            RefusedError: the question is empty or too long, a limit is reached, or the
                conversation is not open.
        """
        self._check(person, question)
        who = self._person(person)
        id, talk = await self._talk(person, conversation)
        number = len(talk.answers)
        begun, before = perf_counter(), len(talk.consultation.trajectory.events)
        problem, talk.is_busy = "the person left", True
        try:
            async with who.at_once, self._at_once:
                self._allowances.check_dollars(person)  # others of theirs may have cost some
                answer = await talk.consultation.ask(question, on_call)
            problem = answer.problem
        except WardroundError as error:
            problem = str(error)
            raise
        finally:
            talk.is_busy = False
            events = list(talk.consultation.trajectory.events[before:])
            self._allowances.spend(person, _cost(events))
            seconds = perf_counter() - begun
            record = self._record.add(id, number, person, events, seconds, problem)
            log.info("conversation %s, question %d: %.1f s", id, number, seconds)
        talk.records.append(record)
        talk.answers.append(Answered(id, number, question, answer))
        return talk.answers[-1]

    def conversation(self, person: str, id: str) -> list[Answered]:
        """The questions and answers of a person's conversation, in order.

        Raises:
            RefusedError: they have no such conversation.
        """
        talk = self._person(person).talks.get(id)
        if talk is None:
            raise RefusedError("This conversation is not open any more; start a new one.")
        return list(talk.answers)

    def conversations(self, person: str) -> dict[str, str]:
        """The first questions of a person's conversations, by id, the latest first."""
        talks = reversed(self._person(person).talks.items())
        return {id: talk.answers[0].question for id, talk in talks if talk.answers}

    def judge(
        self, person: str, conversation: str, number: int, comment: str, *, right: bool
    ) -> None:
        """Records what a person says of an answer that they got.

        Raises:
            RefusedError: they got no such answer since the server was started.
        """
        talk, answered = self._answered(person, conversation, number)
        talk.records[number] = self._record.judge(
            talk.records[number], person, comment, right=right
        )
        talk.answers[number] = replace(answered, is_right=right)

    async def correct(self, person: str, conversation: str, number: int, sql: str) -> Query:
        """Runs a person's own query in place of the agent's, and keeps it as what was right.

        Raises:
            RefusedError: there is no such answer of theirs, or the query has no rows to show.
        """
        talk, answered = self._answered(person, conversation, number)
        corrected = await self._tools.run_query(person, sql)
        if isinstance(corrected, str):
            raise RefusedError(f"Your query did not run. {corrected}")
        talk.records[number] = self._record.correct(talk.records[number], person, sql)
        talk.answers[number] = replace(answered, is_right=False, correction=corrected)
        return corrected

    def notice_for(self, person: str) -> str:
        """The sentences of caution beside a person's answers; "" if there are none.

        Without it, a person with limited access would take a zero of their part for one of all
        records.
        """
        return f"{_LIMITED if person in self._limited else ''} {self.notice}".strip()

    def stop(self, reason: str) -> None:
        """Answers and runs nothing any more, for a reason; "" goes on."""
        self.stopped = self._tools.stopped = reason

    async def close(self) -> None:
        """Ends all conversations."""
        for person in self._people.values():
            for talk in person.talks.values():
                await talk.consultation.close()

    def _answered(self, person: str, conversation: str, number: int) -> tuple[_Talk, Answered]:
        answers = self.conversation(person, conversation)
        if not 0 <= number < len(answers):
            raise RefusedError("There is no such answer in this conversation.")
        return self._person(person).talks[conversation], answers[number]

    def _check(self, person: str, question: str) -> None:
        if self.stopped:
            raise UnavailableError(self.stopped)
        if not question.strip():
            raise RefusedError("The question is empty; write one.")
        if len(question) > LONGEST_QUESTION:
            raise RefusedError(
                f"The question has {len(question):,} characters; the most are {LONGEST_QUESTION:,}."
            )
        self._allowances.count(person)

    def _person(self, name: str) -> _Person:
        if name not in self._people:
            self._people[name] = _Person(asyncio.Semaphore(self._each_at_once))
        return self._people[name]

    async def _talk(self, person: str, id: str) -> tuple[str, _Talk]:
        """A conversation of a person: the one with the id, or a new one."""
        who = self._person(person)
        if not id:
            id = f"{datetime.now(UTC):%Y%m%d}-{secrets.token_hex(8)}"
            who.talks[id] = _Talk(await self._consult(person))
            await self._close_oldest(who, id)
        talk = who.talks.get(id)
        if talk is None or talk.consultation.is_over:
            raise RefusedError("This conversation is over; start a new one.")
        if talk.is_busy:
            raise LimitError("Your last question is still being answered; wait for it.", _MOMENT)
        who.talks.move_to_end(id)
        return id, talk

    async def _close_oldest(self, who: _Person, newest: str) -> None:
        """Closes a person's oldest conversation if there are too many.

        Raises:
            RefusedError: all others are still being answered.
        """
        if len(who.talks) <= MOST_OPEN:
            return
        idle = [id for id, talk in who.talks.items() if not talk.is_busy and id != newest]
        if not idle:
            await who.talks.pop(newest).consultation.close()
            problem = f"{MOST_OPEN} questions of yours are being answered; wait for one."
            raise LimitError(problem, _MOMENT)
        await who.talks.pop(idle[0]).consultation.close()


def _cost(events: list[Event]) -> float:
    return cost_of(event.cost for event in events if isinstance(event, Requested))
