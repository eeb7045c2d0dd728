"""Leaves compiled by a scripted reader, stored beside their item."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.benchmarks.clinsql.item_samples import RESULTS_RUBRIC, item, leaf, write_item
from wardround.authoring.clinsql.check_coverage import ANSWER_TOKENS, check, read_task
from wardround.authoring.clinsql.declaration import CheckOptions
from wardround.benchmarks.clinsql.checks.compiler import task_checks
from wardround.benchmarks.clinsql.items.checks import Age, Column, InRange, Tables
from wardround.benchmarks.clinsql.items.compiled_checks import READINGS
from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.benchmarks.clinsql.tasks import load_tasks
from wardround.core.tools import ToolSpec
from wardround.core.work import WorkContext, WorkResult
from wardround.models.client import LanguageModel, scripted
from wardround.models.exchange import Answer, Request
from wardround.models.messages import Message, Reply
from wardround.models.model import ModelSettings

OPEN = "Nobody outside the sixth decade and its neighbours (55 to 65) slips into the group."
OPEN_RESULT = "Nobody would call 10 stays for such people odd, nor 4.5 days."
RUBRIC = {
    "id": "sql-query-evaluation-root",
    "requirements": "SQL",
    "sub_tasks": [leaf("sex", "Only women are kept (gender is 'F')."), leaf("odd", OPEN)],
}
RESULTS = {
    **RESULTS_RUBRIC,
    "sub_tasks": [*RESULTS_RUBRIC["sub_tasks"], leaf("odd", OPEN_RESULT)],
}
AGE = {"kind": "age", "low": 55, "high": 65}


def reader(*checks: Any) -> tuple[LanguageModel, list[str]]:
    """A reader that gives the same checks for every leaf, and the prompts that it gets."""
    prompts: list[str] = []

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        prompts.append(messages[-1].text)
        return Reply(orjson.dumps({"checks": checks}).decode())

    return scripted(answer), prompts


def read(task: ClinTask, *checks: Any) -> dict[str, Any]:
    model = reader(*checks)[0].bind("reader", lambda requested: None, seed=0)
    return {key: (r.check, r.problem) for key, r in asyncio.run(read_task(model, task)).items()}


class Models:
    """The models of the work: a reader."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model

    def open(self, role: str) -> LanguageModel:
        return self.model

    def find(self, role: str) -> LanguageModel:
        return self.model

    async def close(self) -> None:
        pass


def compiled(folder: Path, model: LanguageModel, to: Path | None = None) -> WorkResult:
    return check(CheckOptions(tasks=folder, to=to), WorkContext(Models(model)))


def test_open_leaves_alone_are_asked_about_and_stored_for_review(tmp_path: Path) -> None:
    folder = write_item(tmp_path / "items", sql_rubric=RUBRIC)
    model, prompts = reader(AGE)
    compiled(tmp_path / "items", model, tmp_path / "all.json")
    assert len(prompts) == 1
    assert OPEN in prompts[0]
    stored = {"requirement": OPEN, "by": "scripted", "check": AGE}
    assert orjson.loads((folder / READINGS).read_bytes()) == {"sql:odd": stored}
    [task] = load_tasks(tmp_path / "items").tasks
    assert task_checks(task)["sql:odd"] == Age(low=55, high=65)
    [content] = orjson.loads((tmp_path / "all.json").read_bytes()).values()
    assert content["sql:odd"] == stored


def test_answers_of_a_reader_are_limited(tmp_path: Path) -> None:
    limits: list[int | None] = []

    async def source(request: Request) -> Answer:
        limits.append(request.max_tokens)
        return Answer(Reply('{"checks": []}'))

    write_item(tmp_path, sql_rubric=RUBRIC)
    compiled(tmp_path, LanguageModel(ModelSettings(name="m"), source))
    assert limits == [ANSWER_TOKENS]


def test_a_stored_check_is_reused(tmp_path: Path) -> None:
    write_item(tmp_path, sql_rubric=RUBRIC)
    compiled(tmp_path, reader(AGE)[0])
    model, prompts = reader({"kind": "tables", "names": ["patients"]})
    found = compiled(tmp_path, model)
    assert prompts == []
    rows = [row[:3] for row in found.summary.tables["coverage"].rows]
    assert ("sql", "age (by a model)", 1) in rows


def test_a_check_of_another_sentence_is_a_known_defect_and_not_used(tmp_path: Path) -> None:
    write_item(tmp_path, sql_rubric=RUBRIC)
    compiled(tmp_path, reader(AGE)[0])
    other = {**RUBRIC, "sub_tasks": [leaf("odd", "It is done well.")]}
    write_item(tmp_path, sql_rubric=other)
    suite = load_tasks(tmp_path)
    assert "sql:odd" not in task_checks(suite.tasks[0])
    assert "another sentence, which is not used" in suite.known[0].reason


@pytest.mark.parametrize("content", [b"{}x", b"[]", b'{"sql:odd": {"by": "m"}}'])
def test_stored_checks_of_another_form_are_a_defect_of_the_item(
    tmp_path: Path, content: bytes
) -> None:
    write_item(tmp_path, "Vital_Signs_Monitoring/easy/002")
    (write_item(tmp_path) / READINGS).write_bytes(content)
    suite = load_tasks(tmp_path)
    assert [task.id for task in suite.tasks] == ["Vital_Signs_Monitoring/easy/002"]
    assert READINGS in suite.defects[0].reason


@pytest.mark.parametrize(
    ("checks", "problem"),
    [
        ([], "no kind of check fits"),
        ([{"kind": "cohort"}], "not a comparison of cohorts"),
        ([{"kind": "tables", "names": ["patient"]}], "no table patient"),
        ([{"kind": "join", "tables": ["patients"], "keys": ["person"]}], "no column person"),
        ([{"kind": "age", "low": 50, "high": 65}], "no number 50"),
        ([AGE, {"kind": "window", "hours": 48}], "no hours 48"),
        ([{"kind": "codes", "patterns": ["I21%"]}], "no text i21%"),
        ([{"kind": "measure", "statistic": "mode"}], "no statistic mode"),
    ],
)
def test_parts_that_stand_nowhere_are_refused(
    tmp_path: Path, checks: list[Any], problem: str
) -> None:
    found = read(item(tmp_path, sql_rubric=RUBRIC), *checks)
    assert found["sql:odd"][0] is None
    assert problem in found["sql:odd"][1]


@pytest.mark.parametrize(
    ("column", "problem"),
    [
        ({"names": ["stays"]}, "no result column stays"),
        ({"position": 2}, "no place 2"),
        ({"names": ["mean_los_days"]}, "the gold fails it"),
        ({"names": ["admissions"]}, ""),
    ],
)
def test_a_results_check_needs_a_column_of_the_gold_that_meets_it(
    tmp_path: Path, column: Any, problem: str
) -> None:
    bounds = {"kind": "in_range", "column": column, "low": 10, "high": 10}
    found = read(item(tmp_path, results_rubric=RESULTS), bounds)["results:odd"]
    assert problem in found[1]
    assert (found[0] is None) == bool(problem)


def test_several_checks_are_one_and_other_forms_leave_the_leaf_open(tmp_path: Path) -> None:
    task = item(tmp_path, sql_rubric=RUBRIC)
    both = read(task, AGE, {"kind": "tables", "names": ["patients"]})["sql:odd"][0]
    assert both.checks == (Age(low=55, high=65), Tables(names=("patients",)))
    bounds = InRange(column=Column(names=("n",)), low=1)
    check, problem = read(task, bounds.model_dump())["sql:odd"]
    assert check is None
    assert "gave no QueryReading" in problem
