"""A trial's time limit, which does not count time lost to provider faults."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

_current: ContextVar[asyncio.Timeout | None] = ContextVar("trial clock", default=None)


@asynccontextmanager
async def time_limit(seconds: float) -> AsyncIterator[asyncio.Timeout]:
    """Limits the time of a block; `extend` adds to it from inside.

    Raises:
        TimeoutError: the time ran out; `expired()` of the yielded timeout is then true.
    """
    async with asyncio.timeout(seconds) as clock:
        token = _current.set(clock)
        try:
            yield clock
        finally:
            _current.reset(token)


def extend(seconds: float) -> None:
    """Adds seconds to the current time limit, if there is one."""
    clock = _current.get()
    if clock is not None and not clock.expired() and (ends := clock.when()) is not None:
        clock.reschedule(ends + seconds)
