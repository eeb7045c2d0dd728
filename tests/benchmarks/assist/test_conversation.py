"""Sessions as conversations: both languages, the patient, verdicts, and the judge's view."""

import json
from collections.abc import Sequence
from pathlib import Path

import orjson

import wardround
from tests.apps.commands import Cli
from tests.benchmarks.assist.played import judged, opened, play
from wardround.benchmarks.assist.tasks import (
    CREDENTIALED,
    load_tasks,
    session_lines,
    shipped_tasks,
)
from wardround.core.actions import Call, Say
from wardround.core.conversation import Exchange
from wardround.core.tools import ToolSpec
from wardround.models.client import scripted
from wardround.models.messages import Message, Reply

ASKING = next(
    task
    for task in shipped_tasks("hand_written").tasks
    if any(t.asks_patient for t in task.hidden.turns)
)


def exchanges(**options: object) -> tuple[Exchange, ...]:
    benchmark = opened(**options)  # type: ignore[arg-type]
    trajectory, _ = play(benchmark, ASKING)
    verdicts = judged(benchmark, ASKING, trajectory)
    return benchmark.conversation(ASKING, trajectory, verdicts).exchanges


def test_a_session_is_shown_in_both_languages_with_calls_patient_and_verdicts() -> None:
    shown = exchanges(language="zh")
    for number, (exchange, gold) in enumerate(zip(shown, ASKING.hidden.turns, strict=True)):
        texts = {wording.label: wording.texts for wording in exchange.wordings}
        public = ASKING.public
        assert texts["implicit question"] == tuple(
            public.questions[language][number] for language in ("en", "zh")
        )
        assert texts["gold answer"] == (gold.answers["en"], gold.answers["zh"])
        calls = [line.who for line in exchange.lines if line.kind == "called"]
        assert calls == [*(call.tool for call in gold.calls), "prepare_to_answer"]
        assert ("patient" in [line.who for line in exchange.lines]) == gold.asks_patient
        assert exchange.lines[-1].text == gold.answers["zh"]
        assert [item.texts[0] for item in exchange.items] == list(gold.rubric["en"])
        assert {item.verdicts[0].state for item in exchange.items} == {"passed"}
        assert exchange.judged_on == ""


def test_what_the_judge_was_shown_is_what_it_was_sent() -> None:
    prompts = []

    def reply(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        prompts.append(messages[-1].text)
        grades = [{"item": item, "met": True, "reason": "so"} for item in range(6)]
        return Reply(orjson.dumps({"grades": grades}).decode())

    shown = exchanges(judge=scripted(reply), verdicts="judge")
    assert [exchange.judged_on for exchange in shown] == prompts


def published(folder: Path, **changed: object) -> Path:
    """A file with a shipped session under a published id."""
    session = next(session_lines("hand_written"))
    session["id"] = "physassistbench_LabInterp_diagnostic_workup_1_L1"
    session |= changed
    path = folder / "sessions.jsonl"
    path.write_text(json.dumps(session) + "\n", "utf-8")
    return path


def test_a_run_on_credentialed_sessions_says_so(cli: Cli, tmp_path: Path) -> None:
    sessions = published(tmp_path)
    assert load_tasks(sessions).terms == CREDENTIALED
    assert shipped_tasks("hand_written").terms == ""
    run = wardround.run(
        "assist", agent="oracle", tasks=sessions, out=tmp_path / "run", sessions="hand_written"
    )
    assert json.loads((run.folder / "run.json").read_text())["tasks"]["terms"] == CREDENTIALED
    compared = json.loads(cli("compare", run.folder, run.folder, "--json").out)["tables"][
        "compared"
    ]
    assert CREDENTIALED in compared["note"]
    page = tmp_path / "page.html"
    done = cli("report", run.folder, "--html", page)
    assert CREDENTIALED in done.out.replace("\n", " ")
    assert CREDENTIALED in page.read_text("utf-8")
    assert "implicit question" in page.read_text("utf-8")


def test_a_failed_call_of_a_patient_tool_takes_no_words_from_the_next() -> None:
    subject = ASKING.hidden.subject
    bad = Call("patient.get_medication_adherence", {"subject_id": "nobody", "drug": {"a": 1}})
    good = Call("patient.get_functional_status", {"subject_id": subject})
    benchmark = opened()
    trajectory, _ = play(benchmark, ASKING, [bad, good, *[Say(".")] * 4])
    lines = benchmark.conversation(ASKING, trajectory, []).exchanges[0].lines
    answers = [(line.kind, line.who) for line in lines if line.kind != "called"]
    assert answers[1:3] == [("returned", bad.tool), ("said", "patient")]
