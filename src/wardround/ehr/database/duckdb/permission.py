"""Decides which statements may run, by DuckDB's own parser instead of matching text."""

from collections.abc import Iterator, Set
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from wardround.ehr.database.interface import QueryError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, Statement


class _Token(NamedTuple):
    start: int
    text: str


def permitted(connection: "DuckDBPyConnection", sql: str, allowed: Set[str]) -> "Statement":
    """Parse a statement and check that it may run.

    DuckDB does not expose the statement inside an EXPLAIN, and EXPLAIN ANALYZE runs it. So the
    inner statement is parsed and checked by itself, and a fresh EXPLAIN is put in front of it:
    even if the prefix was misread here, only a checked statement runs.

    Raises:
        QueryError: If `sql` is not a single statement of an allowed type.
    """
    statement = _single(connection, sql)
    if statement.type.name != "EXPLAIN":
        _check(statement, allowed)
        return statement
    prefix, explained = _split(connection, sql)
    _check(explained, allowed)
    return _single(connection, f"{prefix} {explained.query}")


def _single(connection: "DuckDBPyConnection", sql: str) -> "Statement":
    statements = connection.extract_statements(sql)
    if len(statements) > 1:
        raise QueryError("Only one statement can be run at a time; send them apart.", "denied")
    if not statements:
        raise QueryError("This is no query: it is empty; send one SELECT.", "syntax")
    return statements[0]


def _check(statement: "Statement", allowed: Set[str]) -> None:
    kind = statement.type.name
    if kind not in allowed:
        words = "PIVOT without IN (…)" if kind == "MULTI" else kind.replace("_", " ")
        raise QueryError(f"This is not allowed here: {words}.", "denied")


def _split(connection: "DuckDBPyConnection", sql: str) -> "tuple[str, Statement]":
    """Split an EXPLAIN into its prefix, without comments, and the explained statement."""
    import duckdb

    for prefix, rest in _divisions(sql):
        try:
            return prefix, _single(connection, rest)
        except duckdb.ParserException:
            continue
    raise QueryError("This is not allowed here: EXPLAIN of no single statement.", "denied")


def _divisions(sql: str) -> Iterator[tuple[str, str]]:
    """Each candidate prefix of an EXPLAIN (words or one parenthesis), and the text after it.

    >>> [rest for _, rest in _divisions("explain /* ! */ analyze select 1")]
    ['analyze select 1', 'select 1', '1']
    """
    content, tokens = sql.encode(), _tokens(sql)
    prefix, inside = "", False
    for token, following in pairwise(tokens):
        if not (token.text in {"(", ",", ")"} or _is_word(token.text)):
            return
        prefix = f"{prefix} {token.text}".strip()
        inside = token.text == "(" or (inside and token.text != ")")
        if not inside:
            yield prefix, content[following.start :].decode()
        if not inside and token.text == ")":
            return


def _tokens(sql: str) -> list[_Token]:
    """The tokens of a statement, without comments."""
    import duckdb

    content = sql.encode()
    tokens = duckdb.tokenize(sql)
    ends = [start for start, _ in tokens[1:]] + [len(content)]
    return [
        _Token(start, content[start:end].decode().strip())
        for (start, kind), end in zip(tokens, ends, strict=True)
        if kind.name != "comment"
    ]


def _is_word(text: str) -> bool:
    return text.isascii() and text.isidentifier()
