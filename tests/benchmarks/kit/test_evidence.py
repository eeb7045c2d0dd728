from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wardround.benchmarks.kit.evidence import difference, nearest

ROWS = st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["a", "b"])), max_size=6)


@given(ROWS, ROWS)
def test_difference_is_reported_exactly_if_rows_differ(
    gold: list[tuple[Any, ...]], result: list[tuple[Any, ...]]
) -> None:
    text = difference(gold, result)
    differs = sorted(gold) != sorted(result)
    assert ("missing" in text or "unexpected" in text) is differs


def test_numbers_are_compared_as_graders_compare_them() -> None:
    assert "missing" not in difference([[3]], [["3.00001"]])


def test_long_results_and_cells_are_cut() -> None:
    text = difference([["x" * 500]] * 1000, None)
    assert text.startswith("want 1,000 rows: (")
    assert len(text) < 600


def test_latest_of_equally_similar_attempts_is_chosen() -> None:
    assert nearest("SELECT a", ["SELECT b", "SELECT c"]) == "SELECT c"
    assert nearest("SELECT a", []) == ""
