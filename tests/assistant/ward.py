"""A small ward that serves people: one table behind one tool, and agents that follow a script."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from wardround.assistant.consultation import Consultation
from wardround.assistant.record_session import RecordSession
from wardround.assistant.record_tools import RecordTools
from wardround.assistant.served_record import ServedRecord
from wardround.assistant.users import Allowances
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentContext, TrialContext
from wardround.core.capabilities import Reply
from wardround.core.errors import InfraError
from wardround.core.limits import Limits
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec
from wardround.ehr.fhir.interaction import FhirServer

RUN = ToolSpec("run", "", {"type": "object", "properties": {"sql": {}}}, role="run_query")
LOOK = ToolSpec("look", "", {"type": "object", "properties": {}})
ROWS = '{"columns":["ward","beds"],"rows":[["ICU",12],["Surgery",30]],"truncated":false}'
BEDS = Call("run", {"sql": "SELECT ward, beds FROM wards"})
LIMITS = Limits(actions=10, seconds=5.0)


@dataclass
class Ward:
    """Serves people; its statements take some seconds, or fail.

    Attributes:
        held: a question of which the statements wait until `is_open` is set.
    """

    seconds: float = 0.0
    held: str = ""
    is_open: threading.Event = field(default_factory=threading.Event)
    results: Sequence[str] = (ROWS,)
    closed: list[bool] = field(default_factory=list)

    def consultation(self, question: str, reply: Reply, context: TrialContext) -> "WardRoom":
        return WardRoom(self, question, reply)


class WardRoom:
    """The environment of one conversation."""

    briefing = Briefing("Answer.", (RUN, LOOK), {"dialect": "duckdb"})

    def __init__(self, ward: Ward, question: str, reply: Reply) -> None:
        self._ward, self._question, self._reply = ward, question, reply
        self._results = list(ward.results)

    async def start(self) -> Observation:
        return Observation(self._question, "user")

    async def step(self, action: Action) -> Observation:
        if isinstance(action, Say):
            said = await self._reply(action.text)
            return Observation(said or "", "user", done=said is None)
        await asyncio.sleep(self._ward.seconds)
        if self._ward.held and self._question == self._ward.held:
            await asyncio.to_thread(self._ward.is_open.wait, 60)
        if action.tool == "break":
            raise InfraError("the database is down")
        return Observation(self._results.pop(0) if self._results else ROWS, "tool")

    async def close(self) -> None:
        self._ward.closed.append(True)


class Follower:
    """An agent that takes actions in order, and then repeats the person's words."""

    def __init__(self, actions: Sequence[Action]) -> None:
        self._actions = list(actions)

    async def act(self, observation: Observation) -> Action:
        return self._actions.pop(0) if self._actions else Say(f"You said: {observation.text}")


def consultation(ward: Ward, *actions: Action, limits: Limits = LIMITS) -> Consultation:
    """A conversation with an agent that follows a script."""

    def make(briefing: Briefing, context: AgentContext) -> Follower:
        return Follower(actions)

    return Consultation(ward, make, limits)


def consulting(
    ward: Ward, *actions: Action, limits: Limits = LIMITS
) -> Callable[[str], Awaitable[Consultation]]:
    """Opens such a conversation for any person."""

    async def consult(person: str) -> Consultation:
        return consultation(ward, *actions, limits=limits)

    return consult


def record_tools(
    ward: Ward,
    record: ServedRecord,
    fhir: FhirServer | None = None,
    allowances: Allowances | None = None,
) -> RecordTools:
    """The tools of the ward's record."""

    async def open_session(person: str) -> RecordSession:
        session = RecordSession(ward, LIMITS)
        await session.open()
        return session

    return RecordTools(open_session, record, allowances or Allowances({}), fhir)
