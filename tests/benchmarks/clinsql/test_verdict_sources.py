"""Who decides leaves: programs, the judge, or both."""

import asyncio
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.clinsql.item_samples import GOLD, LEAVES, SQL_RUBRIC, leaf, write_item
from wardround.benchmarks.clinsql.benchmark import CohortBenchmark
from wardround.benchmarks.clinsql.declaration import CohortOptions
from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.benchmarks.clinsql.items.item_folders import ItemFolder
from wardround.benchmarks.clinsql.judge import GradingModels
from wardround.benchmarks.clinsql.rubric_judge import Judge
from wardround.benchmarks.clinsql.tasks import read_item
from wardround.core.benchmark import JudgeContext
from wardround.core.declaration import Opening
from wardround.core.limits import Limits
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Called, Returned, Trajectory
from wardround.core.verdict import Verdict
from wardround.ehr.database import Database
from wardround.models.client import scripted
from wardround.models.messages import Message, Reply
from wardround.models.roles import UnusedModels

SUBMITTED = Trajectory([Called("submit_sql", {"query": GOLD}), Returned("submit_sql", "It ran.")])
PROGRAMS = set(LEAVES) - {"sql:age"}


def task_with_an_open_leaf(folder: Path) -> ClinTask:
    """An item of which one leaf asks for what no program decides."""
    rubric = deepcopy(SQL_RUBRIC)
    # An equal cohort passes the leaves of the cohort's own section that have no check.
    rubric["sub_tasks"][0] |= {"id": "clinical-analytics", "requirements": "Clinical Analytics"}
    rubric["sub_tasks"][0]["sub_tasks"][1] = leaf("age", "The query is easy to follow.")
    path = write_item(folder, sql_rubric=rubric)
    return read_item(ItemFolder(path, "Vital_Signs_Monitoring", "easy", "001"))[0]


def verdicts(records: Database, folder: Path, source: Any) -> list[Verdict]:
    def reply(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        return Reply("Score: 1\nExplanation: Yes.")

    limits = Limits(actions=24, seconds=60.0, statement_seconds=10.0)
    options = CohortOptions(verdicts=source, no_cohort_hospitals=True)
    opening = Opening(options, {}, limits, UnusedModels())
    models = GradingModels(None if source == "program" else Judge(scripted(reply)))
    benchmark = CohortBenchmark(records, models, opening)

    task = task_with_an_open_leaf(folder)

    async def run() -> list[Verdict]:
        return [v async for v in benchmark.judge(task, SUBMITTED, JudgeContext())]

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("source", "programs", "judged"),
    [
        ("program", PROGRAMS, set()),
        ("judge", set(), set(LEAVES)),
        ("both", PROGRAMS, set(LEAVES) - PROGRAMS),
        (None, PROGRAMS, set(LEAVES) - PROGRAMS),
    ],
)
def test_the_judge_is_asked_about_leaves_that_no_program_decides(
    records: Database, tmp_path: Path, source: Any, programs: set[str], judged: set[str]
) -> None:
    found = [v for v in verdicts(records, tmp_path, source) if v.state != "undecided"]
    assert {v.item for v in found if v.source == "program:checks"} == programs
    assert {v.item for v in found if v.source == "model:judge"} == judged
