"""Translates PostgreSQL's errors into query errors that an agent can act on."""

from wardround.ehr.database.interface import QueryError, QueryErrorKind, too_late
from wardround.ehr.database.postgres.session import StatementError

# By SQLSTATE, or by its class, the first two characters.
_KINDS: dict[str, QueryErrorKind] = {
    "0L": "denied",
    "0P": "denied",
    "22": "runtime",
    "25": "denied",
    "28": "denied",
    "2D": "denied",
    "2F": "denied",
    "42501": "denied",
    "53": "limit",
    "54": "limit",
    "55P03": "timeout",
    "57014": "timeout",
    "57P01": "timeout",
    "57P05": "timeout",
}
_SECOND_STATEMENT = "cannot insert multiple commands into a prepared statement"
_TOO_LARGE = ("invalid memory alloc request size", "out of memory", "requested length too large")


def explain_error(error: StatementError, seconds: float) -> QueryError:
    """The query error for an error of the server.

    Args:
        error: The server's error.
        seconds: The statement's deadline.
    """
    text = str(error)
    if text == _SECOND_STATEMENT:
        return QueryError("Only one statement can be run at a time; send them apart.", "denied")
    kind = _kind(error)
    if kind == "timeout":
        return too_late(seconds)
    if holds_too_much(error):
        return too_many_locks()
    if kind == "limit" and ("memory" in text or text.startswith(_TOO_LARGE)):
        return QueryError("The query needs too much memory; let it sort or group less.", "limit")
    if kind == "limit":
        return QueryError(f"The query is over a limit: {text}.", "limit")
    return QueryError(f"{text[:1].upper()}{text[1:].rstrip('.')}.", kind)


def too_many_locks() -> QueryError:
    """The query error of a statement that locks too much."""
    return QueryError("The query locks too much; let it touch fewer things.", "limit")


def holds_too_much(error: StatementError) -> bool:
    """Return True if the lock table is full, so that the session's locks block other trials."""
    return error.state == "53200" and str(error) == "out of shared memory"


def _kind(error: StatementError) -> QueryErrorKind:
    if str(error).startswith(_TOO_LARGE):
        return "limit"
    kind = _KINDS.get(error.state) or _KINDS.get(error.state[:2])
    return kind or ("runtime" if error.compiled else "syntax")
