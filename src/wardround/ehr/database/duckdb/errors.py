"""Translates DuckDB's errors into query errors that an agent can act on."""

from wardround.ehr.database.interface import QueryError, QueryErrorKind

_DENIED = (
    "configuration has been locked",
    "disabled by configuration",
    "read-only mode",
)
_TOO_LARGE = (
    "exceeds the maximum",
    "expression depth limit",
    "maximum recursion depth",
    "maximum supported string size",
    "out of memory",
)


def explain_error(error: Exception) -> QueryError:
    """The query error for what `duckdb` raised."""
    import duckdb

    text = _sentence(str(error))
    known = text.lower()
    if isinstance(error, MemoryError | duckdb.OutOfMemoryException):
        return QueryError("The query needs too much memory; let it sort or group less.", "limit")
    if isinstance(error, duckdb.InterruptException):
        return QueryError("The query was stopped.", "timeout")
    if isinstance(error, duckdb.PermissionException) or any(each in known for each in _DENIED):
        return QueryError(f"This is not allowed here: {text}.", "denied")
    if any(each in known for each in _TOO_LARGE):
        return QueryError(f"The query is over a limit: {text}.", "limit")
    return QueryError(f"{text}.", _kind(error))


def _kind(error: Exception) -> QueryErrorKind:
    import duckdb

    syntax_errors = (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException)
    return "syntax" if isinstance(error, syntax_errors) else "runtime"


def _sentence(text: str) -> str:
    """The message, without the excerpt of the statement that DuckDB draws below it."""
    words, _, _ = text.partition("\n\nLINE ")
    return " ".join(words.split()).rstrip(".")
