"""Retries after provider faults: exponential backoff with seeded jitter."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from time import monotonic
from typing import TypeVar

from wardround.core.clock import extend

Result = TypeVar("Result")

log = logging.getLogger(__name__)

LONGEST_WAIT = 60.0
"""The longest wait in seconds, unless the provider asks for more."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The number and length of waits after provider faults.

    Attributes:
        retries: the most retries.
        first_wait: seconds of the first wait; each next is twice as long.
    """

    retries: int
    first_wait: float = 1.0


async def with_retries(
    ask: Callable[[], Awaitable[Result]],
    policy: RetryPolicy,
    *,
    faults: tuple[type[Exception], ...],
    transient: Callable[[Exception], bool],
    give_up: Callable[[Exception, int], Exception],
    seed: Callable[[], str],
) -> tuple[Result, int]:
    """Asks until there is an answer; returns it with the number of retries.

    The time that faults take does not count towards the trial's time limit.

    Args:
        ask: makes one try.
        policy: how often and how long to wait.
        faults: the exceptions that are faults; any other is raised.
        transient: whether a fault is worth a retry.
        give_up: makes the exception to raise from the last fault and the number of tries.
        seed: gives the jitter's seed; called at the first fault.

    Raises:
        Exception: the last fault, as `give_up` makes it.
    """
    draw: Random | None = None
    attempt = 0
    while True:
        started = monotonic()
        try:
            return await ask(), attempt
        except faults as error:
            if attempt == policy.retries or not transient(error):
                raise give_up(error, attempt + 1) from error
            draw = draw or Random(seed())
            asked = getattr(error, "retry_after", None)
            wait = wait_before(attempt, asked, policy.first_wait, draw)
            log.info("model request failed (%s), waiting %.1f s", type(error).__name__, wait)
        # Before the wait, or the time limit could end the trial during it.
        extend(monotonic() - started + wait)
        await asyncio.sleep(wait)
        attempt += 1


def wait_before(attempt: int, asked: float | None, first_wait: float, draw: Random) -> float:
    """Seconds to wait after attempt number `attempt`, at least what the provider asked for.

    >>> wait_before(3, None, 1.0, Random(0)) <= 8.0 <= wait_before(3, 8.0, 1.0, Random(0))
    True
    """
    if asked is not None:
        return asked + first_wait * draw.random()
    return min(first_wait * 2.0**attempt, LONGEST_WAIT) * draw.uniform(0.5, 1.0)
