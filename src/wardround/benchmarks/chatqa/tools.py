"""The six tools of EHR-ChatQA, with its defaults and limits (Lee et al. 2025, A.2, Table 4)."""

from asyncio import to_thread
from collections.abc import Callable
from functools import partial
from typing import Annotated

from pydantic import Field

from wardround.benchmarks.kit.agent_texts import as_json, result_json
from wardround.benchmarks.kit.caches import BoundedCache
from wardround.core.tools import Tool, tool
from wardround.ehr.database import Database, QueryError, ResultTable
from wardround.ehr.terms.drugs import also_known_as
from wardround.ehr.terms.reference import SearchProvider
from wardround.ehr.values import ValueIndexes, similarity_search, substring_search

_MOST_ANSWERS, _LONGEST_ANSWER = 2_000, 20_000

Count = Annotated[int, Field(ge=1, le=1000)]


def chat_tools(database: Database, indexes: ValueIndexes, web: SearchProvider) -> list[Tool]:
    """Makes the tools of a database that all trials share.

    Results are cached: the database is read only, so a call gives the same result in every trial.

    Args:
        database: the database, read only.
        indexes: the database's similarity indexes.
        web: the source of `web_search`.
    """
    answers = _Answers()

    def table_search() -> str:
        """Lists all tables of the database, as a JSON array of names."""
        return answers.of(("tables",), lambda: as_json(database.tables()))

    def column_search(table: str) -> str:
        """Shows a table's definition and three of its rows, as text.

        Args:
            table: the table's name, as table_search gives it.
        """
        return answers.of(("columns", table), lambda: _definition_and_sample(database, table))

    async def value_substring_search(table: str, column: str, value: str, k: Count = 100) -> str:
        """Finds stored values that contain a text, letter case aside, as a JSON array.

        Args:
            table: the table's name.
            column: the column's name.
            value: the text that a stored value must contain.
            k: how many values at most.
        """
        arguments = (table, column, value, k)
        search = partial(substring_search, database, *arguments)
        return await answers.cached_on_thread(("substring", *arguments), lambda: as_json(search()))

    async def value_similarity_search(table: str, column: str, value: str, k: Count = 100) -> str:
        """Finds stored values of similar meaning, other drug names included, best first.

        The result is a JSON array; it is empty when nothing stored comes near.

        Args:
            table: the table's name.
            column: the name of a column that holds text.
            value: what is meant, in any words.
            k: how many values at most.
        """
        arguments = (table, column, value, k)
        search = partial(similarity_search, indexes, *arguments, expand=also_known_as)
        return await answers.cached_on_thread(
            ("similar", *arguments), lambda: as_json([match.value for match in search()])
        )

    async def web_search(keyword: str) -> str:
        """Looks up clinical knowledge that is not in the database: drugs, classes, conditions.

        Args:
            keyword: a few words to look up.
        """
        articles = await to_thread(web.search, keyword)
        entries = [f"{a.title}\n{a.text}\nSource: {a.source}" for a in articles]
        return "\n\n".join(entries) or f"Nothing was found on {keyword!r}."

    return [
        tool(table_search, role="list_tables"),
        tool(column_search, role="show_table"),
        tool(value_substring_search, role="find_values"),
        tool(value_similarity_search, role="find_similar_values"),
        tool(web_search, role="search_web"),
    ]


def sql_tool(
    database: Database,
    statement_seconds: float,
    on_result: Callable[[str, ResultTable | None], None],
) -> Tool:
    """Makes the SQL tool of one trial.

    Args:
        database: the database, read only.
        statement_seconds: the time limit of a statement.
        on_result: called with each query and its result, None if the query failed.
    """

    async def sql_execute(query: str, k: Count = 100) -> str:
        """Runs one SQL query, read only, and returns its columns and up to k rows as JSON.

        Args:
            query: a single SELECT statement.
            k: how many rows at most.
        """
        run = partial(database.execute, query, rows=k, seconds=statement_seconds)
        try:
            result = await to_thread(run)
        except QueryError:
            on_result(query, None)
            raise
        on_result(query, result)
        return result_json(result)

    return tool(sql_execute, role="run_query")


class _Answers:
    """Cache of results by tool and arguments; errors and very long results are not stored."""

    def __init__(self) -> None:
        self._cache = BoundedCache[tuple[str | int, ...], str](_MOST_ANSWERS)

    def of(self, call: tuple[str | int, ...], find: Callable[[], str]) -> str:
        """Returns the result of a call, computed at most once while it is cached."""
        cached = self._cache.get(call)
        if cached is not None:
            return cached
        answer = find()
        if len(answer) <= _LONGEST_ANSWER:
            self._cache.add(call, answer)
        return answer

    async def cached_on_thread(self, call: tuple[str | int, ...], find: Callable[[], str]) -> str:
        """Like `of`, but computes the result on a thread."""
        cached = self._cache.get(call)
        return await to_thread(self.of, call, find) if cached is None else cached


def _definition_and_sample(database: Database, table: str) -> str:
    sample = database.sample(table, rows=3)
    head = f"{len(sample.rows)} rows of {table}:"
    rows = [as_json(row) for row in (sample.columns, *sample.rows)]
    return "\n".join([database.definition(table), head, *rows])
