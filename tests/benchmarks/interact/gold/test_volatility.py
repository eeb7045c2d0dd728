"""Detection of expressions whose value differs from run to run."""

import pytest

from tests.cases import for_each
from wardround.benchmarks.interact.gold.results import changes_by_itself

_CHANGING = [
    "SELECT NOW()",
    "SELECT CURRENT_DATE - 1",
    "SELECT * FROM t ORDER BY random()",
    "SELECT 'today'::date",
    "SELECT AGE( born )",
    "SELECT clock_timestamp ()",
    "SELECT nextval('s')",
]
_STEADY = [
    "SELECT known, age, nowhere FROM t",
    "SELECT AGE(outtime, intime) FROM t",
]


@for_each(_CHANGING)
def test_changing_expressions_are_found(sql: str) -> None:
    assert changes_by_itself(sql)


@pytest.mark.parametrize("sql", _STEADY)
def test_constant_expressions_are_not_found(sql: str) -> None:
    assert not changes_by_itself(sql)
