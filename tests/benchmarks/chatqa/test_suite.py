"""The shipped suites match their sources, pass their graders and need the conversation."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from itertools import islice
from pathlib import Path

import pytest

from tests.cases import for_each, one_in
from tests.people.instruction_checker import faults
from tools.suites.chatqa_tasks.definitions import (
    Definition,
    make_suite,
    make_task,
    read_definitions,
    shipped_definitions,
)
from tools.suites.chatqa_tasks.drawn_suites import drawn_suite, shipped_records
from wardround.authoring.chatqa.suite import Checked, adapt_tasks, incre_tasks
from wardround.benchmarks.chatqa.tasks import NEWEST, ChatTask, shipped_tasks
from wardround.benchmarks.kit.published_files import json_lines
from wardround.core.errors import UserError
from wardround.ehr.database import Database, open_database
from wardround.ehr.hospital import default_hospital
from wardround.people.scripted_user import ScriptedUser
from wardround.runs.settings import RunSettings
from wardround.runs.validation import validate_tasks

SEEDS = range(20)
TURNS = 25
CATEGORIES = {  # Table 10
    "Brand-generic name resolution",
    "Within-class drug adaptation",
    "Cross-class drug substitution",
    "Clinically related condition lookup",
    "Alternative lab test for condition",
    "Alternative procedure for treatment",
    "Compound criteria with fallback",
    "Schema fallback handling",
}
REGRESSION = "chatqa-regression"
TASKS = shipped_tasks(REGRESSION).tasks
DRAWN = shipped_tasks().tasks
INCRE = [task for task in TASKS if task.public.flow == "incre"]
ADAPT = [task for task in TASKS if task.public.flow == "adapt"]


@pytest.fixture(scope="module")
def hospital() -> Iterator[Database]:
    database = open_database(default_hospital())
    yield database
    database.close()


def name(task: ChatTask) -> str:
    return task.id


def test_shipped_suite_matches_its_source(hospital: Database) -> None:
    shipped = files("wardround.benchmarks.chatqa") / "suite" / f"{REGRESSION}.jsonl"
    assert make_suite(shipped_definitions(), hospital, seconds=60) == shipped.read_bytes()


def test_every_gold_passes_both_graders() -> None:
    verdict = validate_tasks(
        RunSettings(benchmark="chatqa", agent="oracle", tasks=Path(REGRESSION))
    )
    assert verdict.defects == ()
    assert verdict.summary.tables["golds"].rows[-1] == ("all", len(TASKS), len(TASKS))


def test_the_drawn_suite_is_made_again() -> None:
    suite = drawn_suite(NEWEST)
    lines = files("wardround.benchmarks.chatqa").joinpath("suite", f"{NEWEST}.jsonl").read_bytes()
    with shipped_records("eicu_star", suite.spellings) as records:
        tasks = incre_tasks(
            *(records, "eicu_star", suite.incre, suite.depth, suite.seed, Checked(), suite.forms)
        )
        turns = adapt_tasks(
            *(records, "eicu_star", suite.adapt, suite.seed, Checked(), suite.forms)
        )
        for task in (*islice(tasks, 2), *islice(turns, 3)):
            assert json_lines([task.task.model_dump(exclude_defaults=True)]) in lines


def test_the_drawn_suite_has_its_tasks() -> None:
    suite = drawn_suite(NEWEST)
    counted = Counter((task.public.database, task.public.flow) for task in DRAWN)
    assert counted == {
        (database, flow): count
        for database in ("mimic_iv_star", "eicu_star")
        for flow, count in (("incre", suite.incre), ("adapt", suite.adapt))
    }
    categories = Counter(
        (task.public.database, task.hidden.category) for task in DRAWN if task.hidden.category
    )
    assert {category for _, category in categories} == CATEGORIES
    assert set(categories.values()) == {5}
    assert len({task.hidden.instruction for task in DRAWN}) == len(DRAWN)


def test_a_constant_answer_passes_a_twentieth_of_the_drawn_suite() -> None:
    for database in ("mimic_iv_star", "eicu_star"):
        for flow, most in (("incre", 3), ("adapt", 2)):
            tasks = [t for t in DRAWN if (t.public.database, t.public.flow) == (database, flow)]
            answers = Counter(sorted_values(task) for task in tasks)
            assert (len(tasks), max(answers.values())) == (20 * most, most)


@for_each(DRAWN[::10])
def test_the_user_of_a_drawn_task_says_each_clause_once(task: ChatTask) -> None:
    assert faults(task.hidden.instruction) == []


def sorted_values(task: ChatTask) -> tuple[str, ...]:
    return tuple(sorted(str(row[0]) for row in task.hidden.gold_answer))


def test_each_kind_has_enough_tasks() -> None:
    categories = Counter(task.hidden.category for task in ADAPT)
    assert len(INCRE) == 30
    assert set(categories) == CATEGORIES
    assert sorted(categories.values()) == [2, 2, 2, 2, 3, 3, 3, 3]
    assert not shipped_tasks(REGRESSION).defects
    assert len({task.hidden.instruction for task in TASKS}) == len(TASKS)


@for_each(TASKS)
def test_instructions_are_short_and_begin_broadly(task: ChatTask) -> None:
    goal, detail = sentences(task)[:2]
    assert len(task.hidden.instruction.split()) < 120
    assert goal.startswith("Your goal is to ")
    assert detail.startswith("Specifically, you want ") or "interested in" in detail


@pytest.mark.parametrize("task", TASKS, ids=name)
async def test_opening_has_no_details(task: ChatTask) -> None:
    needed = [*literals(task), *re.findall(r"\b\d+\b", task.hidden.gold_sql)]
    for seed in SEEDS:
        opening = (await ScriptedUser(task.hidden.instruction, seed).open()).text.lower()
        assert not re.search(r"\d", opening)
        assert not all(mentions(opening, value) for value in needed)


@for_each(TASKS)
def test_instructions_omit_some_database_value(task: ChatTask) -> None:
    instruction = task.hidden.instruction.lower()
    assert [value for value in literals(task) if not mentions(instruction, value)]


@pytest.mark.parametrize("task", INCRE, ids=name)
async def test_user_states_every_constraint(task: ChatTask) -> None:
    for seed in SEEDS:
        words = await user_words(task, seed, ["I found <answer>some</answer>."])
        missing = [
            want for want in sentences(task)[1:] if is_said(want) and ending(want) not in words
        ]
        assert missing == []


@pytest.mark.parametrize("task", one_in(3, ADAPT), ids=name)
async def test_fallback_is_requested_only_if_nothing_is_found(task: ChatTask) -> None:
    (fallback,) = (want for want in sentences(task) if re.match(r"If .*\b(no|not)\b.*?,", want))
    for seed in SEEDS:
        report = "I found <answer>some</answer>."
        assert ending(fallback) not in await user_words(task, seed, [report])
        assert ending(fallback) in await user_words(task, seed, ["I found no such record.", report])


@for_each(ADAPT)
def test_instruction_does_not_contain_the_answer(task: ChatTask) -> None:
    instruction = task.hidden.instruction.lower()
    (answer,) = [cell for row in task.hidden.gold_answer for cell in row]
    assert not mentions(instruction, str(answer))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"constraints": ()}, "names no constraint"),
        ({"constraints": ("AND age > 200",)}, "does not occur exactly once in sql"),
        ({"constraints": ("AND age > 0",)}, "changes nothing"),
        ({"sql": "SELECT 1 FROM hospitaladmissions WHERE age > 200"}, "returns no row"),
        ({"sql": "SELECT nothing FROM nowhere"}, "a statement fails"),
        ({"flow": "adapt", "form": "words", "absent": "SELECT 7"}, "is in the records"),
    ],
)
def test_unsound_task_is_refused(
    hospital: Database, change: dict[str, object], message: str
) -> None:
    sound = Definition(
        id="1",
        flow="incre",
        instruction="Your goal is to count. You want to know how many patients are older than 60.",
        sql="SELECT COUNT(*) FROM hospitaladmissions WHERE age > 60 AND age > 0",
        constraints=("age > 60 AND",),
    )
    assert make_task(sound, hospital, seconds=60).gold_answer
    with pytest.raises(UserError, match=f"Task \\w+ 1: .*{message}"):
        make_task(replace(sound, **change), hospital, seconds=60)  # type: ignore[arg-type]


def test_misspelt_field_is_reported() -> None:
    with pytest.raises(ValueError, match="Task 1 has the unknown field sqll"):
        read_definitions('[[task]]\nid = "1"\nflow = "incre"\nsqll = ""\n')


def sentences(task: ChatTask) -> list[str]:
    return re.split(r"(?<=\w[.\"])\s(?=[A-Z][a-z]+\b)", task.hidden.instruction)


def literals(task: ChatTask) -> list[str]:
    """The stored values and patterns of the gold query, without times and formats."""
    quoted = re.findall(r"'([^']*)'", task.hidden.gold_sql)
    parts = [part.strip() for text in quoted for part in text.split("%")]
    return [part for part in parts if re.match(r"[a-z(][^%]+", part)]


def mentions(text: str, value: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text))


def is_said(sentence: str) -> bool:
    return not sentence.startswith("When querying")


def ending(sentence: str) -> str:
    """The last three words of a sentence, which are the same in the first person."""
    return " ".join(sentence.rstrip(".").lower().split()[-3:])


async def user_words(task: ChatTask, seed: int, reports: list[str]) -> str:
    """The user's words to an agent that asks once, then gives reports and repeats the last."""
    user = ScriptedUser(task.hidden.instruction, seed)
    utterances = [
        await user.open(),
        await user.reply("Could you tell me more about what you need?"),
    ]
    for turn in range(TURNS):
        utterances.append(await user.reply(reports[min(turn, len(reports) - 1)]))
        if utterances[-1].ends:
            break
    return " ".join(utterance.text for utterance in utterances).lower()


@for_each(TASKS)
def test_scripted_user_says_each_clause_once_and_in_its_branch(task: ChatTask) -> None:
    assert faults(task.hidden.instruction) == []
