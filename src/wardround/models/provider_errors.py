"""Classifies failed requests by the party at fault.

| failure | fault of |
|---|---|
| 429, 408, 5xx, timeout, lost connection, unreadable reply | the provider; retried |
| quota or credit used up, any other 4xx | the provider; not retried |
| 401, 403, 404 | the user: a wrong key, model name or server |
| longer than the context window | the role whose conversation it is |
"""

import re
from collections.abc import Collection, Sequence

from pydantic_ai import exceptions as pai

from wardround.core.errors import InfraError, UserError, WardroundError
from wardround.models.model import ConversationTooLongError, ModelSettings

_TRANSIENT = (
    pai.ModelRateLimitError,
    pai.ModelUnavailableError,
    pai.ModelServerError,
    pai.ModelConnectionError,
    pai.ModelRequestTimeout,
    pai.UnexpectedModelBehavior,
)
_UNREADABLE = (LookupError, AttributeError, TypeError, ValueError)
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
    reason = describe(error, keys)
    if isinstance(error, pai.ModelAuthenticationError):
        key = settings.api_key_env or "the provider's key variable"
        return UserError(f"{who} refused the key ({reason}): check {key} and `api_key_env`.")
    if isinstance(error, pai.ModelNotFoundError):
        return UserError(f"{who} does not exist ({reason}): check its name and `base_url`.")
    if isinstance(error, pai.UserError):
        return UserError(f"{who} cannot be asked this: {redacted(str(error), keys)}")
    return InfraError(f"{who} failed {_history([describe(e, keys) for e in failed], stopped)}.")


def display_name(settings: ModelSettings) -> str:
    """A model's name in messages."""
    where = f" at {settings.base_url}" if settings.base_url else ""
    return f"Model {settings.name!r}{where}"


def _history(reasons: Sequence[str], stopped: str) -> str:
    """The fault of each attempt, and the reason for no further one.

    >>> _history(["HTTP 500", "HTTP 500"], "")
    '(HTTP 500), 2 times in a row'
    >>> _history(["HTTP 500", "no answer in time"], "")
    'in 2 tries (HTTP 500; no answer in time)'
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


def describe(error: Exception, keys: Collection[str]) -> str:
    """The status and the provider's message; never a reply's content, which may hold data."""
    if isinstance(error, pai.ModelHTTPError):
        message = redacted(_provider_message(error), keys)
        return f"HTTP {error.status_code}: {message}" if message else f"HTTP {error.status_code}"
    if isinstance(error, (pai.ModelTimeoutError, pai.ModelRequestTimeout)):
        return "no answer in time"
    if isinstance(error, pai.ModelConnectionError):
        return "connection failed or cut"
    return "its reply could not be read"


def _provider_message(error: Exception) -> str:
    """The provider's own error message."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    message = inner.get("message") if isinstance(inner, dict) else None
    return message if isinstance(message, str) else ""
