"""Recorded answers are found by tool and drug, each said once, then the last one again."""

import asyncio

from wardround.people.patient.replay import RecordedAnswer, ReplayPatient

ADHERENCE = "medication_adherence"
RECORDED = [
    RecordedAnswer(ADHERENCE, {"drug": "Coumadin"}, "every evening"),
    RecordedAnswer(ADHERENCE, {"drug": "lasix"}, "some days"),
    RecordedAnswer("pain_assessment", {}, "three"),
    RecordedAnswer("pain_assessment", {"query": "now"}, "two"),
]


def test_answers_are_found_by_tool_and_drug() -> None:
    patient = ReplayPatient(RECORDED, "en")

    def ask(tool: str, **arguments: str) -> str:
        return asyncio.run(patient.answer(tool, arguments)).text

    assert ask(ADHERENCE, drug="furosemide") == "some days"
    assert ask(ADHERENCE, drug="warfarin", query="how often") == "every evening"
    pains = [ask("pain_assessment") for _ in range(3)]
    assert pains == ["three", "two", "two"]


def test_an_unrecorded_question_is_said_to_be_one() -> None:
    patient = ReplayPatient(RECORDED, "zh")
    speech = asyncio.run(patient.answer(ADHERENCE, {"drug": "aspirin"}))
    assert speech.outcome == "unrecorded"
    assert "没有记录" in speech.text
