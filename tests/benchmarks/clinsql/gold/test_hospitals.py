"""A whole result beside the gold's on several hospitals."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.cases import for_each
from wardround.benchmarks.clinsql.execution import Execution
from wardround.benchmarks.clinsql.gold.hospitals import compared_results, unrounded
from wardround.benchmarks.clinsql.gold.result_comparison import AskedForm

ONE, TWO = Execution(("n",), [(1,)]), Execution(("n",), [(2,)])
NOTHING = Execution(("n",), [])
FAILED, STOPPED = Execution(error="x", kind="runtime"), Execution(error="x", kind="timeout")


class Outcomes:
    """A hospital on which each query has a known outcome."""

    def __init__(self, known: Mapping[str, Execution]) -> None:
        self._known = known

    def of(self, sql: str) -> Execution:
        return self._known[sql]


@for_each(
    [
        ([ONE, TWO, NOTHING], [ONE, TWO, NOTHING], "passed"),
        ([ONE, ONE], [ONE, TWO], "failed"),
        ([TWO], [ONE], "failed"),
        ([ONE, ONE, TWO], [ONE, ONE, ONE], "failed"),
        ([ONE, FAILED], [ONE, ONE], "failed"),
        ([ONE, STOPPED], [ONE, ONE], "undecided"),
        ([ONE, NOTHING], [ONE, ONE], "failed"),
        ([ONE, ONE], [ONE, FAILED], "passed"),
        ([ONE], [NOTHING], "undecided"),
        ([ONE], [FAILED], "undecided"),
    ]
)
def test_a_result_is_the_golds_on_every_hospital(
    mine: list[Execution], gold: list[Execution], state: str
) -> None:
    hospitals: Any = (
        Outcomes({"mine": one, "gold": other}) for one, other in zip(mine, gold, strict=True)
    )
    assert compared_results("mine", "gold", hospitals, AskedForm()).state == state


def test_another_hospital_is_opened_only_if_the_result_is_equal_here() -> None:
    def hospitals() -> Any:
        yield Outcomes({"mine": ONE, "gold": TWO})
        pytest.fail("it was opened")

    assert compared_results("mine", "gold", hospitals(), AskedForm()).state == "failed"


@pytest.mark.parametrize(
    ("mine", "gold", "state"),
    [
        (6.38499999999, 6.38500000001, "passed"),
        (6.388, 6.384, "failed"),
    ],
)
def test_a_sum_between_two_rounded_numbers_may_be_rounded_to_either(
    mine: float, gold: float, state: str
) -> None:
    queries = (
        "SELECT ROUND(AVG(mine), 2) AS days FROM t",
        "SELECT ROUND(AVG(x), 2) AS days FROM t",
    )
    outcomes = {
        text: Execution(("days",), [(number,)])
        for query, exact in zip(queries, (mine, gold), strict=True)
        for text, number in ((query, round(exact, 2)), (unrounded(query), exact))
    }
    hospitals: Any = iter([Outcomes(outcomes)])
    assert compared_results(*queries, hospitals, AskedForm(digits=2)).state == state
