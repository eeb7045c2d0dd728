"""Runnable and unrunnable tasks of a suite."""

import pytest

from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite, Task, runnable

SUITE = Suite((Task("a", "", ""), Task("b", "", "")), (Defect("line 3", "no JSON"),), "s.jsonl")


def test_unrunnable_task_is_added_to_the_defects_of_reading() -> None:
    remaining = runnable(SUITE, lambda task: "no gold" if task.id == "b" else "")
    assert [task.id for task in remaining.tasks] == ["a"]
    assert remaining.defects == (Defect("line 3", "no JSON"), Defect("b", "no gold"))
    assert remaining.source == "s.jsonl"


def test_suite_without_runnable_tasks_is_refused_with_the_first_reason() -> None:
    with pytest.raises(UserError, match=r"s\.jsonl can be run: task a: no gold"):
        runnable(SUITE, lambda task: "no gold")
