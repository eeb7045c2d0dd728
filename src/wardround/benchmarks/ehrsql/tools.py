"""The tools of EHRSQL: try a query, submit one, or abstain."""

from asyncio import to_thread
from collections.abc import Callable
from functools import partial
from typing import Annotated

from pydantic import Field

from wardround.benchmarks.ehrsql.preprocessing import runnable
from wardround.benchmarks.kit.agent_texts import result_json
from wardround.core.tools import Tool, tool
from wardround.ehr.database import Database, ResultTable

Count = Annotated[int, Field(ge=1, le=1000)]
Confidence = Annotated[float | None, Field(ge=0, le=1)]

SUBMIT, ABSTAIN = "submit_sql", "abstain"


def ehrsql_tools(
    database: Database,
    now: str,
    statement_seconds: float,
    on_result: Callable[[str, ResultTable], None] = lambda sql, result: None,
) -> list[Tool]:
    """Makes the tools of a database.

    Args:
        database: the database, read only.
        now: the value of `current_time` in queries.
        statement_seconds: the time limit of a statement.
        on_result: called with each successful query, as run, and its result.
    """

    async def run_sql(query: str, k: Count = 100) -> str:
        """Runs one SQL query, read only, and returns its columns and up to k rows as JSON.

        Args:
            query: a single SELECT statement.
            k: how many rows at most.
        """
        sql = runnable(query, now)
        result = await to_thread(partial(database.execute, sql, rows=k, seconds=statement_seconds))
        on_result(sql, result)
        return result_json(result)

    def submit_sql(query: str, confidence: Confidence = None) -> str:
        """Answers the question with the result of one SQL query; this ends the task.

        Args:
            query: a single SELECT statement.
            confidence: how sure you are that its result is the right answer, from 0 to 1.
        """
        return "Submitted."

    def abstain(reason: str = "", confidence: Confidence = None) -> str:
        """Says that the records cannot answer the question; this ends the task.

        Args:
            reason: why, in a few words.
            confidence: how sure you are that there is no answer, from 0 to 1.
        """
        return "Abstained."

    return [
        tool(run_sql, role="run_query"),
        tool(submit_sql, role="answer_with_query"),
        tool(abstain, role="abstain"),
    ]
