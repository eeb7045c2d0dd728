"""Translates queries between SQL dialects."""

from wardround.ehr.database.interface import QueryError


def translated(sql: str, *, read: str, write: str) -> str:
    """Translate one statement to another dialect.

    Args:
        sql: The statement.
        read: Its dialect, as sqlglot names it.
        write: The target dialect.

    Raises:
        QueryError: If it cannot be parsed, contains several statements, or uses a feature that
            the target dialect lacks.

    >>> translated("SELECT DATE_DIFF(a, b, DAY) FROM t", read="bigquery", write="duckdb")
    "SELECT DATE_DIFF('DAY', b, a) FROM t"
    """
    import sqlglot
    from sqlglot.errors import ErrorLevel, SqlglotError

    try:
        texts = sqlglot.transpile(sql, read=read, write=write, unsupported_level=ErrorLevel.RAISE)
    except SqlglotError as error:
        raise QueryError(
            f"This is no {read} SQL that {write} can run: {error}.", "syntax"
        ) from error
    statements = [statement for statement in texts if statement]
    if len(statements) != 1:
        raise QueryError(f"{len(statements)} statements were sent; send one.", "syntax")
    return statements[0]
