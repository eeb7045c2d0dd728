"""A trial's time limit, which does not count time lost to provider faults."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TypeVar

Result = TypeVar("Result")

_current: ContextVar[asyncio.Timeout | None] = ContextVar("trial clock", default=None)


class TrialClock:
    """A limit on the time from its first block on, between blocks too.

    Args:
        seconds: the time; `extend` adds to it from inside of a block.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: float | None = None
        self._is_running = False
        self.expired = False

    async def limited(self, work: Awaitable[Result]) -> Result:
        """Awaits some work, in a new block unless it is in one already.

        Raises:
            TimeoutError: the time ran out, and `expired` is true; or the work raised it itself.
        """
        if self._is_running:
            return await work
        async with self.running():
            return await work

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Ends a block when the time runs out; blocks do not overlap.

        Raises:
            TimeoutError: the time ran out, and `expired` is true; or the block raised it itself.
        """
        if self._ends is None:
            self._ends = asyncio.get_running_loop().time() + self._seconds
        limit = asyncio.timeout_at(self._ends)
        token = _current.set(limit)
        self._is_running = True
        try:
            async with limit:
                yield
        finally:
            self._is_running = False
            _current.reset(token)
            self._ends, self.expired = limit.when(), limit.expired()


def extend(seconds: float) -> None:
    """Adds seconds to the current time limit, if there is one."""
    clock = _current.get()
    if clock is not None and not clock.expired() and (ends := clock.when()) is not None:
        clock.reschedule(ends + seconds)
