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
BROKEN = "no JSON at all"
LISTED = {"first": "a", "second": "a", "difference": "none"}


def rule_texts(session: Session) -> dict[str, str]:
    """The answers of a session by literacy and language, such as "high_en"."""
    [words] = session.patient_words
    return {f"{level}_{lang}": text for lang in LANGUAGES for level, text in words[lang].items()}


def writer(
    session: Session, cases: Sequence[Mapping[str, str]], prompts: list[str]
) -> LanguageModel:
    """A writer that words one answer as one case after the other says, and translates back."""
    answers = chain(cases, repeat(cases[-1]))  # one that cannot be read is asked for again
    rule, name = rule_texts(session), cases[-1]["text"]
    english = rule[name.replace("zh", "en")]

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        text = messages[1].text
        if text.startswith("Chinese: "):
            back = cases[-1]["back"]
            given = json.dumps({"english": english if back == "=" else back})
            return Reply(BROKEN if back == "broken" else given)
        if f"Text: {rule[name]}" not in text.splitlines():
            return Reply(BROKEN)
        prompts.append(text)
        new = next(answers)["wording"]
        wording = json.dumps({"text": rule[name] if new == "=" else new}, ensure_ascii=False)
        return Reply(BROKEN if new == "broken" else wording)

    return scripted(answer, "writer-1")


def checker(verdict: str) -> LanguageModel:
    """A checker with one verdict."""
    answer = BROKEN if verdict == "broken" else json.dumps({**LISTED, "same": verdict == "yes"})
    return scripted(lambda messages, tools: Reply(answer))


def reworded(
    filler: SlotFiller, session: Session, cases: Sequence[Mapping[str, str]]
) -> tuple[Session, GateCounts, list[str]]:
    """A session with the answers of cases, the counts, and the prompts of the writer."""
    counts, prompts = GateCounts(), list[str]()
    models = Rewriter(
        writer(session, cases, prompts), checker(cases[-1]["same"]), 0, lambda request: None
    )
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
        failed = {key[:2] for key in counts.counts if key[3] == "failed"}
        assert failed == {("patient", reason), ("patient", "the writer gives no wording")}
        assert done == session
        return
    level, language = case["text"].split("_")
    told = rule_texts(done)
    assert told == {**rule_texts(session), case["text"]: case["wording"]}
    line = session_line(done, "2150-01-01")
    assert line["patient_writer"] == "writer-1"
    [stored] = [
        step["patient_responses_all_literacy"]
        for turn in line["answer_list" if language == "en" else "answer_list_zh"]
        for step in [each["observation"] for each in turn]
        if isinstance(step, dict) and "patient_response" in step
    ]
    assert stored[level] == case["wording"]
    [annotation] = line["patient_agent_annotations"]
    assert annotation["patient_response"] == told["high_en"]
    assert "patient_writer" not in session_line(session, "2150-01-01")


def test_a_second_try_is_told_the_reason(
    filler: SlotFiller, sessions: Mapping[str, Session]
) -> None:
    kept, other = (
        {"text": "low_en", "wording": wording, "back": "=", "same": "yes"}
        for wording in (
            "Aspirin? Sure, I do use it. It is for coronary artery disease.",
            "Apixaban? Sure, I do use it. It is for coronary artery disease.",
        )
    )
    done, counts, prompts = reworded(filler, sessions["warfarin"], [other, kept])
    assert rule_texts(done)["low_en"] == kept["wording"]
    assert "Refused" not in prompts[0]
    assert prompts[1].endswith(
        "Refused before: a wording has other terms: drug (lost: aspirin; added: apixaban)."
    )
    assert counts.counts["patient", "a wording has other terms: drug", "IL", "failed"] == 1
