"""Over all orders of a talk, the scripted user says nothing of the gold before its time."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import one_in
from wardround.benchmarks.chatqa.tasks import ChatTask, shipped_tasks
from wardround.core.packaged_data import read_text
from wardround.people.patterns import content_words
from wardround.people.scripted_user import ScriptedUser
from wardround.people.sentences import sentences

LINES = (Path(__file__).parent / "fixtures" / "probes.tsv").read_text("utf-8").splitlines()[2:]
PROBES = [(kind == "yes", text) for kind, _, text in (line.partition("\t") for line in LINES)]
PHRASES = read_text("wardround.people", "user_wordings.toml")  # of the user, whatever the task
TASKS = shipped_tasks().tasks
ADAPT = {task.hidden.category: task for task in TASKS if task.public.flow == "adapt"}
SAMPLE = [*ADAPT.values(), *[task for task in TASKS if task.public.flow == "incre"][::15]]

talks = st.lists(st.sampled_from(PROBES), max_size=12)
seeds = st.integers(0, 2**32)


def later_words(task: ChatTask) -> set[str]:
    """The words that only the request after the turn has."""
    written = sentences(task.hidden.instruction)
    turned = [each for each in written if re.match(r"If .*\b(?:no|not)\b.*?,", each)]
    before = [each for each in written if each not in turned]
    conditions = [each.partition(",")[0] for each in turned]
    known = set(content_words(" ".join((*before, *conditions, PHRASES))))
    return set(content_words(" ".join(turned))) - known


def secrets(task: ChatTask) -> set[str]:
    """The values of the answer that no instruction says, in lower case."""
    said = task.hidden.instruction.lower()
    values = {str(row[0]).lower() for row in task.hidden.gold_answer}
    return {value for value in values if len(value) > 3 and value not in said}


@pytest.mark.parametrize("task", one_in(4, SAMPLE), ids=lambda task: task.id)
@given(seed=seeds, talk=talks)
def test_the_user_turns_only_after_a_report_of_nothing(
    task: ChatTask, seed: int, talk: list[tuple[bool, str]]
) -> None:
    assert not list(talk_faults(task, seed, talk))


def talk_faults(task: ChatTask, seed: int, talk: Sequence[tuple[bool, str]]) -> Iterator[str]:
    """Plays a talk; yields what the user says before its time."""
    user, withheld = ScriptedUser(task.hidden.instruction, seed), later_words(task)
    said = asyncio.run(user.open()).text.lower()
    is_reported = False
    for reports_nothing, message in talk:
        if "select" in said or any(secret in said for secret in secrets(task)):
            yield said
        if not is_reported and (early := withheld & set(content_words(said))):
            yield f"{sorted(early)} in {said!r}"
        is_reported |= reports_nothing
        said = asyncio.run(user.reply(message)).text.lower()


def test_the_sample_withholds_something() -> None:
    assert all(later_words(task) for task in ADAPT.values())
    assert any(secrets(task) for task in SAMPLE)
