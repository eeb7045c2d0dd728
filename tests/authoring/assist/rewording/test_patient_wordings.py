"""Patients' answers in a model's words are kept if they say the same, and refused with a reason."""

import json
from asyncio import Runner
from collections.abc import Mapping, Sequence
from itertools import chain, repeat
from pathlib import Path

import pytest

from tests.cases import one_in
from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.rewording.patient_wordings import PatientWordings
from wardround.authoring.assist.rewording.rewriter import Rewriter
from wardround.authoring.assist.session_lines import Session, session_line
from wardround.authoring.assist.slots import SlotFiller
from wardround.benchmarks.assist.sessions import LANGUAGES
from wardround.core.tools import ToolSpec
from wardround.models import LanguageModel, Message, Reply, scripted

CASES = Path(__file__).with_name("reworded_answers.tsv")
COLUMNS, *ROWS = (line.split("\t") for line in CASES.read_text(encoding="utf-8").splitlines())
LEVELS = ("high", "medium", "low")
BROKEN = "no JSON at all"


def texts_of(case: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """The texts of a case by literacy and language."""
    return {
        level: {language: case[f"{level}_{language}"] for language in LANGUAGES} for level in LEVELS
    }


def writer(cases: Sequence[Mapping[str, str]], prompts: list[str]) -> LanguageModel:
    """A writer that words an answer as one case after the other says, and translates back."""
    answers = chain(cases, repeat(cases[-1]))  # one that cannot be read is asked for again
    backs = {text["zh"]: text["en"] for case in cases for text in texts_of(case).values()}

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        text = messages[1].text
        if text.startswith("Chinese: "):
            back = cases[-1]["back"]
            english = backs[text.removeprefix("Chinese: ")] if back == "=" else back
            return Reply(BROKEN if back == "broken" else json.dumps({"english": english}))
        prompts.append(text)
        case = next(answers)
        wording = json.dumps(texts_of(case), ensure_ascii=False)
        return Reply(BROKEN if case["high_en"] == "broken" else wording)

    return scripted(answer, "writer-1")


def checker(verdict: str) -> LanguageModel:
    """A checker with one verdict."""
    answer = BROKEN if verdict == "broken" else json.dumps({"same": verdict == "yes"})
    return scripted(lambda messages, tools: Reply(answer))


def reworded(
    filler: SlotFiller, session: Session, cases: Sequence[Mapping[str, str]]
) -> tuple[Session, GateCounts, list[str]]:
    """A session with the answers of cases, the counts, and the prompts of the writer."""
    counts, prompts = GateCounts(), list[str]()
    models = Rewriter(writer(cases, prompts), checker(cases[-1]["same"]), 0, lambda request: None)
    with Runner() as runner:
        wordings = PatientWordings(models, runner)
        return wordings.reworded(session, filler._gate_faults, counts), counts, prompts


@pytest.mark.parametrize("row", one_in(3, ROWS), ids=lambda row: row[-1] or "kept")
def test_an_answer_is_kept_or_refused_with_a_reason(
    filler: SlotFiller, sessions: Mapping[str, Session], row: list[str]
) -> None:
    case, session = dict(zip(COLUMNS, row, strict=True)), sessions["warfarin"]
    done, counts, _ = reworded(filler, session, [case, case])
    if reason := case["reason"]:
        assert {key[:2] for key in counts.counts if key[3] == "failed"} == {("patient", reason)}
        assert done == session
        return
    line = session_line(done, "2150-01-01")
    assert line["patient_writer"] == "writer-1"
    told = {
        level: {"en": step["patient_responses_all_literacy"][level]}
        for turn in line["answer_list"]
        for step in [each["observation"] for each in turn]
        if isinstance(step, dict) and "patient_response" in step
        for level in LEVELS
    }
    assert told == {level: {"en": case[f"{level}_en"]} for level in LEVELS}
    assert [each["patient_response"] for each in line["patient_agent_annotations"]] == [
        case["high_en"]
    ]
    assert "patient_writer" not in session_line(session, "2150-01-01")


def test_a_second_try_is_told_the_reason(
    filler: SlotFiller, sessions: Mapping[str, Session]
) -> None:
    kept, other, *_ = (dict(zip(COLUMNS, row, strict=True)) for row in ROWS)
    done, counts, prompts = reworded(filler, sessions["warfarin"], [other, kept])
    assert done.words_writer == "writer-1"
    assert "refused" not in prompts[0]
    assert prompts[1].endswith("Your last wording was refused: a wording has other terms: drug.")
    assert sum(counts.counts.values()) == 2
