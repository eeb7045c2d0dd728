"""The parts of a database that people may see, each with its agent, copied anew every day."""

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from wardround.assistant.served_agent import Serving
from wardround.assistant.users import RefusedError
from wardround.core.benchmark import AgentMaker
from wardround.core.capabilities import Consultable
from wardround.core.errors import UserError, WardroundError
from wardround.core.scratch_folder import ScratchFolder
from wardround.core.task import Task
from wardround.ehr.ingest.patient_scope import Scope, scoped_copy
from wardround.models.roles import RoleModels
from wardround.runs.components import AgentSource, open_benchmark, train_agent

log = logging.getLogger(__name__)

_NOT_OPEN = (
    "Your part of the records cannot be read just now; ask again in a minute, and if it stays so, "
    "tell who runs the assistant."
)


@dataclass(frozen=True, slots=True)
class Ward:
    """The benchmark on a part of the database, and what makes agents for it.

    Attributes:
        benchmark: the benchmark.
        make_agent: makes an agent.
        is_there: tells if the part is still there; a copy may be lost with its server.
    """

    benchmark: Consultable
    make_agent: AgentMaker
    is_there: Callable[[], bool]


class Wards:
    """Opens the part of each person, and opens the copies again when they are renewed.

    Args:
        serving: what is served.
        scopes: what people may see, by name; whoever is not named sees everything.
        folder: where a trained agent is kept.
        models: the models of the roles.
        progress: called with each step of training an agent.
    """

    def __init__(
        self,
        serving: Serving,
        scopes: Mapping[str, Scope],
        folder: Path,
        models: RoleModels,
        progress: Callable[[str], None],
    ) -> None:
        self._serving = serving
        self._scopes = scopes
        self._folder = folder
        self._models = models
        self._progress = progress
        self._wards: dict[Scope, Ward] = {}
        self._opened: dict[Scope, AsyncExitStack] = {}
        self._retired: list[AsyncExitStack] = []
        self._locks: dict[Scope, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def of(self, person: str) -> Ward:
        """The part of a person; a copy that was lost, or could not be renewed, is made again.

        Raises:
            RefusedError: it cannot be made now.
        """
        scope = self._scopes.get(person, Scope())
        async with self._locks[scope]:
            try:
                ward = self._wards.get(scope)
                if ward is None or not await asyncio.to_thread(ward.is_there):
                    self._forget(scope)
                    await self._open(scope)
            except (WardroundError, OSError) as error:
                log.error("a part of the records cannot be read: %s", error)
                raise RefusedError(_NOT_OPEN) from error
            return self._wards[scope]

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
        it until the next time. Whose part cannot be copied is not answered until it can.
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
        stack = AsyncExitStack()
        try:
            ward = await stack.enter_async_context(self._ward(scope))
        except BaseException:
            await stack.aclose()
            raise
        self._forget(scope)
        self._wards[scope], self._opened[scope] = ward, stack

    def _forget(self, scope: Scope) -> None:
        """Retires a part; conversations may go on with it until the retired are closed."""
        self._wards.pop(scope, None)
        if (stack := self._opened.pop(scope, None)) is not None:
            self._retired.append(stack)

    async def _close_retired(self) -> None:
        while self._retired:
            await self._retired.pop().aclose()

    @asynccontextmanager
    async def _ward(self, scope: Scope) -> AsyncIterator[Ward]:
        """Opens benchmark and agent on the part of the database that some people may see."""
        with ExitStack() as opened:
            settings, is_there = self._serving.settings, _is_whole
            if scope != Scope():
                private = opened.enter_context(ScratchFolder()).path
                made = scoped_copy(self._serving.database, private, scope)
                copy = await asyncio.to_thread(opened.enter_context, made)
                is_there = copy.is_there
                databases = dict.fromkeys(settings.databases, copy.location)
                settings = settings.model_copy(update={"databases": databases})
            benchmark = await asyncio.to_thread(open_benchmark, settings, self._models)
            opened.callback(benchmark.close)
            if not isinstance(benchmark, Consultable):
                raise UserError(f"{settings.benchmark} serves no people in conversation.")
            trained = await asyncio.to_thread(
                train_agent, settings, self._folder, benchmark, self._progress
            )
            agents = AgentSource(settings, self._folder, benchmark, self._models, trained)
            make_agent = agents.for_task(Task("consultation", None, None))
            async with agents.open():
                yield Ward(benchmark, make_agent, is_there)


def _is_whole() -> bool:
    """True: the whole database is nobody's copy."""
    return True
