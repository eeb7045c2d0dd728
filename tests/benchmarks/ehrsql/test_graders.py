"""Comparisons of whole results by the published graders and strictly."""

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.benchmarks.ehrsql.graders import same_first_rows, same_sorted_rows, same_whole

FIXTURES = Path(__file__).parent / "fixtures" / "whole_results.jsonl"
CASES = [json.loads(line) for line in FIXTURES.read_text("utf-8").splitlines()]
COMPARISONS = {
    "ehrsql-1.5": same_first_rows,
    "ehrsql-2024": same_sorted_rows,
    "strict": same_whole,
}

cells = st.none() | st.integers(-99, 99) | st.sampled_from(["a", "b", "1"])
tables = st.integers(1, 3).flatmap(lambda n: st.lists(st.tuples(*[cells] * n), max_size=6))


@for_each(CASES)
def test_case_passes_in_the_expected_gradings(case: dict[str, Any]) -> None:
    passes = [name for name, same in COMPARISONS.items() if same(case["gold"], case["result"])]
    assert passes == case["passes"]


@given(tables, st.randoms())
def test_row_order_is_ignored_within_the_compared_rows(rows: list[Any], random: Any) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert all(same(rows, shuffled) for same in COMPARISONS.values())


@given(tables, tables)
def test_comparison_is_symmetric(first: list[Any], second: list[Any]) -> None:
    for same in COMPARISONS.values():
        assert same(first, second) == same(second, first)


def test_first_hundred_rows_are_compared() -> None:
    rows = [(n,) for n in range(100, 250)]
    backwards = rows[::-1]
    late = [*rows[:149], (999,)]
    assert not same_first_rows(rows, backwards), "1.5 sees the first hundred as they come"
    assert same_sorted_rows(rows, backwards), "2024 sorts before it cuts"
    assert same_first_rows(rows, late)
    assert same_sorted_rows(rows, late), "999 sorts behind the hundred that are seen"
    assert not same_whole(rows, late)
