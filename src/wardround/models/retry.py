"""Retries after provider faults: exponential backoff with seeded jitter.

A failed request is first classified by the party at fault.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from random import Random
from time import monotonic
from typing import TypeVar

from pydantic_ai import exceptions as pai

from wardround.core.clock import extend
from wardround.core.errors import InfraError, UserError, WardroundError
from wardround.models.model import ConversationTooLongError, ModelSettings

Result = TypeVar("Result")

log = logging.getLogger(__name__)

LONGEST_WAIT = 60.0

_TRANSIENT = (
    pai.ModelRateLimitError,
    pai.ModelUnavailableError,
    pai.ModelServerError,
    pai.ModelConnectionError,
    pai.ModelRequestTimeout,
    pai.UnexpectedModelBehavior,
)
_UNREADABLE = (LookupError, AttributeError, TypeError, ValueError)


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


"""Errors of the provider packages for replies of status 200 that lack fields."""

_TOO_LONG = ("exceed_context_size", "context size", "context length", "context window")
"""Error texts of servers without a standard code for a too long conversation."""

_TOKEN = re.compile(r"bearer[\s:=]+\S+|\bsk-[\w*.\-]+", re.IGNORECASE)
"""API keys in common formats."""

_MOST = 200
"""The most characters quoted from a provider's message."""

FAULTS = (pai.AgentRunError, pai.UserError, *_UNREADABLE)
"""Exceptions that a valid request can raise."""


def is_transient(error: Exception) -> bool:
    """True if the same request may succeed a little later."""
    if isinstance(error, pai.ModelQuotaExceededError):
        return False
    if isinstance(error, pai.ModelHTTPError):
        return isinstance(error, _TRANSIENT) or error.status_code in (408, 409, 425, 429)
    if isinstance(error, pai.ModelAPIError):
        return isinstance(error, _TRANSIENT) or type(error) is pai.ModelAPIError
    return isinstance(error, (*_TRANSIENT, *_UNREADABLE))


def translate(
    failed: Sequence[Exception],
    settings: ModelSettings,
    keys: Collection[str],
    stopped: str = "",
) -> WardroundError:
    """The error to raise for a request that failed in all attempts.

    Args:
        failed: the error of each attempt.
        settings: the model's settings.
        keys: the API keys sent, which are redacted from the message.
        stopped: why there was no further attempt; empty if retries ran out or would not help.
    """
    error = failed[-1]
    who = display_name(settings)
    if _is_too_long(error):
        return ConversationTooLongError(
            f"{who} has a context window that the conversation exceeds."
        )
    reason = describe(error, settings, keys)
    if isinstance(error, pai.ModelAuthenticationError):
        key = settings.api_key_env or "the provider's key variable"
        return UserError(f"{who} refused the key ({reason}): check {key} and `api_key_env`.")
    if isinstance(error, pai.ModelNotFoundError):
        return UserError(f"{who} does not exist ({reason}): check its name and `base_url`.")
    if isinstance(error, pai.UserError):
        return UserError(f"{who} cannot be asked this: {redacted(str(error), keys)}")
    reasons = [describe(each, settings, keys) for each in failed]
    return InfraError(f"{who} failed {_history(reasons, stopped)}.")


def display_name(settings: ModelSettings) -> str:
    """A model's name in messages."""
    where = f" at {settings.base_url}" if settings.base_url else ""
    return f"Model {settings.name!r}{where}"


def _history(reasons: Sequence[str], stopped: str) -> str:
    """The fault of each attempt, and the reason for no further one.

    >>> _history(["HTTP 500", "HTTP 500"], "")
    '(HTTP 500), 2 times in a row'
    >>> _history(["HTTP 500", "HTTP 503"], "")
    'in 2 tries (HTTP 500; HTTP 503)'
    """
    tries, different = len(reasons), list(dict.fromkeys(reasons))
    if len(different) > 1:
        history = f"in {tries} tries ({'; '.join(different)})"
        return f"{history}, and {stopped}" if stopped else history
    times = f"{tries} times in a row" if tries > 1 else ""
    end = stopped and f"and {stopped}" if times or stopped else "and waiting will not help"
    return ", ".join(filter(None, [f"({reasons[0]})", times, end]))


def redacted(text: str, keys: Collection[str]) -> str:
    r"""A provider's message on one line, shortened, with keys redacted.

    >>> redacted("Wrong key sk-ab12\nin Bearer xyz and PW1234", ["PW1234"])
    'Wrong key [key] in [key] and [key]'
    """
    for key in sorted(filter(None, keys), key=len, reverse=True):
        text = text.replace(key, "[key]")
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    short = _TOKEN.sub("[key]", line)
    return short if len(short) <= _MOST else f"{short[:_MOST]}…"


def _is_too_long(error: Exception) -> bool:
    if isinstance(error, pai.ModelContextWindowExceededError):
        return True
    text = f"{getattr(error, 'provider_error_type', '')} {_provider_message(error)}".lower()
    return isinstance(error, pai.ModelRequestRejectedError) and any(s in text for s in _TOO_LONG)


def describe(error: Exception, settings: ModelSettings, keys: Collection[str]) -> str:
    """The status and the provider's message; never a reply's content, which may hold data."""
    if isinstance(error, pai.ModelHTTPError):
        message = redacted(_provider_message(error), keys)
        return f"HTTP {error.status_code}: {message}" if message else f"HTTP {error.status_code}"
    if isinstance(error, (pai.ModelTimeoutError, pai.ModelRequestTimeout)):
        return f"no answer within its `timeout` of {settings.timeout:g} s"
    if isinstance(error, pai.ModelConnectionError):
        return "connection failed or cut"
    return "its reply could not be read"


def _provider_message(error: Exception) -> str:
    """The provider's own error message."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    message = inner.get("message") if isinstance(inner, dict) else None
    return message if isinstance(message, str) else ""
