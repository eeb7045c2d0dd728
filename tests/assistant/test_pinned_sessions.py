"""Sessions that a worker process holds: their events, limits and ends, as the server sees them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from pickle import dumps
from socket import socket, socketpair
from typing import Any, cast

import pytest

from tests.assistant.ward import BEDS, LIMITS, ROWS, Follower, Ward
from tests.assistant.worker_here import fixed_wards, worker_here
from wardround.assistant import pinned_sessions, worker_handle
from wardround.assistant.assistant import Assistant
from wardround.assistant.channel import Channel
from wardround.assistant.pinned_sessions import PinnedConsultation, PinnedRecordSession
from wardround.assistant.record_tools import RecordTools
from wardround.assistant.served_record import opened_record
from wardround.assistant.users import Allowances, RefusedError, UnavailableError, User
from wardround.assistant.wards import Ward as OpenWard
from wardround.assistant.worker import Worker
from wardround.assistant.worker_handle import WorkerHandle
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentContext
from wardround.core.limits import Limits
from wardround.core.run_reader import read_trajectory, read_trials
from wardround.core.task import Briefing
from wardround.core.trajectory import Called, Requested, Said


class Paying(Follower):
    """An agent that follows a script and pays for each action."""

    def __init__(self, actions: tuple[Action, ...], context: AgentContext) -> None:
        super().__init__(actions)
        self._ledger = context.ledger

    async def act(self, observation: Observation) -> Action:
        self._ledger.record(Requested("agent", "a model", 1, 1, 0.5, 0.0))
        return await super().act(observation)


@asynccontextmanager
async def process(
    ward: Ward, *actions: Action, limits: Limits = LIMITS
) -> AsyncIterator[WorkerHandle]:
    """Something that does jobs for a ward, with an agent that follows a script."""

    def make(briefing: Briefing, context: AgentContext) -> Paying:
        return Paying(actions, context)

    async def closed() -> None:
        pass

    opened = OpenWard(cast("Any", ward), make)
    wards: Any = type("Wards", (dict,), {"close_all": lambda self: closed()})({0: opened})
    worker = Worker(fixed_wards(wards), limits)
    opened_process = await worker_here(worker)
    yield opened_process
    await opened_process.close()


async def test_a_conversation_goes_on_where_it_is_held() -> None:
    ward = Ward()
    async with process(ward, BEDS, Say("Two wards.")) as other:
        talk = PinnedConsultation(other, 0, LIMITS.seconds)
        told = list[str]()
        first = await talk.ask("Which wards?", told.append)
        assert (first.text, told, len(first.queries)) == ("Two wards.", ["run"], 1)
        assert (await talk.ask("And beds?")).text == "You said: And beds?"
        said = [event.text for event in talk.trajectory.events if isinstance(event, Said)]
        assert said == ["Which wards?", "Two wards.", "And beds?", "You said: And beds?"]
        assert other.load == (0, 1)
        await talk.close()
        assert other.load == (0, 0)
    assert ward.closed == [True]


async def test_what_is_asked_after_the_end_is_refused() -> None:
    async with process(Ward(), *[BEDS] * 9, limits=Limits(actions=3, seconds=5)) as other:
        talk = PinnedConsultation(other, 0, LIMITS.seconds)
        assert "limit of 3 actions" in (await talk.ask("Which wards?")).problem
        assert talk.is_over
        assert other.load == (0, 0)


async def test_a_person_who_leaves_stops_the_work_of_the_process() -> None:
    ward = Ward(seconds=600)
    async with process(ward, BEDS) as other:
        talk = PinnedConsultation(other, 0, LIMITS.seconds)
        begun = asyncio.Event()
        asking = asyncio.create_task(talk.ask("Which wards?", lambda tool: begun.set()))
        await begun.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert ward.closed == [True]
        assert talk.is_over
        assert [event for event in talk.trajectory.events if isinstance(event, Called)]


async def test_a_person_who_leaves_before_the_work_begins_waits_for_nothing() -> None:
    async with process(Ward(seconds=600), BEDS) as other:
        asking = asyncio.create_task(
            PinnedConsultation(other, 0, LIMITS.seconds).ask("Which wards?")
        )
        await asyncio.sleep(0)  # the question is sent, and not read yet
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert other.load == (0, 0)


class Hanging:
    """A process that reads nothing, until it is killed."""

    exitcode = -9

    def __init__(self, end: socket) -> None:
        self._end = end

    def kill(self) -> None:
        self._end.close()

    def join(self, seconds: float | None = None) -> None:
        """It has ended once it is killed."""

    def is_alive(self) -> bool:
        return False


async def test_a_process_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_handle, "_SECONDS", 0.01)
    monkeypatch.setattr(pinned_sessions, "_HANGS", 0.0)
    own, end = socketpair()
    other = WorkerHandle(cast("Any", Hanging(end)), await Channel.over(own))
    answer = await PinnedConsultation(other, 0, 0.01).ask("Which wards?")
    assert answer.problem.startswith("The answer broke off")
    await other.ended.wait()
    await other.close()


async def test_a_process_that_hangs_at_a_call_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_handle, "_SECONDS", 0.01)
    monkeypatch.setattr(pinned_sessions, "_HANGS", 0.0)
    for opened in (False, True):
        own, end = socketpair()
        other = WorkerHandle(cast("Any", Hanging(end)), await Channel.over(own))
        session = PinnedRecordSession(other, 0, 0.01)
        if opened:
            assert (await session.call(BEDS)).is_last
            assert session.take_events() == [Called("run", BEDS.arguments)]
        else:
            with pytest.raises(UnavailableError, match="try again"):
                await session.open()
        await other.ended.wait()
        await other.close()


@pytest.mark.parametrize(
    "sent", [b"\0" * 7 + b"\1x", b"\0" * 7 + bytes([len(dumps(1))]) + dumps(1)]
)
async def test_a_process_that_is_not_understood_is_ended(sent: bytes) -> None:
    own, end = socketpair()
    other = WorkerHandle(cast("Any", Hanging(end)), await Channel.over(own))
    end.send(sent)
    answer = await PinnedConsultation(other, 0, LIMITS.seconds).ask("Which wards?")
    assert answer.problem.startswith("The answer broke off")
    assert end.fileno() == -1
    await other.close()


async def test_what_a_process_spent_before_it_died_counts(tmp_path: Path) -> None:
    users = {"ann": User(dollars_per_day=0.5)}
    async with process(Ward(seconds=600), BEDS, Say("Two.")) as other:
        with opened_record(tmp_path, {"settings": {}}, has_values=True) as record:

            async def consult(person: str) -> PinnedConsultation:
                return PinnedConsultation(other, 0, LIMITS.seconds)

            async def no_tools(person: str) -> PinnedRecordSession:
                raise NotImplementedError

            allowances = Allowances(users)
            tools = RecordTools(no_tools, record, allowances)
            served = Assistant(consult, tools, record, allowances)
            lost = await served.ask("ann", "Which wards?", on_call=lambda tool: other.kill())
            assert lost.answer.problem.startswith("The answer broke off")
            assert lost.answer.is_over
            with pytest.raises(RefusedError, match=r"limit of 0\.5 dollars a day"):
                await served.ask("ann", "And now?")
    (trial,) = read_trials(tmp_path / "001")
    assert (trial.outcome, trial.use["agent"].cost) == ("infra_error", 0.5)
    events = read_trajectory(tmp_path / "001", trial.trajectory)
    assert events.said_by("user") == ["Which wards?"]
    assert [call.tool for call in events.calls()] == ["run"]


async def test_tools_are_called_where_they_are_held() -> None:
    async with process(Ward()) as other:
        session = PinnedRecordSession(other, 0, LIMITS.seconds)
        await session.open()
        assert [tool.name for tool in session.tools] == ["run", "look"]
        assert session.dialect == "duckdb"
        result = await session.call(BEDS)
        assert (result.text, result.is_error, result.is_last) == (ROWS, False, False)
        assert [event.kind for event in session.take_events()] == ["called", "returned"]
        assert session.take_events() == []
        broken = await session.call(Call("break"))
        assert broken.is_error
        assert broken.is_last
        assert "could not be read" in broken.text


async def test_a_call_whose_process_dies_is_an_error_on_record() -> None:
    async with process(Ward(seconds=600)) as other:
        session = PinnedRecordSession(other, 0, LIMITS.seconds)
        await session.open()
        calling = asyncio.create_task(session.call(BEDS))
        await asyncio.sleep(0)
        other.kill()
        result = await calling
        assert result.is_last
        assert "try again" in result.text
        assert session.take_events() == [Called("run", BEDS.arguments)]
