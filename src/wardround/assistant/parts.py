"""The parts of a database that people may see: the whole, and copies, made anew every day."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from itertools import count

from wardround.assistant.users import UnavailableError
from wardround.assistant.worker_pool import WorkerPool
from wardround.core.errors import WardroundError
from wardround.core.scratch_folder import ScratchFolder
from wardround.ehr.ingest.patient_scope import Scope, scoped_copy

log = logging.getLogger(__name__)

_NOT_OPEN = (
    "Your part of the records cannot be read just now; ask again in a minute, and if it stays so, "
    "tell who runs the assistant."
)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the database that is open in the worker processes.

    Attributes:
        number: its number; a copy that is made anew has a new one.
        is_there: tells if it is still there; a copy may be lost with its server.
    """

    number: int
    is_there: Callable[[], bool]


class Parts:
    """Opens the part of each person, and opens the copies again when they are renewed.

    Args:
        database: the location of the whole database.
        scopes: what people may see, by name; people without an entry see everything.
        processes: open each part.
    """

    def __init__(self, database: str, scopes: Mapping[str, Scope], processes: WorkerPool) -> None:
        self._database = database
        self._scopes = scopes
        self._processes = processes
        self._numbers = count()
        self._parts: dict[Scope, Part] = {}
        self._opened: dict[Scope, AsyncExitStack] = {}
        self._retired: list[AsyncExitStack] = []
        self._locks: dict[Scope, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def of(self, person: str) -> Part:
        """The part of a person; a copy that was lost, or could not be renewed, is made again.

        Raises:
            UnavailableError: it cannot be made now.
        """
        scope = self._scopes.get(person, Scope())
        async with self._locks[scope]:
            try:
                part = self._parts.get(scope)
                if part is None or not await asyncio.to_thread(part.is_there):
                    self._forget(scope)
                    await self._open(scope)
            except (WardroundError, OSError) as error:
                log.error("a part of the records cannot be read: %s", error)
                raise UnavailableError(_NOT_OPEN) from error
            return self._parts[scope]

    async def open(self) -> None:
        """Opens all parts.

        Raises:
            UserError: a part cannot be opened.
        """
        for scope in {Scope(), *self._scopes.values()}:
            await self._open(scope)

    async def renew(self) -> None:
        """Copies the rows of people who may not see all of them as they are now.

        Meanwhile they are answered from the last copy, and conversations that have begun stay with
        it until the next time. If a person's part cannot be copied, that person gets no answers
        until it can.
        """
        await self._close_retired()
        for scope in {*self._scopes.values()} - {Scope()}:
            try:
                await self._open(scope)
            except (WardroundError, OSError) as error:
                log.error("a part of the records cannot be renewed: %s", error)
                self._forget(scope)

    async def close(self) -> None:
        """Closes all parts, and removes the copies."""
        self._retired += self._opened.values()
        self._opened.clear()
        await self._close_retired()

    async def _open(self, scope: Scope) -> None:
        async with AsyncExitStack() as stack:
            part = await stack.enter_async_context(self._part(scope))
            self._forget(scope)
            self._parts[scope], self._opened[scope] = part, stack.pop_all()

    def _forget(self, scope: Scope) -> None:
        """Retires a part; conversations may go on with it until the retired are closed."""
        self._parts.pop(scope, None)
        if (stack := self._opened.pop(scope, None)) is not None:
            self._retired.append(stack)

    async def _close_retired(self) -> None:
        while self._retired:
            await self._retired.pop().aclose()

    @asynccontextmanager
    async def _part(self, scope: Scope) -> AsyncIterator[Part]:
        """Opens a part in the worker processes; copies it first unless it is the whole database."""
        number, location, is_there = next(self._numbers), self._database, _is_whole
        async with AsyncExitStack() as opened:
            if scope != Scope():
                private = opened.enter_context(ScratchFolder()).path
                made = scoped_copy(self._database, private, scope)
                copy = await asyncio.to_thread(opened.enter_context, made)
                location, is_there = copy.location, copy.is_there
            await self._processes.open(number, location)
            opened.push_async_callback(self._processes.retire, number)
            yield Part(number, is_there)


def _is_whole() -> bool:
    """True, since the whole database is not a copy that could be lost."""
    return True
