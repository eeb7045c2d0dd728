"""The guard set: its questions, and the model-free user on the shipped ones."""

from pathlib import Path

from wardround.authoring.interact.guard.accuracy import guard_set, shipped_guard
from wardround.benchmarks.interact.people import secret_of
from wardround.benchmarks.interact.tasks import shipped_tasks
from wardround.people.clarifying import ModelFree
from wardround.people.clarifying.guard import (
    CATEGORIES,
    STYLES,
    accuracy,
    read_guard,
    referenced,
    serialized,
)
from wardround.people.clarifying.leak_filter import leaks
from wardround.people.clarifying.secret import Ambiguity, Secret

SECRETS = {task.id: secret_of(task, "") for task in shipped_tasks().tasks}
ELDERLY = Ambiguity("elderly", "semantic", ("age > 80",))
SECRET = Secret(
    "How many elderly women?",
    "",
    ("SELECT COUNT(*) FROM p WHERE age > 80 AND sex = 'F'",),
    (ELDERLY,),
)


def test_the_shipped_set_asks_about_every_shipped_task() -> None:
    questions = shipped_guard()
    assert len(questions) == 372
    assert {each.task for each in questions} == set(SECRETS)
    assert {(each.category, each.style) for each in questions} == {
        (category, style) for category in CATEGORIES for style in STYLES
    }
    for each in questions:
        terms = {each.term for each in SECRETS[each.task].ambiguities}
        assert each.category != "AMB" or each.reference in terms


async def test_the_model_free_user_reaches_its_goals_on_the_shipped_set() -> None:
    outcomes = [
        each async for each in referenced(shipped_guard(), lambda task: ModelFree(SECRETS[task]))
    ]
    rows = {row[0]: row for row in accuracy(outcomes, "model-free").rows}
    right = {category: float(rows[category][4] or 0) for category in CATEGORIES}
    assert right == {"AMB": 99.2, "LOC": 92.6, "UNA": 98.5}
    assert not any(leaks(each.answer.text, SECRETS[each.question.task]) for each in outcomes)


def test_each_point_is_asked_about_in_all_styles() -> None:
    questions = guard_set({"t": SECRET})
    assert [(each.category, each.style) for each in questions] == [
        (category, style) for category in CATEGORIES for style in STYLES
    ]
    assert {each.reference for each in questions if each.category == "AMB"} == {"elderly"}
    assert questions == guard_set({"t": SECRET})
    assert questions != guard_set({"t": SECRET}, seed=1)


def test_no_located_question_could_be_about_an_ambiguity() -> None:
    references = {each.reference for each in guard_set({"t": SECRET}, each=9)}
    assert references == {"elderly", "COUNT(*)", "sex = 'F'", ""}


def test_questions_round_trip(tmp_path: Path) -> None:
    questions = guard_set({"t": SECRET}, each=3)
    file = tmp_path / "guard.jsonl"
    file.write_text(serialized(questions), encoding="utf-8")
    assert read_guard(file) == questions
