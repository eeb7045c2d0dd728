"""The guard set: its questions, and the user without a model on the shipped ones."""

from pathlib import Path

from wardround.authoring.interact.guard.questions import guard_set, shipped_guard
from wardround.benchmarks.interact.people import secret_of
from wardround.benchmarks.interact.published import shipped_suite
from wardround.people.clarifying import ModelFree
from wardround.people.clarifying.guard import (
    CATEGORIES,
    STYLES,
    accuracy,
    read_guard,
    referenced,
    serialized,
)
from wardround.people.clarifying.leaks import leaks
from wardround.people.clarifying.secret import Ambiguity, Secret

SECRETS = {task.id: secret_of(task, "") for task in shipped_suite().tasks}
ELDERLY = Ambiguity("elderly", "semantic", ("age > 80",))
SECRET = Secret(
    "How many elderly women?",
    "",
    ("SELECT COUNT(*) FROM p WHERE age > 80 AND sex = 'F'",),
    (ELDERLY,),
)


def test_the_shipped_set_is_of_the_shipped_tasks() -> None:
    questions = shipped_guard()
    assert len(questions) >= 150
    assert {one.task for one in questions} == set(SECRETS)
    assert {(one.category, one.style) for one in questions} == {
        (category, style) for category in CATEGORIES for style in STYLES
    }
    for one in questions:
        terms = {each.term for each in SECRETS[one.task].ambiguities}
        assert one.category != "AMB" or one.reference in terms


async def test_the_user_without_a_model_on_the_shipped_set() -> None:
    outcomes = [
        one async for one in referenced(shipped_guard(), lambda task: ModelFree(SECRETS[task]))
    ]
    rows = {row[0]: row for row in accuracy(outcomes, "model-free").rows}
    right = {category: float(rows[category][4] or 0) for category in CATEGORIES}
    assert right["AMB"] >= 90
    assert right["LOC"] >= 90
    assert right["UNA"] >= 97
    assert not any(leaks(one.answer.text, SECRETS[one.question.task]) for one in outcomes)


def test_each_point_is_asked_about_in_all_styles() -> None:
    questions = guard_set({"t": SECRET})
    assert [(one.category, one.style) for one in questions] == [
        (category, style) for category in CATEGORIES for style in STYLES
    ]
    assert {one.reference for one in questions if one.category == "AMB"} == {"elderly"}
    assert questions == guard_set({"t": SECRET})
    assert questions != guard_set({"t": SECRET}, seed=1)


def test_no_located_question_could_be_about_an_ambiguity() -> None:
    references = {one.reference for one in guard_set({"t": SECRET}, each=9)}
    assert references == {"elderly", "COUNT(*)", "sex = 'F'", ""}


def test_questions_are_read_as_they_were_serialized(tmp_path: Path) -> None:
    questions = guard_set({"t": SECRET}, each=3)
    file = tmp_path / "guard.jsonl"
    file.write_text(serialized(questions), encoding="utf-8")
    assert read_guard(file) == questions
