"""The six tools of EHR-ChatQA (paper, A.2, Table 4), with its defaults and limits."""

from asyncio import to_thread
from collections.abc import Callable
from functools import partial
from typing import Annotated

from pydantic import Field

from wardround.benchmarks.kit.tool_results import as_json, result_json
from wardround.core.tools import Tool, tool
from wardround.ehr.database import Database, QueryError, ResultTable
from wardround.ehr.terms.drugs import also_known_as
from wardround.ehr.terms.reference import SearchProvider
from wardround.ehr.values import ValueIndexes, similarity_search, substring_search

Count = Annotated[int, Field(ge=1, le=1000)]


def chat_tools(database: Database, indexes: ValueIndexes, web: SearchProvider) -> list[Tool]:
    """The tools over one database that all trials share; each result is JSON text unless said.

    Args:
        database: what is asked.
        indexes: the database's similarity indexes.
        web: where `web_search` looks.
    """

    def table_search() -> str:
        """Lists all tables of the database, as a JSON array of names."""
        return as_json(database.tables())

    def column_search(table: str) -> str:
        """Shows a table's definition and three of its rows, as text.

        Args:
            table: the table's name, as table_search gives it.
        """
        sample = database.sample(table, rows=3)
        head = f"{len(sample.rows)} rows of {table}:"
        rows = [as_json(row) for row in (sample.columns, *sample.rows)]
        return "\n".join([database.definition(table), head, *rows])

    async def value_substring_search(table: str, column: str, value: str, k: Count = 100) -> str:
        """Finds stored values that contain a text, letter case aside, as a JSON array.

        Args:
            table: the table's name.
            column: the column's name.
            value: the text that a stored value must contain.
            k: how many values at most.
        """
        return as_json(await to_thread(substring_search, database, table, column, value, k))

    async def value_similarity_search(table: str, column: str, value: str, k: Count = 100) -> str:
        """Finds stored values of similar meaning, other drug names included, best first.

        The result is a JSON array; it is empty when nothing stored comes near.

        Args:
            table: the table's name.
            column: the name of a column that holds text.
            value: what is meant, in any words.
            k: how many values at most.
        """
        search = partial(similarity_search, indexes, table, column, value, k, expand=also_known_as)
        return as_json([match.value for match in await to_thread(search)])

    async def web_search(keyword: str) -> str:
        """Looks up clinical knowledge that is not in the database: drugs, classes, conditions.

        Args:
            keyword: a few words to look up.
        """
        articles = await to_thread(web.search, keyword)
        found = [f"{a.title}\n{a.text}\nSource: {a.source}" for a in articles]
        return "\n\n".join(found) or f"Nothing was found on {keyword!r}."

    return [
        tool(table_search),
        tool(column_search),
        tool(value_substring_search),
        tool(value_similarity_search),
        tool(web_search),
    ]


def sql_tool(
    database: Database, statement_seconds: float, ran: Callable[[str, ResultTable | None], None]
) -> Tool:
    """The tool that runs a query of one trial, read only.

    Args:
        database: what is asked.
        statement_seconds: how long a statement may take.
        ran: called with each query and its result, or None where it gave none.
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
            ran(query, None)
            raise
        ran(query, result)
        return result_json(result)

    return tool(sql_execute)
