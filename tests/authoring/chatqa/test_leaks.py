"""Over all orders of a talk, the scripted user says nothing of the gold before its time."""

import asyncio
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wardround.benchmarks.chatqa.tasks import ChatTask, shipped_suite
from wardround.people.patterns import content_words
from wardround.people.scripted_user import ScriptedUser
from wardround.people.sentences import sentences

LINES = (Path(__file__).parent / "fixtures" / "probes.tsv").read_text("utf-8").splitlines()[2:]
PROBES = [(kind == "yes", text) for kind, _, text in (line.partition("\t") for line in LINES)]
TASKS = shipped_suite().tasks
ADAPT = {task.hidden.category: task for task in TASKS if task.public.flow == "adapt"}
SAMPLE = [*ADAPT.values(), *[task for task in TASKS if task.public.flow == "incre"][::15]]

talks = st.lists(st.sampled_from(PROBES), max_size=12)
seeds = st.integers(0, 2**32)


def later_words(task: ChatTask) -> set[str]:
    """The words that only the request after the turn has."""
    written = sentences(task.hidden.instruction)
    turned = [each for each in written if re.match(r"If .*\b(?:no|not)\b.*?,", each)]
    before = [each for each in written if each not in turned]
    return set(content_words(" ".join(turned))) - set(content_words(" ".join(before)))


def secrets(task: ChatTask) -> set[str]:
    """The values of the answer that no instruction says, in lower case."""
    said = task.hidden.instruction.lower()
    values = {str(row[0]).lower() for row in task.hidden.gold_answer}
    return {value for value in values if len(value) > 3 and value not in said}


@pytest.mark.parametrize("task", SAMPLE, ids=lambda task: task.id)
@settings(max_examples=15)
@given(seed=seeds, talk=talks)
def test_the_user_turns_only_after_a_report_of_nothing(
    task: ChatTask, seed: int, talk: list[tuple[bool, str]]
) -> None:
    asyncio.run(check(task, seed, talk))


async def check(task: ChatTask, seed: int, talk: list[tuple[bool, str]]) -> None:
    """Plays a talk, and looks at each message of the user."""
    user, withheld = ScriptedUser(task.hidden.instruction, seed), later_words(task)
    said = (await user.open()).text.lower()
    is_reported = False
    for reports_nothing, message in talk:
        assert "select" not in said
        assert not any(secret in said for secret in secrets(task))
        if not is_reported:
            assert not withheld & set(content_words(said)), message
        is_reported |= reports_nothing
        said = (await user.reply(message)).text.lower()


def test_the_sample_withholds_something() -> None:
    assert all(later_words(task) for task in ADAPT.values())
    assert any(secrets(task) for task in SAMPLE)
