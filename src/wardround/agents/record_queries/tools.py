"""The tools of a language model that is asked: find names, try a query, submit one, or abstain."""

from asyncio import to_thread
from functools import partial
from typing import Annotated

import orjson
from pydantic import Field

from wardround.agents.parser.grammar.grammar import Grammar
from wardround.agents.record_queries.kind_tables import read_query, runnable, table_names
from wardround.core.errors import ToolError
from wardround.core.tools import Tool, tool
from wardround.ehr.database import Database, ResultTable
from wardround.ehr.query import Condition, Words, link_condition
from wardround.ehr.records import Views
from wardround.ehr.times import substitute_words

SUBMIT, ABSTAIN = "submit_sql", "abstain"
_NAMES = 50
_ROWS = 20

Count = Annotated[int, Field(ge=1, le=200)]


def record_tools(
    database: Database, views: Views, grammar: Grammar, words: dict[str, str], seconds: float
) -> list[Tool]:
    """The tools of a database's records.

    Args:
        database: The database, read only.
        views: Its kinds of record.
        grammar: Finds recorded names.
        words: SQL for the words that queries leave open.
        seconds: The time limit of a statement.
    """

    async def result_of(query: str, rows: int) -> ResultTable:
        sql = substitute_words(runnable(read_query(query, views), views), words)
        return await to_thread(partial(database.execute, sql, rows=rows, seconds=seconds))

    def find_names(kind: str, text: str) -> str:
        """Lists how the records write the name of a drug, diagnosis, procedure or test.

        Args:
            kind: the table, such as drug.
            text: what it is called.
        """
        if kind not in table_names(views):
            raise ToolError(f"There is no table {kind}; the tables are {table_names(views)}.")
        found = _names(kind, text, grammar)
        return orjson.dumps({"names": found[:_NAMES], "number": len(found)}).decode()

    async def run_sql(query: str, k: Count = _ROWS) -> str:
        """Runs one SELECT statement over the tables and returns its columns and up to k rows.

        Args:
            query: a single SELECT statement.
            k: how many rows at most.
        """
        result = await result_of(query, k)
        found = {"columns": result.columns, "rows": result.rows, "truncated": result.truncated}
        return orjson.dumps(found, default=str).decode()

    async def submit_sql(query: str) -> str:
        """Answers the question with the result of one SELECT statement; this ends the task.

        Args:
            query: a single SELECT statement.
        """
        await result_of(query, 1)
        return "Submitted."

    def abstain(reason: str = "") -> str:
        """Says that the records cannot answer the question; this ends the task.

        Args:
            reason: why, in a few words.
        """
        return "Abstained."

    return [tool(find_names), tool(run_sql), tool(submit_sql), tool(abstain)]


def _names(kind: str, text: str, grammar: Grammar) -> list[str]:
    """The recorded texts of a kind that words are linked to, in any column of names."""
    roles = [role for role in grammar.texts if role.kind == kind]
    named = Condition(kind, tuple((role, Words(text)) for role in roles))
    linked = link_condition(named, grammar.link).values
    texts = (each for _, value in linked if isinstance(value, tuple) for each in value)
    return list(dict.fromkeys(texts))
