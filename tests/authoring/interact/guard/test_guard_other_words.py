"""The model-free user on differently worded questions about shipped tasks."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from wardround.benchmarks.interact.people import secret_of
from wardround.benchmarks.interact.tasks import shipped_tasks
from wardround.people.clarifying import ModelFree
from wardround.people.clarifying.guard import (
    CATEGORIES,
    Category,
    Outcome,
    read_guard,
    referenced,
)
from wardround.people.clarifying.leak_filter import leaks

FIXTURES = Path(__file__).parent / "fixtures"
SECRETS = {task.id: secret_of(task, "") for task in shipped_tasks().tasks}
# Lower bounds in percent, a little under the measured ones. One author wrote both files. The
# classifier learns from "looked_at". The questions of "unseen" were written without sight of it,
# and nobody has looked at which of them fail; patterns in its place had 80, 69 and 88 there.
REACHED: dict[str, dict[Category, int]] = {
    "unseen": {"AMB": 79, "LOC": 80, "UNA": 86},
    "looked_at": {"AMB": 92, "LOC": 85, "UNA": 98},
}


async def asked(file: str) -> list[Outcome]:
    questions = read_guard(FIXTURES / f"{file}.jsonl")
    return [each async for each in referenced(questions, lambda task: ModelFree(SECRETS[task]))]


def right(outcomes: Sequence[Outcome], category: Category) -> float:
    rated = [bool(each.right) for each in outcomes if each.question.category == category]
    return 100 * sum(rated) / len(rated)


@pytest.mark.parametrize("file", REACHED)
async def test_questions_in_other_words_are_understood_and_no_reply_leaks(file: str) -> None:
    outcomes = await asked(file)
    measured = {category: right(outcomes, category) for category in CATEGORIES}
    assert all(measured[each] >= REACHED[file][each] for each in CATEGORIES), measured
    for each in outcomes:
        assert not leaks(each.answer.text, SECRETS[each.question.task]), each.question
