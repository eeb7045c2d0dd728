"""Searches that try queries before they answer: on a database, or through an agent's tools."""

from collections.abc import Generator, Mapping
from typing import TypeAlias, TypeVar, cast

import orjson

from wardround.core.errors import AgentError
from wardround.ehr.database import Cell, Database, QueryError, was_cut_off
from wardround.ehr.times import substitute_words

# As many rows as the environments' tools return unless asked for more.
ROWS = 100
_SECONDS = 5.0

T = TypeVar("T")
Rows: TypeAlias = tuple[tuple[Cell, ...], ...]

# Yields each query to try and is sent its rows, or None if it failed or was not run.
Search: TypeAlias = Generator[str, Rows | None, T]


def advance(search: Search[T], rows: Rows | None = None) -> str | T:
    """Send the rows of the last query; return the next query to try, or the search's result."""
    try:
        return search.send(rows)
    except StopIteration as finished:
        return cast("T", finished.value)


def run_search(search: Search[T], database: Database, words: Mapping[str, str]) -> T:
    """Run a search with a database at hand.

    Args:
        search: One that has not begun.
        database: What its queries run on.
        words: SQL for the words that queries leave open.
    """
    rows = None
    while True:
        try:
            query = search.send(rows)
        except StopIteration as finished:
            return cast("T", finished.value)
        rows = query_rows(query, database, words)


def without_repeats(search: Search[T]) -> Search[T]:
    """Wrap a search so that each distinct query is tried only once."""
    results: dict[str, Rows | None] = {}
    rows = None
    while True:
        try:
            query = search.send(rows)
        except StopIteration as finished:
            return cast("T", finished.value)
        if query not in results:
            results[query] = yield query
        rows = results[query]


def query_rows(sql: str, database: Database, words: Mapping[str, str]) -> Rows | None:
    """The first rows of a query's result, or None if it fails.

    Raises:
        QueryError: It was cut off, which is no evidence about the records.
    """
    try:
        return tuple(
            database.execute(substitute_words(sql, words), rows=ROWS, seconds=_SECONDS).rows
        )
    except QueryError as error:
        if was_cut_off(str(error)):
            raise
        return None


def tool_rows(text: str) -> Rows | None:
    """The rows in the JSON that a query tool returned, or None if it returned an error.

    >>> tool_rows('{"columns": ["n"], "rows": [[3], [null]]}')
    ((3,), (None,))
    >>> tool_rows("Error: no such table: beds")

    Raises:
        AgentError: The query was cut off, which says nothing of the records.
    """
    try:
        return tuple(map(tuple, orjson.loads(text)["rows"]))
    except orjson.JSONDecodeError:
        if was_cut_off(text):
            raise AgentError(f"The records could not be asked: {text}") from None
        return None
