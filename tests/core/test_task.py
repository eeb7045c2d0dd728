"""Tasks that can be run, and those that cannot."""

import pytest

from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite, Task, runnable

SUITE = Suite((Task("a", "", ""), Task("b", "", "")), (Defect("line 3", "no JSON"),), "s.jsonl")


def test_unrunnable_task_is_added_to_the_defects_of_reading() -> None:
    left = runnable(SUITE, lambda task: "no gold" if task.id == "b" else "")
    assert [task.id for task in left.tasks] == ["a"]
    assert left.defects == (Defect("line 3", "no JSON"), Defect("b", "no gold"))
    assert left.source == "s.jsonl"


def test_suite_without_runnable_tasks_is_refused_with_the_first_reason() -> None:
    with pytest.raises(UserError, match=r"s\.jsonl can be run: task a: no gold"):
        runnable(SUITE, lambda task: "no gold")
