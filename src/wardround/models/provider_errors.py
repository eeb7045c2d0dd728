"""Whose fault a failed request is: the provider's, the user's, or the conversation's.

| what happened | counts as |
|---|---|
| 429, 408, 5xx, timeout, cut connection, reply that cannot be read | provider's; waited out |
| quota or credit used up, any other 4xx | provider's; not worth waiting |
| 401, 403, 404 | the user's: a wrong key, model name or server |
| longer than the context window | the conversation's, that is of whoever let it grow |
"""

from pydantic_ai import exceptions as pai

from wardround.core.errors import InfraError, UserError, WardroundError
from wardround.models.model import ConversationTooLongError
from wardround.models.settings import ModelSettings

_TRANSIENT = (
    pai.ModelRateLimitError,
    pai.ModelUnavailableError,
    pai.ModelServerError,
    pai.ModelConnectionError,
    pai.ModelRequestTimeout,
    pai.UnexpectedModelBehavior,
)
_UNREADABLE = (LookupError, AttributeError, TypeError, ValueError)
"""What the provider packages raise when a reply of status 200 lacks what they count on."""

_TOO_LONG = ("exceed_context_size", "context size", "context length", "context window")
"""How servers that send no standard code say that a conversation is too long."""

FAULTS = (pai.AgentRunError, pai.UserError, *_UNREADABLE)
"""All that can come of a request that was rightly made."""


def is_transient(error: Exception) -> bool:
    """Whether the same request may well succeed a little later."""
    if isinstance(error, pai.ModelQuotaExceededError):
        return False
    if isinstance(error, pai.ModelHTTPError):
        return isinstance(error, _TRANSIENT) or error.status_code in (408, 409, 425, 429)
    if isinstance(error, pai.ModelAPIError):
        return isinstance(error, _TRANSIENT) or type(error) is pai.ModelAPIError
    return isinstance(error, (*_TRANSIENT, *_UNREADABLE))


def translate(error: Exception, settings: ModelSettings, tries: int) -> WardroundError:
    """The error to raise for a request that is given up after so many tries."""
    where = f" at {settings.base_url}" if settings.base_url else ""
    who = f"Model {settings.name!r}{where}"
    if _too_long(error):
        return ConversationTooLongError(
            f"{who} has a context window that the conversation exceeds."
        )
    if isinstance(error, pai.ModelAuthenticationError):
        key = settings.api_key_env or "the provider's key variable"
        return UserError(f"{who} refused the key ({_what(error)}): check {key} and `api_key_env`.")
    if isinstance(error, pai.ModelNotFoundError):
        return UserError(f"{who} does not exist ({_what(error)}): check its name and `base_url`.")
    if isinstance(error, pai.UserError):
        return UserError(f"{who} cannot be asked this: {error}")
    times = f"{tries} times in a row" if tries > 1 else "and waiting will not help"
    return InfraError(f"{who} failed ({_what(error)}), {times}.")


def _too_long(error: Exception) -> bool:
    if isinstance(error, pai.ModelContextWindowExceededError):
        return True
    text = f"{getattr(error, 'provider_error_type', '')} {_said(error)}".lower()
    return isinstance(error, pai.ModelRequestRejectedError) and any(s in text for s in _TOO_LONG)


def _what(error: Exception) -> str:
    """The status and the provider's words; never a reply's content, which may hold data."""
    if isinstance(error, pai.ModelHTTPError):
        said = _said(error)
        return f"HTTP {error.status_code}: {said}" if said else f"HTTP {error.status_code}"
    if isinstance(error, (pai.ModelTimeoutError, pai.ModelRequestTimeout)):
        return "no answer in time"
    if isinstance(error, pai.ModelConnectionError):
        return "connection failed or cut"
    return "its reply could not be read"


def _said(error: Exception) -> str:
    """The provider's own message, shortened."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    message = inner.get("message") if isinstance(inner, dict) else None
    return message[:200] if isinstance(message, str) else ""
