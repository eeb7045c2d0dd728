import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from wardround.benchmarks.clinsql.environment import CohortEnvironment
from wardround.benchmarks.clinsql.execution import Executions
from wardround.benchmarks.clinsql.tools import attempts, looking_tools, submit_tool
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox
from wardround.core.trajectory import Trajectory
from wardround.ehr.database import Database, QueryError, ResultTable


class Records(Database):
    """Answers from a table of queries."""

    def __init__(self, answers: Mapping[str, list[tuple[Any, ...]]]) -> None:
        self._answers = answers

    def execute(self, sql: str, **limits: Any) -> ResultTable:
        if sql not in self._answers:
            raise QueryError("Unrecognized name.", "syntax")
        return ResultTable(("n",), self._answers[sql], False)

    def tables(self) -> list[str]:
        return ["patients"]


MANY = [(n,) for n in range(1234)]
RECORDS = Records({"SELECT 1": [(1,)], "SELECT none": [], "SELECT many": MANY})


def played(*actions: Action, tools: bool = False, **settings: Any) -> list[Observation]:
    executions = Executions(RECORDS, 1.0)
    looking = looking_tools(RECORDS, 1.0, executions.remember) if tools else []
    box = Toolbox([*looking, submit_tool()])

    async def run() -> list[Observation]:
        briefing = Briefing("", box.specs)
        environment = CohortEnvironment(briefing, "How many?", box, executions, **settings)
        seen = [await environment.start()]
        for action in actions:
            assert not seen[-1].done
            seen.append(await environment.step(action))
        return seen

    return asyncio.run(run())


def submit(query: str) -> Call:
    return Call("submit_sql", {"query": query})


def test_a_query_that_runs_ends_the_trial() -> None:
    assert played(submit("SELECT 1"))[-1].done


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("SELECT none", "The query ran and gave no row."),
        ("SELECT 1", "The query ran and gave 1 row."),
        ("SELECT many", "The query ran and gave 1,234 rows."),
        ("SELEC", "Error: Unrecognized name."),
    ],
)
def test_the_agent_reads_how_its_query_ended(query: str, text: str) -> None:
    assert played(submit(query))[-1].text == text


def test_a_query_that_fails_is_mended_twice_and_not_again() -> None:
    seen = played(*[submit("SELEC")] * 3)
    assert [observation.done for observation in seen] == [False, False, False, True]
    assert seen[1].text == "Error: Unrecognized name."


def test_a_query_without_rows_is_final_unless_it_may_be_mended() -> None:
    assert played(submit("SELECT none"))[-1].done
    assert not played(submit("SELECT none"), refine_empty=True)[-1].done


def test_writing_no_query_gives_up() -> None:
    assert played(Say("I cannot."))[-1].done


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": 3}])
def test_a_malformed_submission_is_no_attempt(arguments: dict[str, Any]) -> None:
    seen = played(Call("submit_sql", arguments))
    assert not seen[-1].done
    assert seen[-1].text.startswith("Error")


def test_20_looks_are_allowed_and_then_one_submission() -> None:
    look = Call("list_tables", {})
    seen = played(*[look] * 21, submit("SELEC"), tools=True, refinements=0)
    assert seen[20].text == '["patients"]'
    assert seen[21].text == "Error: All 20 calls are used; call submit_sql."
    assert seen[22].done


def test_attempts_are_read_back_from_the_trajectory() -> None:
    trajectory = Trajectory()
    actions = [submit("SELEC"), submit("SELECT 1")]
    for action, seen in zip(actions, played(*actions)[1:], strict=True):
        trajectory.acted(action)
        trajectory.observed(seen, after=action)
    assert [(a.sql, a.succeeded) for a in attempts(trajectory)] == [
        ("SELEC", False),
        ("SELECT 1", True),
    ]
