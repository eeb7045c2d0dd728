"""The tools of ClinSQL, and what a trial submitted by them."""

from asyncio import to_thread
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from pydantic import Field

from wardround.benchmarks.kit.agent_texts import as_json, result_json
from wardround.core.errors import ToolError
from wardround.core.tools import Tool, is_error, tool
from wardround.core.trajectory import Called, Returned, Trajectory
from wardround.ehr.database import Database, ResultTable
from wardround.ehr.values import substring_search

SUBMIT = "submit_sql"
Rows = Annotated[int, Field(ge=1, le=200)]


def submit_tool() -> Tool:
    """The tool that every regime has; the environment carries it out."""

    def submit_sql(query: str) -> str:
        """Answers the question with the result of one BigQuery query.

        Args:
            query: a single SELECT statement in BigQuery's dialect.
        """
        # The environment runs queries, so only an empty one comes here.
        raise ToolError("The query is empty.")

    return tool(submit_sql, role="answer_with_query")


def looking_tools(
    database: Database, seconds: float, ran: Callable[[str, ResultTable], None]
) -> list[Tool]:
    """The tools to look around with.

    Args:
        database: the database.
        seconds: the time limit of a statement.
        ran: called with each query that gave a result.
    """

    def list_tables() -> str:
        """Returns the names of all tables."""
        return as_json(database.tables())

    def describe_table(table: str) -> str:
        """Returns a table's columns and types as CREATE TABLE text.

        Args:
            table: the table's name.
        """
        return database.definition(table)

    async def find_values(table: str, column: str, text: str, k: Rows = 50) -> str:
        """Returns stored values of a column that contain a text, in any case, as a JSON array.

        Args:
            table: the table's name.
            column: the column's name.
            text: what the values contain.
            k: how many values at most.
        """
        return as_json(await to_thread(substring_search, database, table, column, text, k))

    async def run_sql(query: str, k: Rows = 50) -> str:
        """Runs one BigQuery query, read only, and returns its columns and up to k rows as JSON.

        Args:
            query: a single SELECT statement in BigQuery's dialect.
            k: how many rows at most.
        """
        result = await to_thread(partial(database.execute, query, rows=k, seconds=seconds))
        ran(query, result)
        return result_json(result)

    return [
        tool(list_tables, role="list_tables"),
        tool(describe_table, role="show_table"),
        tool(find_values, role="find_values"),
        tool(run_sql, role="run_query"),
    ]


@dataclass(frozen=True, slots=True)
class Attempt:
    """A submitted query and the engine's error; "" if it ran, without rows as well."""

    sql: str
    error: str = ""

    @property
    def succeeded(self) -> bool:
        """True if the query ran."""
        return not self.error


def attempts(trajectory: Trajectory) -> list[Attempt]:
    """The submissions that were carried out, in order; the last one is graded.

    >>> events = [Called("submit_sql", {"query": "SELEC"}), Returned("submit_sql", "Error: no.")]
    >>> attempts(Trajectory(events))
    [Attempt(sql='SELEC', error='Error: no.')]
    """
    listed: list[Attempt] = []
    query = ""
    for event in trajectory.events:
        if isinstance(event, Called) and event.tool == SUBMIT:
            query = str(event.arguments.get("query", ""))
        elif isinstance(event, Returned) and event.tool == SUBMIT and query.strip():
            listed.append(Attempt(query, event.text if is_error(event.text) else ""))
    return listed


def final_sql(trajectory: Trajectory) -> str:
    """The query that is graded; "" if none was submitted."""
    return next((attempt.sql for attempt in reversed(attempts(trajectory))), "")
