"""Questions to the scripted patient written without sight of it: exact counts of what is told."""

from collections import Counter
from pathlib import Path

import pytest

from bench.assist_items.patient_questions import counts
from wardround.benchmarks.assist.tasks import Language

QUESTIONS = Path(__file__).parent / "patient_questions"
TOLD = {
    "en": {"told": 57, "not told": 6, "withheld": 6, "invented": 1, "not known": 1},
    "zh": {"told": 51, "not told": 6, "withheld": 5},
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_counts_of_blind_questions(language: Language) -> None:
    assert counts(language, QUESTIONS / f"blind_{language}.tsv") == Counter(TOLD[language])
