import json
import random
from itertools import permutations
from pathlib import Path

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.scoring.results import Rows, column_matches, same_table, typed_text

CASES = (Path(__file__).parent / "fixtures" / "results.jsonl").read_text().splitlines()

cells = st.one_of(st.integers(-3, 3), st.floats(-2, 2), st.sampled_from(["a", "b"]))
tables = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=9)
)


@for_each(CASES)
def test_case(line: str) -> None:
    case = json.loads(line)
    assert column_matches(case["gold"], case["result"]) is case["paper"], case["why"]
    assert same_table(case["gold"], case["result"]) is case["strict"], case["why"]


def shuffled(table: Rows, draw: random.Random) -> list[list[object]]:
    """The table with its rows and its columns in another order."""
    order = draw.sample(range(len(table[0])), len(table[0]))
    return [[row[index] for index in order] for row in draw.sample(table, len(table))]


@given(tables, st.randoms(use_true_random=False))
def test_order_of_rows_and_columns_is_ignored(
    table: list[list[object]], draw: random.Random
) -> None:
    assert same_table(table, shuffled(table, draw))


@given(tables, st.randoms(use_true_random=False))
def test_equal_tables_pass_the_published_comparison(
    table: list[list[object]], draw: random.Random
) -> None:
    assert column_matches(table, shuffled(table, draw))


@given(tables, tables)
def test_strict_comparison_matches_brute_force(
    gold: list[list[object]], result: list[list[object]]
) -> None:
    def rows(table: list[list[object]], order: tuple[int, ...]) -> list[tuple[str, ...]]:
        return sorted(tuple(typed_text(row[index]) for index in order) for row in table)

    straight = tuple(range(len(gold[0])))
    expected = len(gold[0]) == len(result[0]) and any(
        rows(gold, straight) == rows(result, order) for order in permutations(straight)
    )
    assert same_table(gold, result) is expected


@given(tables, st.randoms(use_true_random=False))
def test_a_changed_cell_fails(table: list[list[object]], draw: random.Random) -> None:
    changed = [list(row) for row in shuffled(table, draw)]
    changed[-1][-1] = "something else"
    assume("something else" not in {cell for row in table for cell in row})
    assert not same_table(table, changed)


def test_published_comparison_sorts_before_truncating() -> None:
    gold = [[n] for n in range(1000, 1250)]
    assert column_matches(gold, gold[::-1])
    assert column_matches(gold, gold[:100])
    assert not column_matches(gold, gold[150:])
    assert same_table(gold, gold[::-1])
    assert not same_table(gold, gold[:100])


def test_published_comparison_of_long_tables_depends_on_the_first_column() -> None:
    gold = [[n, 1250 - n] for n in range(1000, 1250)]
    swapped = [[second, first] for first, second in gold]
    assert same_table(gold, swapped)
    assert not column_matches(gold, swapped)


def test_many_similar_columns_are_matched() -> None:
    gold = [[(row * column) % 13 for column in range(1, 13)] for row in range(13)]
    assert same_table(gold, shuffled(gold, random.Random(1)))
