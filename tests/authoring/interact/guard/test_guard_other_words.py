"""The user without a model on questions that were worded apart from it, about the shipped tasks."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from wardround.benchmarks.interact.people import secret_of
from wardround.benchmarks.interact.published import shipped_suite
from wardround.people.clarifying import ModelFree
from wardround.people.clarifying.guard import (
    CATEGORIES,
    Category,
    Outcome,
    read_guard,
    referenced,
)
from wardround.people.clarifying.leaks import leaks

FIXTURES = Path(__file__).parent / "fixtures"
SECRETS = {task.id: secret_of(task, "") for task in shipped_suite().tasks}
# In percent, a little under what was measured. Both files are by one author. The questions of
# "unseen" were written before the patterns were read, and nobody looked at which of them fail: to
# keep it so, work on "looked_at". At first sight "unseen" had 75, 44 and 70.
REACHED: dict[str, dict[Category, int]] = {
    "unseen": {"AMB": 78, "LOC": 66, "UNA": 86},
    "looked_at": {"AMB": 89, "LOC": 78, "UNA": 82},
}


async def asked(file: str) -> list[Outcome]:
    questions = read_guard(FIXTURES / f"{file}.jsonl")
    return [one async for one in referenced(questions, lambda task: ModelFree(SECRETS[task]))]


def right(outcomes: Sequence[Outcome], category: Category) -> float:
    found = [bool(one.right) for one in outcomes if one.question.category == category]
    return 100 * sum(found) / len(found)


@pytest.mark.parametrize("file", REACHED)
async def test_questions_in_other_words_are_taken_for_what_they_are(file: str) -> None:
    outcomes = await asked(file)
    measured = {category: right(outcomes, category) for category in CATEGORIES}
    assert all(measured[one] >= REACHED[file][one] for one in CATEGORIES), measured


@pytest.mark.parametrize("file", REACHED)
async def test_no_reply_to_them_leaks(file: str) -> None:
    for one in await asked(file):
        assert not leaks(one.answer.text, SECRETS[one.question.task]), one.question
