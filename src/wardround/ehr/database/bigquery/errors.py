"""Translates BigQuery's errors into query errors that an agent can act on."""

from typing import Any

from wardround.ehr.database.interface import QueryError, QueryErrorKind

_SYNTAX = ("Syntax error", "Unexpected")
_KINDS: dict[str, QueryErrorKind] = {
    "accessDenied": "denied",
    "bytesBilledLimitExceeded": "limit",
    "resourcesExceeded": "limit",
    "responseTooLarge": "limit",
    "timeout": "timeout",
    "stopped": "timeout",
}


def explain_error(error: Any, seconds: float) -> QueryError:
    """The query error for an exception of the client.

    Args:
        error: A `GoogleAPIError`, or the client's timeout.
        seconds: The deadline.
    """
    reasons = [detail.get("reason", "") for detail in getattr(error, "errors", ()) or ()]
    words = str(getattr(error, "message", "") or error).splitlines()
    text = words[0].rpartition("prettyPrint=false: ")[2] if words else type(error).__name__
    kind = next((_KINDS[reason] for reason in reasons if reason in _KINDS), None)
    if kind == "timeout" or isinstance(error, TimeoutError):
        return QueryError(f"The query ran longer than {seconds:g} s; make it simpler.", "timeout")
    if kind is None:
        kind = "syntax" if any(word in text for word in _SYNTAX) else "runtime"
    return QueryError(text, kind)
