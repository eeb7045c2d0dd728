"""A conversation of a real person with an agent, driven as a trial that nobody grades."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import orjson

from wardround.core.actions import Action, Call, Observation
from wardround.core.benchmark import AgentMaker, JudgeContext, Score, TrialContext
from wardround.core.cancellation import cancelling_threads
from wardround.core.capabilities import Consultable, Reply
from wardround.core.environment import Environment
from wardround.core.errors import UserError
from wardround.core.limits import Limits
from wardround.core.session import TrialSession
from wardround.core.task import Briefing, Task
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Called, Event, Noted, Returned, Trajectory
from wardround.core.verdict import Verdict

if TYPE_CHECKING:
    from wardround.ehr.query.drawn_values import Origin

log = logging.getLogger(__name__)

RUN_QUERY = "run_query"
# The time for which a conversation stays open; the person's own time counts too.
_OPEN_SECONDS = 12 * 3600.0
_NO_QUERY = "No query of the records stands behind this reply."
_NO_REPLY = "There is no reply: a query that ran before is no answer."
_UNCLEAR_QUERY = (
    "It is not clear if the records stand behind this reply; read its query before you rely on it."
)


@dataclass(frozen=True, slots=True)
class Query:
    """A query that the agent ran, with the rows that it saw.

    Attributes:
        sql: the query as it was run.
        columns: the names of the result's columns.
        rows: the rows.
        is_cut_off: True if there are more rows.
        dialect: the SQL dialect, as sqlglot names it.
    """

    sql: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_cut_off: bool
    dialect: str = ""

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings of its columns, in words."""
        from wardround.ehr.query.column_headings import column_headings

        return column_headings(self.sql, self.columns, self.dialect)

    @property
    def readable(self) -> str:
        """The query over several lines, as a person reads it."""
        return _over_several_lines(self.sql, self.dialect)

    @property
    def origin(self) -> "Origin":
        """The origin of the values of its result."""
        from wardround.ehr.query.drawn_values import origin_of_values

        return origin_of_values(self.sql, self.dialect)


@dataclass(frozen=True, slots=True)
class Answer:
    """The agent's reply to a message.

    Attributes:
        text: the reply; "" if there is none.
        queries: the queries that ran since the message, in order.
        problem: why there is no reply; "" if there is one.
        is_over: True if the conversation takes no further message.
    """

    text: str
    queries: tuple[Query, ...] = ()
    problem: str = ""
    is_over: bool = False

    @property
    def caution(self) -> str:
        """A sentence for queries without a reply, and for a reply that may not rest on records.

        Others, and questions, get "".

        What is not clear gets a sentence of its own: a person reads the query sooner than a program
        tells more.

        >>> Answer("There are two wards.").caution
        'No query of the records stands behind this reply.'
        >>> Answer("Which ward do you mean?").caution
        ''
        """
        if not self.text:
            return _NO_REPLY if self.queries else ""
        if self.text.rstrip().endswith("?"):
            return ""
        origins = {query.origin for query in self.queries}
        if origins & {"records", "choice"}:
            return ""
        return _UNCLEAR_QUERY if origins & {"both", "unknown"} else _NO_QUERY


class Consultation:
    """One conversation; its limits are those of a trial, and its time counts for each reply.

    Args:
        benchmark: the open benchmark, whose environment serves.
        make_agent: makes the agent.
        limits: the limits of a trial; `seconds` is the longest time to a reply.
        seed: the seed of the agent.
    """

    def __init__(
        self, benchmark: Consultable, make_agent: AgentMaker, limits: Limits, seed: int = 0
    ) -> None:
        self._benchmark = benchmark
        self._make_agent = make_agent
        self._limits = limits
        self._seed = seed
        self._from_person: asyncio.Queue[str | None] = asyncio.Queue()
        self._from_agent: asyncio.Queue[str] = asyncio.Queue()
        self._playing: asyncio.Task[None] | None = None
        self._session: TrialSession | None = None
        self._trial: UngradedTrial | None = None
        self._is_answering = False
        self._has_wrong_settings = False
        self._on_call: Callable[[str], None] = lambda tool: None

    @property
    def trajectory(self) -> Trajectory:
        """The events until now."""
        return self._trial.trajectory if self._trial else Trajectory()

    @property
    def is_over(self) -> bool:
        """True if it takes no further message."""
        return self._playing is not None and self._playing.done()

    async def ask(self, message: str, on_call: Callable[[str], None] = lambda tool: None) -> Answer:
        """Gives the agent a message; returns its reply, or why there is none.

        Args:
            message: the message.
            on_call: called with the name of each tool that the agent calls.

        Raises:
            RuntimeError: another message is being answered, or the conversation is over.
        """
        if self._is_answering or self.is_over:
            raise RuntimeError("wait for the reply" if self._is_answering else "it is over")
        self._is_answering = True
        self._on_call = on_call
        before = len(self.trajectory.events)
        try:
            text = await self._reply(message)
        finally:
            self._is_answering = False
        queries = tuple(self._queries(self.trajectory.events[before:]))
        if text is not None:
            return Answer(text, queries, is_over=self.is_over)
        return Answer("", queries, self._problem(), is_over=True)

    async def close(self) -> None:
        """Ends the conversation; an agent that still works is stopped."""
        if self._playing is None:
            return
        self._from_person.put_nowait(None)
        self._playing.cancel()
        with suppress(asyncio.CancelledError):
            await self._playing
        if self._session is not None:
            await self._session.close()

    async def _reply(self, message: str) -> str | None:
        """The agent's reply; None if the conversation ended without one."""
        if self._playing is None:
            self._playing = asyncio.create_task(self._play(message))
        else:
            self._from_person.put_nowait(message)
        replied = asyncio.create_task(self._from_agent.get())
        try:
            await asyncio.wait(
                {replied, self._playing},
                timeout=self._limits.seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if replied.done():
                return replied.result()
            await self.close()
            return None
        except asyncio.CancelledError:
            await self.close()  # the person left, so that nothing works on for nobody
            raise
        finally:
            replied.cancel()

    async def _play(self, question: str) -> None:
        self._trial = UngradedTrial(self._benchmark, question, self._shown)
        limits = Limits(self._limits.actions, _OPEN_SECONDS, self._limits.statement_seconds)
        task = Task("consultation", None, None)
        self._session = TrialSession(
            self._trial, task, run_seed=self._seed, limits=limits, surround=self._watched
        )
        try:
            with cancelling_threads():
                await self._session.play(self._make_agent)
        except UserError as error:  # such as a wrong key, which every question would meet
            log.error("no conversation is possible: %s", error)
            self._has_wrong_settings = True

    def _watched(self, environment: Environment, context: TrialContext) -> Environment:
        return _Watched(environment, lambda tool: self._on_call(tool))

    async def _shown(self, message: str) -> str | None:
        self._from_agent.put_nowait(message)
        return await self._from_person.get()

    def _problem(self) -> str:
        """The reason for a missing reply; a fault is only named, since its text may hold values."""
        if self._has_wrong_settings:
            return "The assistant cannot work with its settings; tell who runs it."
        if self._session is not None and self._session.is_over:
            if reason := self._session.played.last.reason:
                kind = reason.partition(":")[0]
                return f"The conversation broke off by a fault ({kind}); start a new one."
            if any(
                isinstance(event, Noted) and event.subject == "agent_error"
                for event in self.trajectory.events
            ):
                return "The assistant failed at this question; start a new conversation."
            return (
                f"The conversation reached its limit of {self._limits.actions} actions; start a "
                "new one."
            )
        return f"There was no reply within {self._limits.seconds:g} s; start a new conversation."

    def _queries(self, events: Sequence[Event]) -> list[Query]:
        tools = self._trial.tools if self._trial else ()
        dialect = self._trial.dialect if self._trial else ""
        query_tools = {tool.name for tool in tools if tool.role == RUN_QUERY}
        called = [event for event in events if isinstance(event, Called | Returned)]
        return [
            query
            for call, result in pairwise(called)
            if isinstance(call, Called)
            and isinstance(result, Returned)
            and call.tool in query_tools
            if (query := query_of(call, result.text, dialect)) is not None
        ]


class _Watched:
    """An environment that tells of each tool call before it is carried out."""

    def __init__(self, environment: Environment, on_call: Callable[[str], None]) -> None:
        self._environment = environment
        self._on_call = on_call

    @property
    def briefing(self) -> Briefing:
        """The briefing of the environment."""
        return self._environment.briefing

    async def start(self) -> Observation:
        """Starts the environment."""
        return await self._environment.start()

    async def step(self, action: Action) -> Observation:
        """Carries out an action."""
        if isinstance(action, Call):
            self._on_call(action.tool)
        return await self._environment.step(action)

    async def close(self) -> None:
        """Closes the environment."""
        await self._environment.close()


class UngradedTrial:
    """The environment of a conversation as a trial without a judge.

    Args:
        benchmark: makes the environment.
        question: the person's first message.
        reply: the person's side of the conversation.

    Attributes:
        trajectory: the events until now.
        tools: the tools of the environment, once it is open.
        dialect: the SQL dialect of its database; "" if it is not said.
    """

    def __init__(self, benchmark: Consultable, question: str, reply: Reply) -> None:
        self._benchmark = benchmark
        self._question = question
        self._reply = reply
        self.trajectory = Trajectory()
        self.tools: tuple[ToolSpec, ...] = ()
        self.dialect = ""

    async def environment(self, task: Task[Any, Any], context: TrialContext) -> Environment:
        """The environment of a trial, with the person in it."""
        self.trajectory = context.trajectory
        made = self._benchmark.consultation(self._question, self._reply, context)
        self.tools = made.briefing.tools
        self.dialect = made.briefing.facts.get("dialect", "")
        return made

    async def judge(
        self, task: Task[Any, Any], trajectory: Trajectory, context: JudgeContext
    ) -> AsyncIterator[Verdict]:
        """Yields nothing."""
        verdicts: tuple[Verdict, ...] = ()
        for verdict in verdicts:
            yield verdict

    @staticmethod
    def score(task: Task[Any, Any], trajectory: Trajectory, verdicts: Sequence[Verdict]) -> Score:
        """Gives no grade."""
        return Score({}, {})


@lru_cache(maxsize=1000)
def _over_several_lines(sql: str, dialect: str) -> str:
    """A query as a person reads it; kept, since each showing of an answer asks for it."""
    from sqlglot import parse_one
    from sqlglot.errors import SqlglotError

    try:
        return parse_one(sql, dialect).sql(dialect, pretty=True)
    except SqlglotError:
        return sql


def query_of(call: Called, result: str, dialect: str) -> Query | None:
    """The query of a call with its rows; None if it failed."""
    sql = next((value for value in call.arguments.values() if isinstance(value, str)), "")
    try:
        table = orjson.loads(result)
        columns, rows = tuple(map(str, table["columns"])), tuple(map(tuple, table["rows"]))
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return None
    return Query(sql, columns, rows, bool(table.get("truncated")), dialect)
