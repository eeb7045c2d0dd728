"""Sessions played on the made record: the oracle, limits, writes, gold, judges."""

import asyncio
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import orjson
import pytest

from tests.benchmarks.assist.played import graded, judged, opened, play
from tests.benchmarks.assist.test_conversation import published
from wardround.benchmarks.assist.declaration import CALLS, LAST_REQUESTS, PAPER
from wardround.benchmarks.assist.sessions import PREPARE, Language, Session
from wardround.benchmarks.assist.tasks import shipped_tasks
from wardround.benchmarks.assist.turns import patient_words, played_turns, settings_of
from wardround.core.actions import Action, Call, Say
from wardround.core.benchmark import TrialContext
from wardround.core.errors import InfraError, UserError
from wardround.core.limits import Limits
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Noted, Trajectory
from wardround.core.verdict import with_undecided_as
from wardround.models.client import scripted
from wardround.models.messages import Message, Reply
from wardround.people.patient.memory import PatientMemory, memory_file, write_memory

SESSIONS = {task.id: task for task in shipped_tasks("hand_written").tasks}
WRITING = [task for task in SESSIONS.values() if task.hidden.turns[3].writes]
FIRST = next(iter(SESSIONS.values()))
PREPARED = Call(PREPARE, {"answer_type": "tool"})


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_oracle_passes_sessions_without_a_model(language: Language) -> None:
    benchmark = opened(language=language)
    for task in list(SESSIONS.values())[::4]:
        trajectory, _ = play(benchmark, task)
        score = graded(benchmark, task, trajectory)
        assert score.passed == {"strict": True, "paper": True}, (task.id, score.note)


def test_calls_beyond_the_limit_are_refused_and_the_turn_ends_without_an_answer() -> None:
    look = Call("Patient.read", {"subject_id": FIRST.hidden.subject})
    wait = [look] * (CALLS + LAST_REQUESTS + 1)
    trajectory, seen = play(opened(), FIRST, [PREPARED, *wait, Say("b"), Say("c"), Say("d")])
    first, second = played_turns(trajectory)[:2]
    assert (len(first.calls), first.refused, first.answer) == (CALLS, LAST_REQUESTS + 1, "")
    assert first.prepared
    assert not second.prepared
    assert second.answer == "b"
    assert [each.source for each in seen].count("environment") == LAST_REQUESTS


def test_an_order_is_found_by_a_later_search_of_its_session_only() -> None:
    task = next(t for t in WRITING if t.hidden.turns[3].calls[0].tool.startswith("Medication"))
    [order] = task.hidden.turns[3].calls
    given = {"subject_id": task.hidden.subject, "medication": order.arguments["medication"]}
    search = Call("MedicationRequest.search", given)
    actions: list[Action] = [search, Call(order.tool, dict(order.arguments)), search]
    _, seen = play(opened(), task, [*actions, Say("."), Say("."), Say("."), Say(".")])
    assert seen[3].text != seen[1].text
    assert order.arguments["dose"] in seen[3].text
    _, again = play(opened(), task, [search, Say("."), Say("."), Say("."), Say(".")])
    assert again[1].text == seen[1].text


@pytest.mark.parametrize("task", WRITING[:3], ids=lambda task: task.id)
def test_mutants_of_a_write_fail_what_they_break(task: Session) -> None:
    benchmark = opened()
    for change, broken in [
        ([], 5),
        (list(task.hidden.turns[3].calls) * 2, 1),
    ]:
        calls = [Call(c.tool, dict(c.arguments)) for c in change]
        actions: list[Action] = [Say("."), Say("."), Say("."), *calls, PREPARED, Say("done")]
        trajectory, _ = play(benchmark, task, actions)
        verdicts = [v for v in judged(benchmark, task, trajectory) if v.item.startswith("turn3:")]
        single = any("exactly one" in item for item in task.hidden.turns[3].rubric["en"])
        expected = broken if not change or single else 0
        assert sum(v.state == "failed" for v in verdicts) == expected


def test_turns_that_were_not_prepared_score_nothing_in_strict() -> None:
    benchmark = opened()
    answers = [Say(turn.answers["en"]) for turn in FIRST.hidden.turns]
    trajectory, _ = play(benchmark, FIRST, answers)
    score = graded(benchmark, FIRST, trajectory)
    assert (score.rewards["strict"], score.passed["strict"]) == (0, False)
    assert score.rewards["paper"] == 1
    assert "was not prepared" in score.note


def test_gold_reaches_no_agent() -> None:
    benchmark = opened()
    environment = asyncio.run(benchmark.environment(FIRST, TrialContext(0, Limits(), Trajectory())))
    _, seen = play(benchmark, FIRST, [Say("."), Say("."), Say("."), Say(".")])
    assert "16" in environment.briefing.rules
    heard = "\n".join([environment.briefing.rules, *(each.text for each in seen)])
    asyncio.run(environment.close())
    for turn in FIRST.hidden.turns:
        for text in (*turn.rubric["en"], turn.answers["en"]):
            assert text not in heard


def test_a_judge_decides_what_programs_leave_open_and_never_sees_the_gold_answer() -> None:
    prompts = []

    def reply(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        prompts.append(messages[-1].text)
        grades = [{"item": item, "met": True, "reason": "so"} for item in range(6)]
        return Reply(orjson.dumps({"grades": grades}).decode())

    benchmark = opened(scripted(reply), verdicts="judge")
    actions = [action for turn in range(4) for action in (PREPARED, Say(f"answer {turn}"))]
    trajectory, _ = play(benchmark, FIRST, actions)
    score = graded(benchmark, FIRST, trajectory)
    assert score.passed["strict"]
    assert len(prompts) == 4
    golds = [turn.answers["en"] for turn in FIRST.hidden.turns]
    assert not any(gold in prompt for gold in golds for prompt in prompts)
    assert "answer 0" in prompts[1]
    paper = opened(scripted(reply), PAPER, verdicts="judge")
    judged(paper, FIRST, trajectory)
    assert golds[0] in prompts[5]
    assert golds[1] not in prompts[5]
    assert "answer 0" not in prompts[5]


def test_a_judge_that_is_down_leaves_the_session_open() -> None:
    def reply(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        raise InfraError("it is down")

    benchmark = opened(scripted(reply), verdicts="judge")
    trajectory, _ = play(benchmark, FIRST)
    verdicts = judged(benchmark, FIRST, trajectory)
    assert {v.state for v in verdicts} == {"undecided"}
    assert all("down" in v.reason for v in verdicts)
    bounds = [
        benchmark.score(FIRST, trajectory, with_undecided_as(verdicts, state)).passed["strict"]
        for state in ("failed", "passed")
    ]
    assert bounds == [False, True]


def test_a_judge_that_grades_too_few_items_leaves_the_rest_open() -> None:
    def reply(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        return Reply('{"grades": [{"item": 0, "met": true}]}')

    benchmark = opened(scripted(reply), verdicts="judge")
    trajectory, _ = play(benchmark, FIRST)
    found = {v.item: v.state for v in judged(benchmark, FIRST, trajectory)}
    assert found["turn0:0"] == "passed"
    assert found["turn0:1"] == "undecided"


def test_a_patient_on_a_model_is_guarded_and_repeated_in_a_replay() -> None:
    def reply(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        return Reply("不知道。没有什么。")

    ask = [Call("patient.get_pain_assessment", {"query": "How bad is it?"})]
    actions: list[Action] = [*ask, *[Say(".")] * 4]
    trajectory, seen = play(opened(speaker=scripted(reply), patient="model"), FIRST, actions)
    [note] = [e.data for e in trajectory.events if isinstance(e, Noted) and e.subject == "patient"]
    assert note["outcome"] == "fallback"
    assert "language" in note["broken"]
    assert note["text"] in seen[1].text
    assert settings_of(trajectory).patient == "model"
    silent = scripted(lambda messages, tools: Reply("I will not be asked. Never."))
    again, _ = play(opened(speaker=silent, patient="model"), FIRST, actions, trajectory)
    assert patient_words(again) == patient_words(trajectory)


def test_a_session_without_a_memory_takes_that_of_the_folder(tmp_path: Path) -> None:
    sessions = published(tmp_path, memory=None)
    script = opened(patient="script")
    with pytest.raises(UserError, match="no memory of its patient"):
        script.load(sessions)
    memory = PatientMemory(subject_id=FIRST.hidden.subject, social_history="I live on a boat.")
    write_memory(memory, memory_file(tmp_path, FIRST.hidden.subject))
    benchmark = opened(patient="script", memories=tmp_path)
    [task] = benchmark.load(sessions).tasks
    ask = Call("patient.get_social_history", {"query": "How do you live?"})
    _, seen = play(benchmark, task, [ask, *[Say(".")] * 4])
    assert "boat" in seen[1].text
    with pytest.raises(UserError, match="contains no memory"):
        opened(memories=tmp_path / "none")


def test_a_patient_on_a_model_needs_a_model() -> None:
    with pytest.raises(UserError, match="patient"):
        opened(patient="model")


def test_a_judge_that_grades_no_item_is_asked_again() -> None:
    answers = iter(['{"grades": []}', '{"grades": [{"item": 0, "met": true}]}'] * 4)

    def reply(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        return Reply(next(answers))

    benchmark = opened(scripted(reply), verdicts="judge")
    trajectory, _ = play(benchmark, FIRST)
    found = {v.item: v.state for v in judged(benchmark, FIRST, trajectory)}
    assert found["turn0:0"] == "passed"


def test_gold_calls_look_at_nothing_after_the_clock() -> None:
    for task in SESSIONS.values():
        day = task.hidden.clock[:10]
        for turn in task.hidden.turns:
            for call in turn.calls:
                text = str(call.observations["en"])
                stamps = [part[:10] for part in text.split("@ ")[1:]]
                assert all(stamp <= day for stamp in stamps if stamp[:1].isdigit())


def test_without_its_record_a_session_answers_recorded_calls_only(tmp_path: Path) -> None:
    line = shipped_line().replace(str(FIRST.hidden.subject), "19999999")
    (tmp_path / "med_safety.jsonl").write_text(line)
    benchmark = opened()
    suite = benchmark.load(tmp_path)
    [task] = suite.tasks
    assert [defect.where for defect in suite.known] == [task.id]
    other = Call("Patient.read", {"subject_id": task.hidden.subject})
    gold = task.hidden.turns[0].calls[0]
    recorded = Call(gold.tool, dict(gold.arguments))
    trajectory, seen = play(benchmark, task, [other, recorded, *[Say(".")] * 4])
    assert "record is missing" in seen[1].text
    assert seen[2].text == gold.observations["en"]
    assert settings_of(trajectory).recorded
    trajectory, _ = play(benchmark, task)
    assert graded(benchmark, task, trajectory).passed["strict"]


def shipped_line() -> str:
    """The first shipped session as a published line."""
    folder = files("wardround.benchmarks.assist.suite")
    return (folder / "hand_written.jsonl").read_text(encoding="utf-8").splitlines()[0]
