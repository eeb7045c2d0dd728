"""Directions of results: variation is no rise, and what could be argued about has none."""

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.core.packaged_data import read_rows
from wardround.ehr.terms.chinese import chinese
from wardround.ehr.terms.result_changes import direction

ROWS = list(read_rows("wardround.ehr.terms", "result_changes.tsv"))


@for_each(ROWS)
def test_each_test_is_known_and_has_a_source(
    test: str, share: str, least: str, source: str
) -> None:
    assert chinese(test, "test")
    assert float(share) or float(least)
    assert source


@for_each(
    [
        ("creatinine", 0.9, 1.0, "steady"),
        ("creatinine", 0.6, 0.7, "steady"),
        ("creatinine", 2.0, 2.3, "rise"),
        ("creatinine", 1.0, 0.8, None),
        ("sodium", 140, 134, "fall"),
        ("temperature celsius", 37.0, 38.5, "rise"),
        ("hemoglobin", 10.4, 8.8, "fall"),
        ("potassium", 4.5, 4.1, None),
        ("ferritin", 10, 90, None),
    ]
)
def test_directions(test: str, first: float, last: float, expected: str | None) -> None:
    assert direction(test, first, last) == expected


@given(st.sampled_from([row[0] for row in ROWS]), st.floats(1, 500), st.floats(1, 500))
def test_a_larger_change_is_not_steadier(test: str, first: float, more: float) -> None:
    order = ("steady", None, "rise")
    near, far = direction(test, first, first + more), direction(test, first, first + 2 * more)
    assert order.index(near) <= order.index(far)
