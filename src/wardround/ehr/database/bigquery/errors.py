"""Translates BigQuery's errors into query errors that an agent can act on."""

from collections.abc import Iterator
from concurrent.futures import TimeoutError as LateError
from contextlib import contextmanager
from typing import Any

from wardround.core.errors import UserError
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


@contextmanager
def explained_errors(seconds: float) -> Iterator[None]:
    """Raises the client's errors as query errors.

    Args:
        seconds: The deadline.
    """
    from google.api_core.exceptions import GoogleAPIError

    try:
        yield
    except (GoogleAPIError, LateError) as error:
        raise explain_error(error, seconds) from error


@contextmanager
def refused_access(url: str) -> Iterator[None]:
    """Raises the client's errors about a whole database as user errors.

    Args:
        url: The database's location.
    """
    from google.api_core.exceptions import GoogleAPIError
    from google.auth.exceptions import GoogleAuthError

    try:
        yield
    except (GoogleAPIError, GoogleAuthError) as error:
        raise UserError(
            f"Database {url} cannot be read: {_first_line(error)}; check the datasets' names and "
            "the account."
        ) from error


def explain_error(error: Any, seconds: float) -> QueryError:
    """The query error for an exception of the client.

    Args:
        error: A `GoogleAPIError`, or the client's timeout.
        seconds: The deadline.
    """
    reasons = [detail.get("reason", "") for detail in getattr(error, "errors", ()) or ()]
    text = _first_line(error)
    kind = next((_KINDS[reason] for reason in reasons if reason in _KINDS), None)
    if kind == "timeout" or isinstance(error, TimeoutError):
        return QueryError(f"The query ran longer than {seconds:g} s; make it simpler.", "timeout")
    if kind is None:
        kind = "syntax" if any(word in text for word in _SYNTAX) else "runtime"
    return QueryError(text, kind)


def _first_line(error: Any) -> str:
    lines = str(getattr(error, "message", "") or error).splitlines()
    return lines[0].rpartition("prettyPrint=false: ")[2] if lines else type(error).__name__
