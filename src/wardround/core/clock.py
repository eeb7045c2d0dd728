"""The trial's clock: time lost to a provider's fault is given back, since it is nobody's."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar

_running: ContextVar[asyncio.Timeout | None] = ContextVar("trial clock", default=None)


@asynccontextmanager
async def time_limit(seconds: float) -> AsyncIterator[asyncio.Timeout]:
    """Ends what is inside after so many seconds, time given back not counted.

    Raises:
        TimeoutError: the time ran out; then `expired()` of the clock is true.
    """
    async with asyncio.timeout(seconds) as clock:
        token = _running.set(clock)
        try:
            yield clock
        finally:
            _running.reset(token)


def give_back(seconds: float) -> None:
    """Adds seconds to the limit that the caller runs under, if it runs under one."""
    clock = _running.get()
    if clock is not None and not clock.expired() and (ends := clock.when()) is not None:
        clock.reschedule(ends + seconds)
