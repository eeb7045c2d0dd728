"""The tools of the record for a client with an agent of its own, such as an MCP client.

They are those of a trial's environment, with its limits on statements and rows. The client's agent
was not assessed here.
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter

import orjson

from wardround.assistant.consultation import RUN_QUERY, Query, UngradedTrial, query_of
from wardround.assistant.served_record import ServedRecord
from wardround.assistant.users import Allowances, RefusedError
from wardround.core.actions import Call
from wardround.core.cancellation import cancelling_threads
from wardround.core.limits import MOST, Limits
from wardround.core.session import AttemptFaultError, TrialSession
from wardround.core.task import Task
from wardround.core.tools import ToolSpec, is_error
from wardround.core.trajectory import Called, Event, Returned, Trajectory
from wardround.ehr.fhir.interaction import FhirServer, Request

log = logging.getLogger(__name__)

_OPEN_SECONDS = 24 * 3600.0
FHIR_GET = ToolSpec(
    "fhir_get",
    "Reads FHIR R4 resources of the same patients: one by its address, or a search.",
    {
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "description": "The address below the server's base, such as Patient/10 or "
                "Observation?patient=10&code=2160-0&_count=20.",
            }
        },
        "required": ["path"],
        "additionalProperties": False,
    },
)
_CLOSED = "The record could not be read; call the tool again."
_TOO_LARGE = "The call is too large or too deeply nested; send less."


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call.

    Attributes:
        text: the result, or why there is none.
        is_error: True if there is none.
    """

    text: str
    is_error: bool = False


@dataclass(slots=True)
class _Caller:
    """A person's calls, one after another."""

    id: str
    person: str
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    session: TrialSession | None = None
    trial: UngradedTrial | None = None
    calls: int = 0


class RecordTools:
    """Carries out calls of tools for people, and records each before its result is seen.

    Args:
        open_trial: opens a trial of a person who says nothing, on what they may see.
        limits: the limits of a trial; those of a statement hold.
        record: where calls and results are written.
        allowances: counts calls against people's limits, as questions are counted.
        fhir: the same record as FHIR, of which resources can be read; None without one.

    Attributes:
        stopped: why nothing is carried out any more; "" while it is.
    """

    def __init__(
        self,
        open_trial: Callable[[str], Awaitable[UngradedTrial]],
        limits: Limits,
        record: ServedRecord,
        allowances: Allowances,
        fhir: FhirServer | None = None,
    ) -> None:
        self._fhir = fhir
        self._open_trial = open_trial
        self._limits = Limits(MOST, _OPEN_SECONDS, limits.statement_seconds)
        self._record = record
        self._allowances = allowances
        self._callers: dict[str, _Caller] = {}
        self.stopped = ""

    async def specs(self, person: str) -> tuple[ToolSpec, ...]:
        """The tools.

        Raises:
            RefusedError: the record cannot be read.
        """
        caller = self._caller(person)
        async with caller.lock:
            await self._opened(caller)
            tools = caller.trial.tools if caller.trial else ()
        return (*tools, FHIR_GET) if self._fhir else tools

    async def call(self, person: str, call: Call) -> ToolResult:
        """Carries out a call, one of a person at a time.

        Raises:
            RefusedError: nothing is carried out any more, a limit is reached, or the call cannot
                be recorded.
        """
        if self.stopped:
            raise RefusedError(self.stopped)
        self._allowances.count(person)
        caller = self._caller(person)
        if call.tool == FHIR_GET.name and self._fhir is not None:
            return await self._read(self._fhir, caller, person, call)
        async with caller.lock:
            session = await self._opened(caller)
            begun = perf_counter()
            try:
                with cancelling_threads():
                    observation = await session.step(call)
                text, is_closed = observation.text or _CLOSED, observation.done
            except asyncio.CancelledError:
                self._note(caller, begun)
                raise
            except AttemptFaultError:  # its message may hold values
                log.error("a call of %s broke off by a fault", call.tool)
                text, is_closed = _CLOSED, True
            trajectory = caller.trial.trajectory if caller.trial else Trajectory()
            if trajectory.refused_actions():
                text = _TOO_LARGE
            self._note(caller, begun)
            if is_closed:
                await self._close(caller)
                return ToolResult(text, is_error=True)
            return ToolResult(text, is_error(text))

    def _note(self, caller: _Caller, begun: float) -> None:
        """Records what a call did until now, whether or not its client still waits."""
        events = caller.trial.trajectory.events if caller.trial else []
        seconds, number = perf_counter() - begun, caller.calls
        caller.calls += 1
        self._record.add(caller.id, number, caller.person, list(events), seconds)
        events.clear()

    async def _read(self, fhir: FhirServer, caller: _Caller, person: str, call: Call) -> ToolResult:
        """Reads resources; nothing else is asked of the FHIR record."""
        path = call.arguments.get("path")
        if not isinstance(path, str) or call.arguments.keys() != {"path"}:
            return ToolResult("Error: fhir_get: give the path as text, alone.", is_error=True)
        begun = perf_counter()
        response = await asyncio.to_thread(fhir.handle, Request("GET", path.lstrip("/")))
        text = orjson.dumps(response.body).decode()
        events: list[Event] = [Called(call.tool, call.arguments), Returned(call.tool, text)]
        async with caller.lock:
            self._record.add(caller.id, caller.calls, person, events, perf_counter() - begun)
            caller.calls += 1
        return ToolResult(text, is_error=response.status >= 400)

    async def run_query(self, person: str, sql: str) -> Query | str:
        """Runs a person's own query; returns its rows, or why there are none."""
        tool = next((spec for spec in await self.specs(person) if spec.role == RUN_QUERY), None)
        if tool is None:
            return "This assistant runs no queries."
        call = tool.call(sql)
        result = await self.call(person, call)
        trial = self._caller(person).trial
        dialect = trial.dialect if trial else ""
        return query_of(Called(call.tool, call.arguments), result.text, dialect) or result.text

    async def reopen(self) -> None:
        """Lets each person's next call see the record as it is now."""
        for caller in list(self._callers.values()):
            async with caller.lock:
                await self._close(caller)

    async def close(self) -> None:
        """Closes what is open for people."""
        for caller in self._callers.values():
            await self._close(caller)

    def _caller(self, person: str) -> _Caller:
        if person not in self._callers:
            id = f"{datetime.now(UTC):%Y%m%d}-tools-{secrets.token_hex(6)}"
            self._callers[person] = _Caller(id, person)
        return self._callers[person]

    async def _opened(self, caller: _Caller) -> TrialSession:
        if caller.session is None:
            caller.trial = await self._open_trial(caller.person)
            session = TrialSession(caller.trial, Task("tools", None, None), limits=self._limits)
            try:
                await session.open()
                await session.start()
            except AttemptFaultError:  # its message may hold values
                await session.close()
                log.error("the record cannot be opened")
                raise RefusedError(_CLOSED) from None
            caller.session = session
        return caller.session

    async def _close(self, caller: _Caller) -> None:
        session, caller.session = caller.session, None
        if session is not None:
            await session.close()
