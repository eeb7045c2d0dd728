"""The tools of the record for a client that has its own agent, such as an MCP client.

They are those of a trial's environment, with its limits on statements and rows. The client's agent
was not assessed here.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Protocol

import orjson

from wardround.assistant.consultation import RUN_QUERY, Query, query_of
from wardround.assistant.record_session import ToolResult
from wardround.assistant.served_record import ServedRecord
from wardround.assistant.users import Allowances, UnavailableError
from wardround.core.actions import Call
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Called, Event, Returned
from wardround.ehr.fhir.interaction import FhirServer, Request

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


class Session(Protocol):
    """The open tools of a person; see `RecordSession`."""

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools."""

    @property
    def dialect(self) -> str:
        """The SQL dialect of the database; "" if it is not said."""

    async def call(self, call: Call) -> ToolResult:
        """Carries out a call."""

    def take_events(self) -> list[Event]:
        """The events since they were taken last."""

    async def close(self) -> None:
        """Closes the session."""


@dataclass(slots=True)
class _Caller:
    """A person's calls, one after another."""

    id: str
    person: str
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    session: Session | None = None
    calls: int = 0


class RecordTools:
    """Carries out calls of tools for people, and records each before its result is seen.

    Args:
        open_session: opens the tools of a person, on what they may see.
        record: where calls and results are written.
        allowances: counts calls against people's limits, as questions are counted.
        fhir: the same record as FHIR, of which resources can be read; None without one.

    Attributes:
        stopped: why nothing is carried out any more; "" while it is.
    """

    def __init__(
        self,
        open_session: Callable[[str], Awaitable[Session]],
        record: ServedRecord,
        allowances: Allowances,
        fhir: FhirServer | None = None,
    ) -> None:
        self._fhir = fhir
        self._open_session = open_session
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
            tools = (await self._opened(caller)).tools
        return (*tools, FHIR_GET) if self._fhir else tools

    async def call(self, person: str, call: Call) -> ToolResult:
        """Carries out a call, one of a person at a time.

        Raises:
            RefusedError: nothing is carried out any more, a limit is reached, or the call cannot
                be recorded.
        """
        if self.stopped:
            raise UnavailableError(self.stopped)
        self._allowances.count(person)
        caller = self._caller(person)
        if call.tool == FHIR_GET.name and self._fhir is not None:
            return await self._read(self._fhir, caller, call)
        async with caller.lock:
            session = await self._opened(caller)
            begun = perf_counter()
            try:
                result = await session.call(call)
            finally:  # whether or not its client still waits
                self._note(caller, session.take_events(), begun)
            if result.is_last:
                await self._close(caller)
            return result

    def _note(self, caller: _Caller, events: list[Event], begun: float) -> None:
        """Records what a call did."""
        number, caller.calls = caller.calls, caller.calls + 1
        self._record.add(caller.id, number, caller.person, events, perf_counter() - begun)

    async def _read(self, fhir: FhirServer, caller: _Caller, call: Call) -> ToolResult:
        """Reads resources; nothing else is asked of the FHIR record."""
        path = call.arguments.get("path")
        if not isinstance(path, str) or call.arguments.keys() != {"path"}:
            return ToolResult("Error: fhir_get: give the path as text, alone.", is_error=True)
        begun = perf_counter()
        response = await asyncio.to_thread(fhir.handle, Request("GET", path.lstrip("/")))
        text = orjson.dumps(response.body).decode()
        events: list[Event] = [Called(call.tool, call.arguments), Returned(call.tool, text)]
        async with caller.lock:
            self._note(caller, events, begun)
        return ToolResult(text, is_error=response.status >= 400)

    async def run_query(self, person: str, sql: str) -> Query | str:
        """Runs a person's own query; returns its rows, or why there are none."""
        tool = next((spec for spec in await self.specs(person) if spec.role == RUN_QUERY), None)
        if tool is None:
            return "This assistant runs no queries."
        call = tool.call(sql)
        session = self._caller(person).session
        dialect = session.dialect if session else ""
        result = await self.call(person, call)
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

    async def _opened(self, caller: _Caller) -> Session:
        if caller.session is None:
            caller.session = await self._open_session(caller.person)
        return caller.session

    async def _close(self, caller: _Caller) -> None:
        session, caller.session = caller.session, None
        if session is not None:
            await session.close()
