"""The parts of a database that a worker process has open, each with the maker of its agents."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from wardround.core.benchmark import AgentMaker
from wardround.core.capabilities import Consultable
from wardround.core.errors import UserError
from wardround.core.task import Task
from wardround.models.roles import RoleModels
from wardround.runs.components import AgentSource, open_benchmark, open_models, train_agent
from wardround.runs.settings import RunSettings


@dataclass(frozen=True, slots=True)
class Ward:
    """The benchmark on a part of the database, and what makes agents for it."""

    benchmark: Consultable
    make_agent: AgentMaker


class Wards:
    """Opens and closes parts, which the server numbers.

    Args:
        settings: the settings of the served agent.
        folder: the folder of the record, which the agent may not see.
    """

    def __init__(self, settings: RunSettings, folder: Path) -> None:
        self._settings = settings
        self._folder = folder
        self._wards: dict[int, Ward] = {}
        self._opened: dict[int, AsyncExitStack] = {}
        self._locks: dict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    def __getitem__(self, part: int) -> Ward:
        return self._wards[part]

    async def open(self, part: int, location: str, progress: Callable[[str], None]) -> None:
        """Opens a part, unless it is open.

        Args:
            part: its number.
            location: the location of its database.
            progress: called with each step of training an agent.

        Raises:
            UserError: it cannot be opened.
        """
        async with self._locks[part]:
            if part in self._wards:
                return
            async with AsyncExitStack() as stack:
                self._wards[part] = await stack.enter_async_context(self._ward(location, progress))
                self._opened[part] = stack.pop_all()

    async def close(self, part: int) -> None:
        """Closes a part, if it is open."""
        async with self._locks[part]:
            self._wards.pop(part, None)
            if (stack := self._opened.pop(part, None)) is not None:
                await stack.aclose()

    async def close_all(self) -> None:
        """Closes all parts and the models."""
        for part in list(self._opened):
            await self.close(part)
        await self._models.close()

    @cached_property
    def _models(self) -> RoleModels:
        return open_models(self._settings)

    @asynccontextmanager
    async def _ward(self, location: str, progress: Callable[[str], None]) -> AsyncIterator[Ward]:
        databases = dict.fromkeys(self._settings.databases, location)
        settings = self._settings.model_copy(update={"databases": databases})
        with ExitStack() as opened:
            benchmark = await asyncio.to_thread(open_benchmark, settings, self._models)
            opened.callback(benchmark.close)
            if not isinstance(benchmark, Consultable):
                raise UserError(f"{settings.benchmark} serves no people in conversation.")
            trained = await asyncio.to_thread(
                train_agent, settings, self._folder, benchmark, progress
            )
            agents = AgentSource(settings, self._folder, benchmark, self._models, trained)
            make_agent = agents.for_task(Task("consultation", None, None))
            async with agents.open():
                yield Ward(benchmark, make_agent)
