import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from tests.benchmarks.clinsql.item_samples import item
from tests.cases import for_each
from wardround.benchmarks.clinsql.checks.leaf_verdicts import UNREADABLE_ONE
from wardround.benchmarks.clinsql.items.item import ClinTask
from wardround.benchmarks.clinsql.items.result_files import CsvTable
from wardround.benchmarks.clinsql.rubric_judge import (
    MOST_LEAVES,
    Candidate,
    Judge,
    is_local,
    leaf_prompt,
    read_grade,
    results_candidate,
)
from wardround.core.benchmark import JudgeContext
from wardround.core.errors import MalformedAnswerError
from wardround.core.tools import ToolSpec
from wardround.core.verdict import Verdict
from wardround.models.client import LanguageModel, scripted
from wardround.models.exchange import Answer, Request
from wardround.models.messages import Message, Reply
from wardround.models.model import ConversationTooLongError, ModelSettings
from wardround.scoring.rubrics.tree import RubricNode

CANDIDATE = Candidate("SELECT 1", "SELECT 2")


@pytest.fixture
def task(tmp_path: Path) -> ClinTask:
    return item(tmp_path)


MANY = RubricNode(
    "sql", "SQL", children=tuple(RubricNode(f"n{i}", f"Rule {i}.") for i in range(45))
)


def judged(
    task: ClinTask,
    answer: Callable[[str], str],
    *,
    votes: int = 1,
    by_tree: bool = False,
    known: Sequence[Verdict] = (),
) -> list[Verdict]:
    def reply(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        return Reply(answer(messages[-1].text))

    async def run() -> list[Verdict]:
        judge = Judge(scripted(reply), votes, by_tree)
        leaves = list(task.hidden.sql_rubric.leaves())
        context = JudgeContext(known={verdict.key: verdict for verdict in known})
        return [v async for v in judge.verdicts(task, "sql", leaves, CANDIDATE, context)]

    return asyncio.run(run())


def test_each_leaf_gets_a_verdict_with_its_reason(task: ClinTask) -> None:
    found = judged(task, lambda text: f"Score: {int('Only women' in text)}\nExplanation: So it is.")
    assert [(v.item, v.state, v.reason) for v in found] == [
        ("sql:sex", "passed", "So it is."),
        ("sql:age", "failed", "So it is."),
    ]


def test_the_majority_of_votes_decides(task: ClinTask) -> None:
    answers = iter(["Score: 1", "Score: 0", "Score: 1"] * 2)
    found = judged(task, lambda text: next(answers), votes=3)
    final = [v for v in found if len(v.votes) == 3]
    assert [(v.item, v.state) for v in final] == [("sql:sex", "passed"), ("sql:age", "passed")]


def test_known_verdicts_are_not_requested_again(task: ClinTask) -> None:
    first = judged(task, lambda text: "Score: 1")
    assert judged(task, lambda text: pytest.fail("asked again"), known=first) == []


def test_one_call_decides_a_tree(task: ClinTask) -> None:
    asked: list[str] = []

    def answer(text: str) -> str:
        asked.append(text)
        return '{"grades": [{"id": "sex", "met": true, "reason": "kept"}]}'

    found = judged(task, answer, by_tree=True)
    assert len(asked) == 1
    assert [(v.item, v.state, v.reason) for v in found] == [
        ("sql:sex", "passed", "kept"),
        ("sql:age", "undecided", "the judge's answer leaves it out"),
    ]


def test_an_unreadable_answer_leaves_its_leaf_undecided(task: ClinTask) -> None:
    found = judged(task, lambda text: "Error 401: too many requests")
    assert {v.state for v in found} == {"undecided"}
    assert all(v.reason.startswith(UNREADABLE_ONE) for v in found)


@for_each(
    [
        ("Score: 1\nExplanation: Kept.", (True, "Kept.")),
        ("**Score:** 0\n**Explanation:** Dropped.", (False, "Dropped.")),
        ("Score: [1]\nExplanation: [Kept.]", (True, "[Kept.]")),
        ("score: 0", (False, "")),
        ("1", (True, "")),
        (" 0.\n", (False, "")),
        ("1 - Only women are kept.", (True, "Only women are kept.")),
        ("0: It keeps men.", (False, "It keeps men.")),
        ("1\n\nBecause gender = 'F' is there.", (True, "Because gender = 'F' is there.")),
        ("**1**. The filter is there.", (True, "The filter is there.")),
    ]
)
def test_grades_are_read(text: str, grade: tuple[bool, str]) -> None:
    assert read_grade(text) == grade


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Yes, it is met.",
        "Score: 10",
        "1. It joins.\n2. It filters.",
        "1 of 3 conditions is met.",
        "10 - many",
    ],
)
def test_an_answer_without_a_score_is_malformed(text: str) -> None:
    with pytest.raises(MalformedAnswerError):
        read_grade(text)


def test_a_prompt_holds_requirement_question_candidate_and_gold(task: ClinTask) -> None:
    leaf = next(task.hidden.sql_rubric.leaves())
    prompt = leaf_prompt(task, "sql", leaf, CANDIDATE)
    for part in (leaf.requirement, task.public.question, "SELECT 1", "SELECT 2"):
        assert part in prompt


def test_a_long_result_is_cut_and_the_verdict_says_so() -> None:
    table = CsvTable(("n",), tuple((str(n),) for n in range(1000)))
    candidate = results_candidate(table, table)
    assert candidate.note == "the judge saw 50 of 1,000 rows"
    assert "49\n(and 950 more rows; 1,000 rows in all)" in candidate.text


def test_only_a_loopback_server_is_local() -> None:
    assert is_local(ModelSettings(name="openai:x", base_url="http://127.0.0.1:8000/v1"))
    assert not is_local(ModelSettings(name="openai:x", base_url="https://example.org/v1"))
    assert not is_local(ModelSettings(name="openai:gpt-4o"))


def test_a_large_tree_takes_several_calls(task: ClinTask) -> None:
    sizes: list[int] = []

    def answer(text: str) -> str:
        ids = re.findall(r"^(n\d+): ", text, re.MULTILINE)
        sizes.append(len(ids))
        grades = [{"id": id, "met": True} for id in ids]
        return "no JSON" if "n20" in ids else orjson.dumps({"grades": grades}).decode()

    large = replace(task, hidden=replace(task.hidden, sql_rubric=MANY))
    found = judged(large, answer, by_tree=True)
    states = {verdict.item: verdict.state for verdict in found}
    undecided = {f"sql:n{number}" for number in range(20, 40)}
    assert len(states) == len(found) == 45
    assert {item for item, state in states.items() if state == "undecided"} == undecided
    assert max(sizes) == MOST_LEAVES
    assert (sizes[0], sizes[-1]) == (20, 5)


@pytest.mark.parametrize(("by_tree", "tokens"), [(False, 1024), (True, 300)])
def test_answers_of_a_judge_are_limited(task: ClinTask, by_tree: bool, tokens: int) -> None:
    limits: list[int | None] = []

    async def source(request: Request) -> Answer:
        limits.append(request.max_tokens)
        return Answer(Reply("Score: 1"))

    asyncio.run(_judged_by(LanguageModel(ModelSettings(name="m"), source), task, by_tree))
    assert set(limits) == {tokens}


@pytest.mark.parametrize("by_tree", [False, True])
def test_a_prompt_that_is_too_long_leaves_its_leaves_undecided(
    task: ClinTask, by_tree: bool
) -> None:
    async def source(request: Request) -> Answer:
        raise ConversationTooLongError("9,000 tokens, at most 4,096")

    model = LanguageModel(ModelSettings(name="m"), source)
    found = asyncio.run(_judged_by(model, task, by_tree))
    assert [verdict.state for verdict in found] == ["undecided", "undecided"]
    assert all("9,000 tokens" in verdict.reason for verdict in found)


async def _judged_by(model: LanguageModel, task: ClinTask, by_tree: bool) -> list[Verdict]:
    leaves = list(task.hidden.sql_rubric.leaves())
    judge, context = Judge(model, by_tree=by_tree), JudgeContext(known={})
    return [v async for v in judge.verdicts(task, "sql", leaves, CANDIDATE, context)]
