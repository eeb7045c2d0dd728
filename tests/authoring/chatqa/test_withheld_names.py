"""Names that a user does not suggest before the agent does."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.authoring.chatqa.test_leaks import PROBES
from tests.cases import for_each
from wardround.authoring.chatqa.asked_records import AskedRecords
from wardround.authoring.chatqa.instructions import (
    Sentence,
    fault_of_withheld,
    instruction,
    names_to_withhold,
    turn_sentences,
    withheld_sentences,
)
from wardround.authoring.chatqa.suite import Checked, Forms, adapt_tasks
from wardround.authoring.chatqa.turns import CATEGORIES
from wardround.authoring.chatqa.turns.turn import PATIENTS, Turn
from wardround.benchmarks.chatqa.people import early_name
from wardround.benchmarks.chatqa.tasks import PublishedTask
from wardround.core.trajectory import Said, Trajectory
from wardround.ehr.query import Query
from wardround.people.instruction_parser import read_instruction
from wardround.people.scripted_user import ScriptedUser

LASIX = Turn(
    *("Brand-generic name resolution", "brand.patients", {"brand": "lasix"}, None),
    *(Query(PATIENTS, ()), (), "words"),
    withheld=("furosemide",),
)
talks = st.lists(st.sampled_from([text for _, text in PROBES]), max_size=12)


def task_of(sentences: Sequence[Sentence], *names: str, answer: str = "ten") -> PublishedTask:
    return PublishedTask(
        task_id="1",
        task_type="adapt",
        db_id="ward",
        instruction=instruction(sentences),
        gold_sql="SELECT 10",
        gold_answer=[[answer]],
        withheld=list(names),
    )


def sentences_of(turn: Turn, seed: int) -> tuple[Sentence, ...]:
    random = Random(seed)
    return (*turn_sentences(turn, random), *withheld_sentences(turn.withheld, random))


@for_each(range(12))
def test_a_withheld_name_is_read_as_such(seed: int) -> None:
    sentences = sentences_of(LASIX, seed)
    read = read_instruction(instruction(sentences))
    assert read.withheld == {"furosemide"}
    assert read.script == read_instruction(instruction(sentences[:-1])).script
    assert fault_of_withheld(task_of(sentences, "furosemide")) == ""


@given(seed=st.integers(0, 2**32), talk=talks)
def test_the_scripted_user_never_suggests_it(seed: int, talk: list[str]) -> None:
    user, trajectory = ScriptedUser(instruction(sentences_of(LASIX, seed % 12)), seed), Trajectory()
    trajectory.record(Said("user", asyncio.run(user.open()).text))
    for message in talk:
        trajectory.record(Said("agent", message))
        trajectory.record(Said("user", asyncio.run(user.reply(message)).text))
    assert early_name(LASIX.withheld, trajectory) == ""


def test_faults_of_withheld_names_are_found() -> None:
    plain, named = sentences_of(replace(LASIX, withheld=()), 1), sentences_of(LASIX, 1)
    unread = "names that the user would not withhold"
    assert fault_of_withheld(task_of(plain)) == ""
    assert fault_of_withheld(task_of(plain, "furosemide")) == unread
    assert fault_of_withheld(task_of(named, "furosemide", "torsemide")) == unread
    answer = task_of(named, "furosemide", answer="furosemide 20 mg")
    assert fault_of_withheld(answer) == "withheld names that are the answer"


@pytest.mark.parametrize(
    ("names", "share", "withheld"),
    [
        (("furosemide",), 1.0, ("furosemide",)),
        (("furosemide",), 0.0, ()),
        (("lasix retard", "furosemide"), 1.0, ("furosemide",)),  # the user says "lasix"
        (("a drug", "b drug", "c drug"), 1.0, ()),
        ((), 1.0, ()),
    ],
)
def test_names_are_withheld_that_nothing_else_says(
    names: tuple[str, ...], share: float, withheld: tuple[str, ...]
) -> None:
    turn, random = replace(LASIX, withheld=names), Random(1)
    assert names_to_withhold(turn, turn_sentences(turn, random), share, random) == withheld


def test_categories_with_something_to_find_withhold_it(records: AskedRecords) -> None:
    turns = {c.__name__: list(islice(c(records, Random(2)), 6)) for c in CATEGORIES}
    withholding = {name for name, of in turns.items() if any(turn.withheld for turn in of)}
    assert withholding == {"brand_or_generic", "within_class", "other_class", "other_test"}


def test_made_tasks_carry_the_names(layout: str, spelled_records: AskedRecords) -> None:
    made = {
        share: [
            each.task
            for each in islice(
                adapt_tasks(spelled_records, "ward", 16, 3, Checked(), Forms(withholding=share)), 8
            )
        ]
        for share in (0, 1)
    }
    assert not any(task.withheld for task in made[0])
    withholding = [task for task in made[1] if task.withheld]
    assert len(withholding) == {"mimic_iv_star": 4, "omop_5_4": 5}[layout]
    for task in withholding:
        assert read_instruction(task.instruction).withheld
        assert task.as_task().hidden.withheld == tuple(task.withheld)
        bare = [each for each in made[0] if task.instruction.startswith(each.instruction)]
        assert [each.gold_answer for each in bare] == [task.gold_answer]
