"""Spark's errors as one sentence that the writer of a query can act on."""

import re

from wardround.ehr.database.interface import QueryError

_CLASS = re.compile(r"\[(?P<name>[A-Z_0-9.]+)\]\s*(?P<words>[^\n]*)")
_MEMORY = ("OutOfMemoryError", "Java heap space", "maxResultSize", "ExecutorLostFailure")
_DEAD = ("Py4JNetworkError", "ConnectionRefusedError", "ConnectionResetError")


def explain_error(error: Exception, late: float | None) -> QueryError:
    """The query error for what the client raised.

    Args:
        error: What the client raised.
        late: The deadline in seconds, where it had passed.
    """
    if late is not None:
        return QueryError(f"The query ran longer than {late:g} s; make it simpler.", "timeout")
    if is_dead(error):
        return QueryError("The query needed more memory than Spark has; ask for less.", "limit")
    text = _text(error)
    if any(word in text for word in _MEMORY):
        return QueryError("The query needed more memory than Spark has; ask for less.", "limit")
    found = _CLASS.search(text)
    if type(error).__name__ == "ParseException" or (
        found and found["name"] == "PARSE_SYNTAX_ERROR"
    ):
        return QueryError(f"Spark cannot read the statement: {_words(found, text)}", "syntax")
    return QueryError(_words(found, text), "runtime")


def is_dead(error: Exception) -> bool:
    """Return True if the session's Java process is gone."""
    causes = {type(error).__name__}
    if error.__cause__ or error.__context__:
        causes.add(type(error.__cause__ or error.__context__).__name__)
    return bool(causes & set(_DEAD))


def _words(found: re.Match[str] | None, text: str) -> str:
    return found["words"] if found else text.splitlines()[0]


def _text(error: Exception) -> str:
    try:
        return str(error)
    except Exception:
        # The client asks the Java process for the words, which may be gone.
        return type(error).__name__
