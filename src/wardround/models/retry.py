"""Waiting out provider faults: exponential backoff with seeded jitter."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from time import monotonic
from typing import TypeVar

from wardround.core.clock import give_back

Result = TypeVar("Result")

log = logging.getLogger(__name__)

LONGEST_WAIT = 60.0
"""Seconds that a wait never grows beyond, unless the provider itself asks for more."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How provider faults are waited out.

    Attributes:
        retries: how many at most.
        first_wait: seconds of the first wait; each next one is twice as long.
    """

    retries: int
    first_wait: float = 1.0


async def with_retries(
    ask: Callable[[], Awaitable[Result]],
    patience: Patience,
    *,
    faults: tuple[type[Exception], ...],
    transient: Callable[[Exception], bool],
    give_up: Callable[[Exception, int], Exception],
    seed: Callable[[], str],
) -> tuple[Result, int]:
    """Asks until there is an answer, and tells how many faults were waited out.

    What the faults cost in time is given back to the trial that waits.

    Args:
        ask: makes one try.
        patience: how often and how long to wait.
        faults: the exceptions that are faults; any other goes through.
        transient: whether a fault is worth waiting out.
        give_up: the exception to raise for the last fault and the number of tries.
        seed: gives what the jitter is drawn from; called at the first fault.

    Raises:
        Exception: what `give_up` makes of the last fault.
    """
    draw: Random | None = None
    attempt = 0
    while True:
        started = monotonic()
        try:
            return await ask(), attempt
        except faults as error:
            if attempt == patience.retries or not transient(error):
                raise give_up(error, attempt + 1) from error
            draw = draw or Random(seed())
            asked = getattr(error, "retry_after", None)
            wait = wait_before(attempt, asked, patience.first_wait, draw)
            log.info("model request failed (%s), waiting %.1f s", type(error).__name__, wait)
        # Before the wait, or a limit that is near would end the trial during it.
        give_back(monotonic() - started + wait)
        await asyncio.sleep(wait)
        attempt += 1


def wait_before(attempt: int, asked: float | None, first_wait: float, draw: Random) -> float:
    """Seconds to wait after a failed attempt (from 0): never less than the provider asked.

    >>> wait_before(3, None, 1.0, Random(0)) <= 8.0 <= wait_before(3, 8.0, 1.0, Random(0))
    True
    """
    if asked is not None:
        return asked + first_wait * draw.random()
    return min(first_wait * 2.0**attempt, LONGEST_WAIT) * draw.uniform(0.5, 1.0)
