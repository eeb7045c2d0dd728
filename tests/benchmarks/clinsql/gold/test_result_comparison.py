"""A whole result beside the gold's: cases in a file, an object a line."""

from pathlib import Path
from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts
from wardround.benchmarks.clinsql.gold.result_comparison import (
    AskedForm,
    compared_result,
)

CASES = [
    orjson.loads(line)
    for line in (Path(__file__).parent / "fixtures/results.jsonl").read_bytes().splitlines()
]


def facts(columns: dict[str, list[Any]]) -> ResultFacts:
    return ResultFacts(tuple(columns), list(zip(*columns.values(), strict=True)))


@for_each(CASES)
def test_a_result_is_compared_as_a_whole(case: dict[str, Any]) -> None:
    asked = AskedForm(2, tuple(case.get("sorted_by", ())))
    assert compared_result(facts(case["mine"]), facts(case["gold"]), asked).state == case["state"]


def test_many_equal_columns_without_names_are_left_undecided() -> None:
    gold = facts({f"measure_{letter}": [0, 1] for letter in "abcdefghij"})
    mine = facts({f"f{at}_": [0, 1] if at % 2 else [1, 0] for at in range(10)})
    assert compared_result(mine, gold).state == "undecided"


TWO_DIGITS = AskedForm(digits=2)
ROWS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 400)), min_size=1, max_size=8)


@given(ROWS, st.randoms())
def test_rows_in_any_order_are_the_golds_and_another_value_is_not(rows: Any, random: Any) -> None:
    gold = [(group, hundredths / 100) for group, hundredths in rows]
    mine = [(group, value + random.uniform(-0.004, 0.004)) for group, value in gold]
    random.shuffle(mine)
    columns = ("group", "days")
    assert compared_result(
        ResultFacts(columns, mine), ResultFacts(columns, gold), TWO_DIGITS
    ).state == ("passed")
    wrong = [(mine[0][0], mine[0][1] + 5), *mine[1:]]
    assert compared_result(
        ResultFacts(columns, wrong), ResultFacts(columns, gold), TWO_DIGITS
    ).state == ("failed")
