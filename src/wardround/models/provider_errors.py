"""Classifies failed requests by whose fault they are.

| failure | fault of |
|---|---|
| 429, 408, 5xx, timeout, lost connection, unreadable reply | the provider; retried |
| quota or credit used up, any other 4xx | the provider; not retried |
| 401, 403, 404 | the user: a wrong key, model name or server |
| longer than the context window | the role whose conversation it is |
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
"""Errors of the provider packages for replies of status 200 that lack fields."""

_TOO_LONG = ("exceed_context_size", "context size", "context length", "context window")
"""Error texts of servers that have no standard code for a conversation that is too long."""

FAULTS = (pai.AgentRunError, pai.UserError, *_UNREADABLE)
"""The errors of a correct request."""


def is_transient(error: Exception) -> bool:
    """True if the same request may succeed a little later."""
    if isinstance(error, pai.ModelQuotaExceededError):
        return False
    if isinstance(error, pai.ModelHTTPError):
        return isinstance(error, _TRANSIENT) or error.status_code in (408, 409, 425, 429)
    if isinstance(error, pai.ModelAPIError):
        return isinstance(error, _TRANSIENT) or type(error) is pai.ModelAPIError
    return isinstance(error, (*_TRANSIENT, *_UNREADABLE))


def translate(error: Exception, settings: ModelSettings, tries: int) -> WardroundError:
    """The error to raise for a request that failed in all its tries."""
    where = f" at {settings.base_url}" if settings.base_url else ""
    who = f"Model {settings.name!r}{where}"
    if _is_too_long(error):
        return ConversationTooLongError(
            f"{who} has a context window that the conversation exceeds."
        )
    if isinstance(error, pai.ModelAuthenticationError):
        key = settings.api_key_env or "the provider's key variable"
        return UserError(
            f"{who} refused the key ({_describe(error)}): check {key} and `api_key_env`."
        )
    if isinstance(error, pai.ModelNotFoundError):
        return UserError(
            f"{who} does not exist ({_describe(error)}): check its name and `base_url`."
        )
    if isinstance(error, pai.UserError):
        return UserError(f"{who} cannot be asked this: {error}")
    times = f"{tries} times in a row" if tries > 1 else "and waiting will not help"
    return InfraError(f"{who} failed ({_describe(error)}), {times}.")


def _is_too_long(error: Exception) -> bool:
    if isinstance(error, pai.ModelContextWindowExceededError):
        return True
    text = f"{getattr(error, 'provider_error_type', '')} {_provider_message(error)}".lower()
    return isinstance(error, pai.ModelRequestRejectedError) and any(s in text for s in _TOO_LONG)


def _describe(error: Exception) -> str:
    """The status and the provider's message; never a reply's content, which may hold data."""
    if isinstance(error, pai.ModelHTTPError):
        message = _provider_message(error)
        return f"HTTP {error.status_code}: {message}" if message else f"HTTP {error.status_code}"
    if isinstance(error, (pai.ModelTimeoutError, pai.ModelRequestTimeout)):
        return "no answer in time"
    if isinstance(error, pai.ModelConnectionError):
        return "connection failed or cut"
    return "its reply could not be read"


def _provider_message(error: Exception) -> str:
    """The provider's own error message, truncated."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    message = inner.get("message") if isinstance(inner, dict) else None
    return message[:200] if isinstance(message, str) else ""
