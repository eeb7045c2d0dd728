"""A model classes failed leaves that no rule classes; its answers enter the table of errors."""

import asyncio
import json
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path

from tests.benchmarks.clinsql.item_samples import SQL_RUBRIC, item, leaf
from wardround.benchmarks.clinsql.checks.leaf_verdicts import error_classes, failed_items
from wardround.benchmarks.clinsql.failures.error_classes import COHORT, OTHER, TIME, failed_by_class
from wardround.benchmarks.clinsql.failures.error_classifier import (
    ErrorClassifier,
    classifier_prompt,
)
from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.core.benchmark import JudgeContext
from wardround.core.tools import ToolSpec
from wardround.core.verdict import Verdict
from wardround.models.client import scripted
from wardround.models.messages import Message, Reply

FAILED = [
    Verdict("query", "program:query", "passed"),
    Verdict("sql:sex", "program:checks", "failed"),
    Verdict("sql:clear", "model:judge", "failed"),
    Verdict("sql:short", "model:judge", "failed"),
    Verdict("sql:plain", "model:judge", "passed"),
]


def task_of(folder: Path) -> ClinTask:
    rubric = deepcopy(SQL_RUBRIC)
    leaves = [leaf(name, f"The query is {name}.") for name in ("clear", "short", "plain")]
    section = {"id": "interpretation", "requirements": "Interpretation", "sub_tasks": leaves}
    rubric["sub_tasks"].append(section)
    return item(folder, sql_rubric=rubric)


def classed(task: ClinTask, answer: str, known: Sequence[Verdict] = ()) -> list[Verdict]:
    async def run() -> list[Verdict]:
        def reply(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
            return Reply(answer)

        context = JudgeContext(known={verdict.key: verdict for verdict in known})
        classifier = ErrorClassifier(scripted(reply))
        return [v async for v in classifier.verdicts(task, "SELECT 1", FAILED, context)]

    return asyncio.run(run())


def answered(**kinds: str) -> str:
    return json.dumps({"errors": [{"id": id, "kind": kind} for id, kind in kinds.items()]})


def test_only_failed_leaves_without_a_rule_are_classed(tmp_path: Path) -> None:
    task = task_of(tmp_path)
    found = classed(task, answered(clear=TIME, sex=TIME))
    assert [(v.item, v.state, v.reason) for v in found] == [
        ("class:sql:clear", "passed", TIME),
        ("class:sql:short", "undecided", "no class was named"),
    ]
    by_class = failed_by_class(task.hidden, failed_items(FAILED), True, error_classes(found))
    assert by_class == {COHORT: ["sql:sex"], TIME: ["sql:clear"], OTHER: ["sql:short"]}


def test_a_known_class_is_not_asked_again_and_a_bad_answer_decides_nothing(tmp_path: Path) -> None:
    task = task_of(tmp_path)
    known = classed(task, answered(clear=COHORT, short=COHORT))
    assert classed(task, "never read", known) == []
    assert {v.state for v in classed(task, "no JSON")} == {"undecided"}
    assert error_classes(classed(task, answered(clear="bad luck"))) == {}


def test_the_prompt_shows_queries_and_classes_and_no_rows(tmp_path: Path) -> None:
    task = task_of(tmp_path)
    prompt = classifier_prompt(task, "SELECT 1", list(task.hidden.sql_rubric.leaves())[2:3])
    assert "clear: The query is clear." in prompt
    assert "- time boundary:" in prompt
    assert "4.5" not in prompt  # the gold's result
