"""The rubric judge: its inputs by grading and language, and answers that fail or are short."""

import asyncio
import json
from collections.abc import Collection, Sequence

import pytest

from wardround.benchmarks.assist import judge as grading
from wardround.benchmarks.assist import scorer
from wardround.benchmarks.assist.declaration import PAPER, STRICT, AssistOptions
from wardround.benchmarks.assist.rubric_judge import ItemGrade, Judge
from wardround.benchmarks.assist.sessions import (
    PREPARE,
    GoldCall,
    GoldTurn,
    Language,
    Session,
    SessionGold,
    SessionPublic,
    TaskType,
)
from wardround.core.benchmark import JudgeContext
from wardround.core.errors import InfraError
from wardround.core.task import Task
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Called, Noted, Returned, Said, StageStarted, Trajectory
from wardround.core.verdict import Verdict
from wardround.models.client import LanguageModel, scripted
from wardround.models.exchange import Answer, Request
from wardround.models.messages import Message, Reply
from wardround.models.model import ModelSettings

GOLD_ANSWER = {"en": "GOLD ANSWER OF TURN", "zh": "第几轮的标准答案"}
WRITE = "MedicationRequest.create"
ORDER = {"medication": "furosemide", "dose": "40 mg", "route": "oral", "frequency": "once daily"}


def gold_turn(number: int) -> GoldTurn:
    """A turn with a read; the last one with a write."""
    tool, arguments = "Observation.search", {"code": "Potassium"}
    if number == 3:
        tool, arguments = "MedicationRequest.create", ORDER
    call = GoldCall(tool, arguments, {"en": f"gold observed {number}", "zh": f"标准结果{number}"})
    answers: dict[Language, str] = {
        language: f"{GOLD_ANSWER[language]} {number}" for language in ("en", "zh")
    }
    rubric: dict[Language, tuple[str, ...]] = {
        "en": ("Sees a relation.", "Reasons well."),
        "zh": ("看到联系。", "推理合理。"),
    }
    kind: TaskType = "WU" if number == 3 else "CR"
    return GoldTurn(kind, None, "ehr", None, (call,), answers, rubric)


@pytest.fixture
def session() -> Session:
    questions: dict[Language, tuple[str, ...]] = {
        "en": tuple(f"Question {n}?" for n in range(4)),
        "zh": tuple(f"问题{n}？" for n in range(4)),
    }
    public = SessionPublic("A man of 60.", questions, questions)
    gold = SessionGold("s1", 1, 2, "2150-03-06", tuple(gold_turn(n) for n in range(4)))
    return Task("s1", public, gold)


def trajectory(language: Language = "en", *, writes: bool = True, turns: int = 4) -> Trajectory:
    """A session as an agent played it."""
    played = Trajectory()
    played.record(Noted("session", {"language": language}))
    for number in range(turns):
        played.record(StageStarted(f"turn{number}", f"Asked {number}"))
        played.record(Called("Observation.search", {"code": "Potassium"}))
        played.record(Returned("Observation.search", f"own observed {number}"))
        if number == 3 and writes:
            played.record(
                Noted("written", {"tool": "MedicationRequest.create", "arguments": ORDER})
            )
        played.record(Called(PREPARE, {"answer_type": "tool"}))
        played.record(Returned(PREPARE, "{}"))
        played.record(Said("agent", f"own answer {number}"))
    return played


def grades(*met: bool) -> str:
    """An answer of the judge."""
    listed = [{"item": n, "met": each, "reason": "so"} for n, each in enumerate(met)]
    return json.dumps({"grades": listed})


def judged(
    task: Session,
    answer: str,
    played: Trajectory,
    how: str = STRICT,
    decided: Collection[str] = (),
    known: Sequence[Verdict] = (),
) -> tuple[list[Verdict], list[str]]:
    """The verdicts of a judge that gives one answer, and what it was asked."""
    prompts: list[str] = []

    def reply(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        prompts.append(messages[0].text)
        return Reply(answer)

    async def run() -> list[Verdict]:
        judge = Judge(scripted(reply), how)
        context = JudgeContext(known={verdict.key: verdict for verdict in known})
        return [v async for v in judge.verdicts(task, played, decided, context)]

    return asyncio.run(run()), prompts


def test_one_request_a_turn_decides_its_items(session: Session) -> None:
    found, prompts = judged(session, grades(True, False), trajectory())
    assert len(prompts) == 4
    assert [(v.item, v.state) for v in found][:2] == [("turn0:0", "passed"), ("turn0:1", "failed")]
    assert {v.source for v in found} == {scorer.JUDGE}


def test_decided_items_and_known_verdicts_are_not_asked(session: Session) -> None:
    every = {f"turn{turn}:{item}" for turn in range(4) for item in range(2)}
    assert judged(session, grades(True), trajectory(), decided=every) == ([], [])
    found, _ = judged(session, grades(True, True), trajectory())
    assert judged(session, "", trajectory(), known=found) == ([], [])


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("how", [STRICT, PAPER])
def test_the_gold_answer_is_no_evidence(session: Session, how: str, language: Language) -> None:
    _, prompts = judged(session, grades(True, True), trajectory(language), how)
    for number, prompt in enumerate(prompts):
        assert f"{GOLD_ANSWER[language]} {number}" not in prompt
        assert str(session.hidden.turns[number].calls[0].observations[language]) in prompt
        assert session.hidden.turns[number].rubric[language][1] in prompt
        assert f"own answer {number}" in prompt


def test_strict_shows_what_happened_and_paper_the_gold_history(session: Session) -> None:
    _, strict = judged(session, grades(True, True), trajectory(), STRICT)
    assert "own observed 1" in strict[1]
    assert "own answer 0" in strict[1]
    assert GOLD_ANSWER["en"] not in "".join(strict)
    _, paper = judged(session, grades(True, True), trajectory(), PAPER)
    assert "own observed 1" not in paper[1]
    assert f"{GOLD_ANSWER['en']} 0" in paper[1]


def test_chinese_sessions_are_judged_in_chinese(session: Session) -> None:
    _, prompts = judged(session, grades(True, True), trajectory("zh"))
    assert "评分条目" in prompts[0]
    assert "rubric" not in prompts[0]


def test_a_failed_request_leaves_items_undecided_and_the_session_unscored(session: Session) -> None:
    async def broken(request: Request) -> Answer:
        raise InfraError("the provider is down")

    async def run() -> list[Verdict]:
        judge = Judge(LanguageModel(ModelSettings(name="m"), broken), STRICT)
        return [v async for v in judge.verdicts(session, trajectory(), (), JudgeContext())]

    found = asyncio.run(run())
    assert [v.state for v in found] == ["undecided"] * 8
    assert all("the provider is down" in v.reason for v in found)
    low = scorer.score(session, trajectory(), found)
    assert low.passed[STRICT] is False
    measures = low.measures["turns"]
    assert [turn["undecided"][STRICT] for turn in measures] == [2, 2, 2, 2]


def test_a_short_answer_leaves_items_open_in_strict_and_fails_them_in_paper(
    session: Session,
) -> None:
    strict, _ = judged(session, grades(True), trajectory(), STRICT)
    assert [v.state for v in strict[:2]] == ["passed", "undecided"]
    paper, _ = judged(session, grades(True), trajectory(), PAPER)
    assert [v.state for v in paper[:2]] == ["passed", "failed"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_same_judge_judges_writes_but_nothing_written_needs_none(
    session: Session, language: Language
) -> None:
    _, prompts = judged(session, grades(True, True), trajectory(language))
    assert '"furosemide"' in prompts[3]
    found, fewer = judged(session, grades(True, True), trajectory(language, writes=False))
    assert len(fewer) == 3
    assert [v.state for v in found if v.item.startswith("turn3")] == ["failed", "failed"]


@pytest.mark.parametrize(
    ("given", "met"), [("0", False), ("false", False), (0, False), ("1", True)]
)
def test_a_zero_in_any_form_is_no_pass(given: object, met: bool) -> None:
    assert ItemGrade.model_validate({"item": 0, "met": given}).met is met


def test_programs_come_first_and_the_judge_gets_the_rest(session: Session) -> None:
    prompts: list[str] = []

    def reply(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        prompts.append(messages[0].text)
        return Reply(grades(True, True))

    async def run(choice: str) -> list[Verdict]:
        options = AssistOptions.model_validate({"verdicts": choice})
        graders = grading.Graders(options, Judge(scripted(reply), STRICT))
        found = grading.verdicts(session, trajectory(), graders, JudgeContext())
        return [verdict async for verdict in found]

    by_both = asyncio.run(run("both"))
    assert len({v.item for v in by_both if v.state != "undecided"}) == 8
    asked = len(prompts)
    asyncio.run(run("judge"))
    assert len(prompts) == asked + 4
