"""The worker processes: each holds some conversations, and one that dies is started again."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from wardround.assistant.users import UnavailableError
from wardround.assistant.worker_handle import ProcessEndedError, WorkerHandle
from wardround.core.errors import UserError, WardroundError

log = logging.getLogger(__name__)

# The seconds before a process that died is started again; they double while it cannot be opened.
_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
# The longest time that a person waits for a process that is being started again.
_WAIT = 60.0
_NONE = "The assistant is being started again; ask again in a minute."


class WorkerPool:
    """Opens parts of the database in all processes, and finds one for each conversation.

    Args:
        start: starts a process.
        count: the number of processes.
        progress: called with each step of training an agent.
    """

    def __init__(
        self,
        start: Callable[[], Awaitable[WorkerHandle]],
        count: int,
        progress: Callable[[str], None],
    ) -> None:
        self._start = start
        self._count = count
        self._progress = progress
        self._processes: list[WorkerHandle] = []
        self._keepers: list[asyncio.Task[None]] = []
        self._parts: dict[int, str] = {}
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Starts the processes, and ends them after the block."""
        try:
            for index in range(self._count):
                self._processes.append(await self._start())
                self._keepers.append(asyncio.create_task(self._keep(index)))
            yield
        finally:
            for keeper in self._keepers:
                keeper.cancel()
            if self._keepers:
                await asyncio.wait(self._keepers)
            await asyncio.gather(*(process.close() for process in self._processes))

    async def open(self, part: int, location: str) -> None:
        """Opens a part of the database in all processes.

        Raises:
            UserError: it cannot be opened.
        """
        self._parts[part] = location
        try:
            # The first trains the agent; the others find the trained file.
            first, *others = self._processes
            opened = [await self._opened(first, part)]
            opened += await asyncio.gather(*(self._opened(each, part) for each in others))
            if not any(opened):
                raise UserError("No answering process stays open; the log says how they ended.")
        except BaseException:
            await self.retire(part)
            raise

    async def retire(self, part: int) -> None:
        """Closes a part of the database in all processes."""
        self._parts.pop(part, None)
        open_ones = [process for process in self._processes if not process.ended.is_set()]
        await asyncio.gather(
            *(process.carry_out("retire", part) for process in open_ones), return_exceptions=True
        )

    async def idlest(self, part: int) -> WorkerHandle:
        """The process with the least work, with a part of the database open.

        Raises:
            UnavailableError: there is none now.
        """
        try:
            async with asyncio.timeout(_WAIT):
                while True:
                    self._changed.clear()
                    alive = [each for each in self._processes if not each.ended.is_set()]
                    for process in sorted(alive, key=lambda process: process.load):
                        if await self._is_open(process, part):
                            return process
                    await self._changed.wait()
        except TimeoutError:
            raise UnavailableError(_NONE) from None

    async def _opened(self, process: WorkerHandle, part: int) -> bool:
        """True once a process has a part open; False if it ended."""
        try:
            await process.open(part, self._parts[part], self._progress)
        except ProcessEndedError:
            return False
        return True

    async def _is_open(self, process: WorkerHandle, part: int) -> bool:
        """True if a process has a part open; one that cannot open it is passed over."""
        try:
            return await self._opened(process, part)
        except WardroundError as error:
            log.error("a part of the records cannot be opened: %s", error)
            return False

    async def _keep(self, index: int) -> None:
        """Starts a process again whenever it has ended."""
        while True:
            ended, pause = self._processes[index], _PAUSE
            await ended.ended.wait()
            log.error("an answering process ended (exit code %s)", await ended.close())
            while self._processes[index] is ended:
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                try:
                    self._processes[index] = await self._started_again()
                except (WardroundError, OSError) as error:
                    log.error("an answering process cannot be started again: %s", error)
            self._changed.set()

    async def _started_again(self) -> WorkerHandle:
        process = await self._start()
        try:
            for part, location in list(self._parts.items()):
                await process.open(part, location, self._progress)
        except BaseException:
            process.kill()
            raise
        return process
