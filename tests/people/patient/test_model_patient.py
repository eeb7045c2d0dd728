"""The patient on a language model keeps the rules or falls back to the script."""

from pathlib import Path

import pytest

from wardround.models.client import scripted
from wardround.models.messages import Message, Reply
from wardround.people.patient.memory import read_memory
from wardround.people.patient.model import ModelPatient

MEMORY = read_memory(Path(__file__).parent / "guard" / "memory.yaml")
GOOD = "It goes into my left arm. I am afraid."
CALL = ("pain_assessment", {"query": "Does the pain spread anywhere?"})
WRONG = {
    "fact": "It stays in one place. I am afraid.",
    "drug": "It goes into my left arm. I am afraid of aspirin.",
    "language": "会传到左臂。我很担心。",
    "length": "It goes. It goes. It goes. It goes. It goes. It goes into my left arm.",
    "withheld": "It goes into my arm. I take Advil for it.",
    "explanation": "My arm. I skip it on work days because of the toilet.",
    "number": "It goes into my left arm. It is 9 out of 10.",
    "invented": "It goes into my left arm. My sister has that too.",
    "hint": "It goes into my left arm. There is something that I would rather not mention.",
    "machine": "It goes into my left arm. As an AI, I feel nothing.",
}


def patient(answers: list[str], requests: list[str]) -> ModelPatient:
    def answer(messages: object, tools: object) -> Reply:
        assert isinstance(messages, list | tuple)
        requests.append("\n".join(each.text for each in messages if isinstance(each, Message)))
        return Reply(answers[min(len(requests), len(answers)) - 1])

    model = scripted(answer).bind("patient", lambda event: None, seed=1)
    return ModelPatient(model, MEMORY, "en", "medium")


@pytest.mark.parametrize("rule", WRONG)
async def test_an_answer_that_breaks_a_rule_is_requested_again(rule: str) -> None:
    requests: list[str] = []
    said = await patient([WRONG[rule], GOOD], requests).answer(*CALL)
    assert (said.text, said.outcome, len(requests)) == (GOOD, "told", 2)


@pytest.mark.parametrize("rule", WRONG)
async def test_the_script_answers_for_a_model_that_keeps_breaking_a_rule(rule: str) -> None:
    said = await patient([WRONG[rule]], []).answer(*CALL)
    assert said.outcome == "fallback"
    assert {"explanation": "withheld"}.get(rule, rule) in said.broken
    assert "left arm" in said.text


async def test_a_single_sentence_is_completed_with_the_feeling() -> None:
    said = await patient(["It goes into my left arm."], []).answer(*CALL)
    assert (said.text.count("."), said.outcome) == (2, "told")


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [("I do not know. Sorry.", "unknown"), ("My insurer is Acme. It is good.", "fallback")],
)
async def test_what_is_not_in_the_memory_is_not_made_up(answer: str, outcome: str) -> None:
    asked = ("social_history", {"query": "What was your last potassium?"})
    said = await patient([answer], []).answer(*asked)
    assert said.outcome == outcome


async def test_a_withheld_fact_is_in_no_request_before_its_drug_is_asked_about() -> None:
    requests: list[str] = []
    played = patient([GOOD], requests)
    await played.answer("medication_adherence", {})
    await played.answer("symptom_history", {"query": "Do you take painkillers?"})
    assert "knee" not in "".join(requests)
    await played.answer("medication_adherence", {"drug": "Motrin"})
    assert "knee" in requests[-1]
