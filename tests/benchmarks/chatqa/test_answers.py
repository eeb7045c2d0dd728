import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.benchmarks.chatqa.answers import passes_published, passes_strict, tagged_answers
from wardround.scoring.results import cell_text

CASES = (Path(__file__).parent / "fixtures" / "answers.jsonl").read_text().splitlines()

words = st.sampled_from(["aspirin", "heparin", "aspirin 81 mg", "skin and bone", "sinus day"])
numbers = st.one_of(st.integers(0, 10_000), st.floats(-1e6, 1e6).map(lambda x: round(x, 4) + 0.0))
values = st.lists(st.one_of(words, numbers), min_size=1, max_size=4, unique_by=cell_text)


@pytest.mark.parametrize("line", CASES)
def test_case(line: str) -> None:
    case = json.loads(line)
    assert passes_published(case["gold"], case["said"]) is case["paper"], case["why"]
    assert passes_strict(case["gold"], case["said"]) is case["strict"], case["why"]


@given(st.one_of(words, numbers))
def test_the_gold_itself_passes_both_ways(value: str | float) -> None:
    said = [f"<answer>{value}</answer>"]
    assert passes_published([[value]], said)
    assert passes_strict([[value]], said)


@given(values, st.randoms(use_true_random=False))
def test_gold_values_pass_in_any_order(gold: list[str | float], draw: random.Random) -> None:
    listed = ", ".join(map(str, draw.sample(gold, len(gold))))
    assert passes_strict([[value] for value in gold], [f"<answer>{listed}</answer>"])


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_strict_takes_a_whole_number_for_no_other(gold: int, said: int) -> None:
    assert passes_strict([[gold]], [f"<answer>{said}</answer>"]) is (gold == said)


@given(st.text(alphabet="<>/answer 7\n", max_size=60))
def test_tags_are_read_from_any_text(text: str) -> None:
    for answer in tagged_answers(text):
        assert answer in text
        assert "<answer>" not in answer
