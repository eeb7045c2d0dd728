"""Answers written without sight of the deciders: exact counts of right, false and open verdicts.

The first scoring, before anybody had looked at a sentence, decided 17 (English) and 24 (Chinese)
with 4 false passes and 2 false failures; the deciders were mended after a look at those six.
"""

from collections import Counter
from pathlib import Path

import pytest

from bench.assist_items.blind import counts
from wardround.benchmarks.assist.sessions import Language

WRITTEN = Path(__file__).parent / "written"
BLIND = {
    "en": {"right pass": 8, "right fail": 4, "open of P": 49, "open of F": 67},
    "zh": {"right pass": 10, "right fail": 9, "open of P": 49, "open of F": 62},
}

# At first scoring 46 (English) and 43 (Chinese) were decided, with a false pass and a false failure
# in English; both were mended after a look at them.
SECOND = {
    "en": {"right pass": 28, "right fail": 19, "open of P": 119, "open of F": 94},
    "zh": {"right pass": 18, "right fail": 27, "open of P": 114, "open of F": 80},
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_counts_of_blind_answers(language: Language) -> None:
    assert counts(language, WRITTEN / f"blind_{language}.tsv") == Counter(BLIND[language])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_counts_of_blind_answers_of_a_second_set(language: Language) -> None:
    assert counts(language, WRITTEN / f"turns_{language}.jsonl") == Counter(SECOND[language])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_false_verdict_on_answers_written_for_development(language: Language) -> None:
    found = counts(language, WRITTEN / f"development_{language}.tsv")
    assert (found["false pass"], found["false fail"]) == (0, 0)
    assert found["right pass"] + found["right fail"] >= 35
