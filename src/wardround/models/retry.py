"""Retries after provider faults: exponential backoff with seeded jitter."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from random import Random
from time import monotonic
from typing import TypeVar

from wardround.core.clock import extend

Result = TypeVar("Result")

log = logging.getLogger(__name__)

LONGEST_WAIT = 60.0
"""The longest wait in seconds, unless the provider asks for more."""


SHOWN_WAIT = 1.0
"""Waits shorter than this many seconds are not announced."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The number and length of waits after provider faults.

    Attributes:
        retries: the most retries.
        first_wait: seconds of the first wait, doubled for each further one.
        max_wait: the most seconds to wait in total for one call.
    """

    retries: int
    first_wait: float = 1.0
    max_wait: float = 300.0


async def with_retries(
    ask: Callable[[], Awaitable[Result]],
    policy: RetryPolicy,
    *,
    faults: tuple[type[Exception], ...],
    transient: Callable[[Exception], bool],
    give_up: Callable[[Sequence[Exception], str], Exception],
    waiting: Callable[[Exception, str], None],
    seed: Callable[[], str],
) -> tuple[Result, int]:
    """Asks until there is an answer; returns it with the number of retries.

    Time lost to faults does not count towards the trial's time limit.

    Args:
        ask: makes one attempt.
        policy: the number and length of waits.
        faults: exceptions that count as faults; others propagate.
        transient: returns True if a fault is worth a retry.
        give_up: makes the exception to raise, from all faults and the reason for giving up.
        waiting: called before each longer wait, with its length in words.
        seed: returns the jitter's seed; called at the first fault.

    Raises:
        Exception: the exception made by `give_up`.
    """
    draw: Random | None = None
    failed: list[Exception] = []
    waited = 0.0
    while True:
        started = monotonic()
        try:
            return await ask(), len(failed)
        except faults as error:
            failed.append(error)
            if len(failed) > policy.retries or not transient(error):
                raise give_up(failed, "") from error
            draw = draw or Random(seed())
            requested_wait = requested_seconds(error)
            wait = wait_before(len(failed) - 1, requested_wait, policy.first_wait, draw)
            if waited + (requested_wait or wait) > policy.max_wait:
                raise give_up(failed, _too_long(requested_wait or wait, waited, policy)) from error
            wait = min(wait, policy.max_wait - waited)
            log.info("model request failed (%s), waiting %.1f s", type(error).__name__, wait)
            if wait >= SHOWN_WAIT:
                waiting(error, f"{wait:,.0f} s")
        # Extended before the wait, or the time limit could end the trial during it.
        extend(monotonic() - started + wait)
        await asyncio.sleep(wait)
        waited += wait


def requested_seconds(error: Exception) -> float | None:
    """The wait requested by the provider in seconds; None if it gives no valid number.

    >>> error = Exception()
    >>> error.retry_after = float("nan")
    >>> requested_seconds(error) is None
    True
    """
    requested_wait = getattr(error, "retry_after", None)
    return (
        requested_wait if isinstance(requested_wait, int | float) and requested_wait >= 0 else None
    )


def _too_long(wait: float, waited: float, policy: RetryPolicy) -> str:
    before = f" after {waited:,.0f} s of waiting" if waited >= SHOWN_WAIT else ""
    return (
        f"the next try would be in {wait:,.0f} s{before}, and --max-wait is {policy.max_wait:,.0f}"
    )


def wait_before(
    attempt: int, requested_wait: float | None, first_wait: float, draw: Random
) -> float:
    """Seconds to wait after attempt number `attempt`, at least the provider's requested wait.

    >>> wait_before(3, None, 1.0, Random(0)) <= 8.0 <= wait_before(3, 8.0, 1.0, Random(0))
    True
    """
    if requested_wait is not None:
        return requested_wait + first_wait * draw.random()
    return min(first_wait * 2.0**attempt, LONGEST_WAIT) * draw.uniform(0.5, 1.0)
