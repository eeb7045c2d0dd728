"""Questions to the scripted patient written without sight of it: exact counts of what is told."""

from collections import Counter
from pathlib import Path

import pytest

from bench.assist_items import model_patient
from bench.assist_items.patient_questions import counts
from wardround.benchmarks.assist.sessions import Language

QUESTIONS = Path(__file__).parent / "patient_questions"
TOLD = {
    "en": {"told": 60, "not told": 3, "withheld": 6, "invented": 1, "not known": 1},
    "zh": {"told": 56, "not told": 1, "withheld": 5},
}

# Refused and all answers by label; at first scoring 17 of 38 and 7 of 35 right ones were refused.
REFUSED = {
    ("en", "ok"): (3, 38), ("en", "invented"): (28, 28), ("en", "hint"): (14, 14),
    ("en", "ai"): (9, 9),
    ("zh", "ok"): (3, 35), ("zh", "invented"): (23, 24), ("zh", "hint"): (11, 12),
    ("zh", "ai"): (8, 8),
}  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
def test_counts_of_blind_questions(language: Language) -> None:
    assert counts(language, QUESTIONS / f"blind_{language}.tsv") == Counter(TOLD[language])


def test_answers_of_a_model_written_without_sight_of_the_checks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wardround.people.patient.model.TRIES", 1)
    found = model_patient.counts(QUESTIONS / "model_answers.jsonl")
    refused = {key: (outcomes["refused"], outcomes.total()) for key, outcomes in found.items()}
    assert refused == REFUSED
