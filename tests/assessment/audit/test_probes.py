"""Agents of an audit that need more than words: one empties what a grader reads."""

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from wardround.assessment.audit.probes import probes
from wardround.core.actions import Action, Call, Observation
from wardround.core.benchmark import AgentContext
from wardround.core.task import Briefing, Task
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Ledger

_SQL = {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]}
RUN = ToolSpec("execute", "Runs SQL.", _SQL, role="run_query")
SUBMIT = ToolSpec("submit", "Ends with SQL.", _SQL, role="submit_query")
GOLDS = ("SELECT value FROM labs AS l", "SELECT name FROM patients p JOIN labs USING (id)")


class Submitting:
    """Submits a query."""

    def __init__(self, sql: str) -> None:
        self._sql = sql

    async def act(self, observation: Observation) -> Action:
        return SUBMIT.call(self._sql)


class Oracles:
    """A benchmark of which only the oracle is asked."""

    def oracle(self, task: Task[Any, Any]) -> Any:
        return lambda briefing, context: Submitting(task.hidden)


@pytest.mark.parametrize(
    ("name", "is_fooled"),
    [
        ("gives the gold of another task", False),
        ("empties the tables that it can, then gives the gold of another task", True),
    ],
)
async def test_a_grader_that_reads_what_the_agent_wrote_is_fooled(
    name: str, is_fooled: bool
) -> None:
    [probe] = [each for each in probes() if each.name == name]
    tasks = [Task(str(number), None, sql) for number, sql in enumerate(GOLDS)]
    make = probe.make(Oracles(), tasks[0], tasks)  # type: ignore[arg-type]
    assert make is not None
    agent = make(Briefing("", (RUN, SUBMIT), {"dialect": "sqlite"}), AgentContext(0, Ledger()))
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(
            "CREATE TABLE labs (id, value); INSERT INTO labs VALUES (1, 7);"
            "CREATE TABLE patients (id, name); INSERT INTO patients VALUES (1, 'Ann')"
        )
        action = await agent.act(Observation("", "user"))
        while isinstance(action, Call) and action.tool == RUN.name:
            database.execute(action.arguments["sql"])
            action = await agent.act(Observation("", RUN.name))
        assert isinstance(action, Call)
        submitted = database.execute(action.arguments["sql"]).fetchall()
        # A sound grader runs the gold on a copy that the agent never had.
        assert (submitted == database.execute(GOLDS[0]).fetchall()) is is_fooled
