"""The tools of BIRD-Interact (Huo et al. 2025, Table 9)."""

from asyncio import to_thread
from functools import partial
from typing import Any

from wardround.benchmarks.interact.open_databases import OpenDatabase
from wardround.benchmarks.interact.prices import PRICES
from wardround.benchmarks.interact.trial_state import TrialState
from wardround.benchmarks.kit.agent_texts import as_json, result_json
from wardround.core.errors import ToolError
from wardround.core.tools import Tool, tool
from wardround.ehr.knowledge import all_knowledge, knowledge_named, knowledge_names

_ROWS = 100


def ask(question: str) -> str:
    """Asks the user one question about what they want.

    Args:
        question: the question, in plain words.
    """
    return question


def submit(sql: str) -> str:
    """Submits SQL for the user's request; the user tells whether it does what was asked.

    Args:
        sql: one statement, or several one after the other.
    """
    return sql


def submit_tool() -> Tool:
    """Makes `submit`, the only tool of the conversation."""
    return tool(submit, price=PRICES["submit"], role="submit_query")


def action_tools(state: TrialState, opened: OpenDatabase) -> list[Tool]:
    """Makes the nine tools of a trial.

    Args:
        state: the trial's state, with its database.
        opened: the schema at the start, column meanings, and the unmasked knowledge.
    """

    async def execute(sql: str) -> str:
        """Runs SQL on the database and returns its last statement's columns and rows as JSON.

        Args:
            sql: one statement or several, which may write.
        """
        return result_json(await to_thread(state.execute, sql, _ROWS))

    def get_schema() -> str:
        """Returns the tables of the database with their columns and keys."""
        return opened.schema

    def get_all_column_meanings() -> str:
        """Returns what every column of the database holds."""
        return as_json(opened.meanings.all())

    def get_column_meaning(table: str, column: str) -> str:
        """Returns what one column holds.

        Args:
            table: the table's name.
            column: the column's name.
        """
        meaning = opened.meanings.of(table, column)
        if meaning is None:
            raise ToolError(f"There is no meaning on record for {table}.{column}.")
        return meaning

    def get_all_external_knowledge_names() -> str:
        """Returns the names of what the knowledge base defines."""
        return as_json(knowledge_names(opened.knowledge))

    def get_knowledge_definition(knowledge: str) -> str:
        """Returns what the knowledge base says of one name.

        Args:
            knowledge: the name.
        """
        return as_json(knowledge_named(opened.knowledge, knowledge))

    def get_all_knowledge_definitions() -> str:
        """Returns all that the knowledge base says."""
        return as_json(all_knowledge(opened.knowledge))

    reading = (
        get_schema,
        get_all_column_meanings,
        get_column_meaning,
        get_all_external_knowledge_names,
        get_knowledge_definition,
        get_all_knowledge_definitions,
        ask,
    )
    priced = [tool(function, price=PRICES[function.__name__]) for function in reading]
    return [tool(execute, price=PRICES["execute"], role="run_query"), *priced, submit_tool()]


def own_actions(opener: Any, state: TrialState) -> list[Tool]:
    """Makes the agent's own actions, in addition to the nine (J.2).

    Args:
        opener: called with a function that runs a statement on the trial's database; returns
            functions with the annotations and docstrings that tools have.
        state: the trial's state, with its database.
    """
    return [tool(function) for function in opener(partial(state.execute, rows=_ROWS))]
