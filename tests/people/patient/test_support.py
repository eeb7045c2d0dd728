"""What a patient's words state beyond the memory, hint at, or say as a program."""

import re
from collections import Counter
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

from tests.cases import for_each
from wardround.ehr.text.language import Language
from wardround.people.patient.memory import Level, read_memory
from wardround.people.patient.scripted import ScriptedPatient
from wardround.people.patient.support import (
    SPEECH_ACTS,
    Facts,
    hints,
    labelled_clauses,
    speaks_as_machine,
    speech_act,
    tellable,
    unsupported,
)

GUARD = Path(__file__).parent / "guard"
MEMORY = read_memory(GUARD / "memory.yaml")
# Clauses written for development; what is allowed to go wrong stands here exactly.
MISJUDGED = {
    "en": {"ok refused": 1},
    "zh": {"ok refused": 1, "hint accepted": 1, "invented accepted": 1},
}


def facts(language: Language) -> Facts:
    return Facts(" | ".join(tellable(MEMORY, MEMORY.withheld, language)), language)


def refused(text: str, known: Facts) -> bool:
    return any(unsupported(text, known)) or hints(text, known) or speaks_as_machine(text, known)


@pytest.mark.parametrize("language", get_args(Language))
def test_development_clauses_are_refused_by_what_they_state(language: Language) -> None:
    rows = [line.split("\t") for line in (GUARD / "model_answers.tsv").read_text().splitlines()]
    found: Counter[str] = Counter()
    for _, label, text in (row for row in rows if row[0] == language):
        is_refused = refused(text, facts(language))
        if is_refused == (label == "ok"):
            found[f"{label} {'refused' if is_refused else 'accepted'}"] += 1
    assert found == MISJUDGED[language]


@for_each(
    [
        "I live with my wife.",
        "It started four days ago.",
        "It comes every Tuesday.",
        "I have asthma.",
        "I had my appendix removed.",
        "No, I have no fever.",
        "I work as a plumber.",
        "I don't know, but my brother has it.",
    ]
)
def test_a_fact_that_the_memory_lacks_is_found(text: str) -> None:
    assert list(unsupported(text, facts("en")))


def test_denied_knowledge_may_repeat_the_question() -> None:
    question = "Did you ever have asthma?"
    assert not list(unsupported("I don't know whether I had asthma.", facts("en"), question))
    assert list(unsupported("Yes, I had asthma.", facts("en"), question))


def test_withheld_drugs_are_not_tellable() -> None:
    assert not any(
        re.search("ibuprofen|knee", text) for text in tellable(MEMORY, MEMORY.withheld, "en")
    )
    assert any("knee" in text for text in tellable(MEMORY, (), "en"))


@pytest.mark.parametrize(
    ("language", "literacy"), list(product(get_args(Language), get_args(Level)))
)
async def test_the_script_keeps_the_rules_of_the_model(language: Language, literacy: Level) -> None:
    for tool in ("symptom_history", "medication_adherence", "social_history", "functional_status"):
        patient = ScriptedPatient(MEMORY, language, literacy)
        plan = await patient.answer(tool, {})
        own = tellable(MEMORY, patient.withheld, language)
        assert not refused(plan.text, Facts(" | ".join([plan.text, *own]), language)), plan.text


# Clauses whose speech act is as labelled, of all.
RIGHT = {"en": (126, 126), "zh": (105, 105)}


@pytest.mark.parametrize("language", get_args(Language))
def test_speech_acts_are_learned(language: Language) -> None:
    examples = list(labelled_clauses(language))
    assert {act for act, _ in examples} == set(SPEECH_ACTS)
    chosen = examples[::7]
    right = sum(speech_act(text, language) == act for act, text in chosen)
    assert (right, len(chosen)) == RIGHT[language]
