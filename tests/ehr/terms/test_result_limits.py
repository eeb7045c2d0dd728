"""Limits of results: ordered, known to the terms, and what follows from them for a repeat."""

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.core.packaged_data import read_rows
from wardround.ehr.terms.chinese import chinese
from wardround.ehr.terms.clinical_rules import clinical_rules
from wardround.ehr.terms.dictionaries import dictionary
from wardround.ehr.terms.result_limits import days_to_repeat, is_critical, result_limits

TESTS = sorted(result_limits())


@for_each(TESTS)
def test_limits_are_in_order_and_named_in_both_languages(test: str) -> None:
    limits = result_limits()[test]
    assert limits.critical_low <= limits.usual_low < limits.usual_high <= limits.critical_high
    assert limits.usual_high <= limits.pressing
    assert limits.fall > 0
    assert chinese(test, "test")


def test_every_row_has_a_source() -> None:
    rows = read_rows("wardround.ehr.terms", "result_limits.tsv")
    assert all(source for *_, source in rows)


@given(st.sampled_from(TESTS), st.floats(0, 1000), st.floats(0, 1000))
def test_a_result_further_from_its_usual_limits_is_no_less_severe(
    test: str, first: float, second: float
) -> None:
    limits = result_limits()[test]
    low, high = sorted((first, second))
    if low >= limits.usual_low:
        assert limits.severity(low) <= limits.severity(high)
    if high <= limits.usual_high:
        assert limits.severity(low) >= limits.severity(high)


@given(st.sampled_from(TESTS), st.lists(st.floats(0, 1000), max_size=4), st.integers(0, 90))
def test_a_repeat_is_never_later_than_usual_and_today_if_critical(
    test: str, values: list[float], days: int
) -> None:
    found = days_to_repeat(test, values, days)
    assert 0 <= found <= days
    if values and is_critical(test, values[-1]):
        assert found == 0


@for_each(
    [
        ("platelet count", [210, 190], 3),
        ("platelet count", [210, 120], 1),
        ("platelet count", [90, 85], 1),
        ("platelet count", [120, 5], 0),
        ("hemoglobin", [8.6], 1),
        ("hemoglobin", [11.0, 8.6], 0),
        ("potassium", [5.3, 5.4], 3),
        ("potassium", [6.5], 0),
        ("inr(pt)", [2.4], 3),
        ("thyroid stimulating hormone", [12.0], 3),
    ]
)
def test_value_and_slope_say_when_a_test_is_repeated(
    test: str, values: list[float], days: int
) -> None:
    assert days_to_repeat(test, values, 3) == days


@for_each(
    [
        ("creatinine", [1.7, 1.7], 1),
        ("creatinine", [1.1, 1.1], 2),
        ("potassium", [5.4], 1),
        ("thyroid stimulating hormone", [12.0], 2),
    ]
)
def test_a_result_beyond_a_usual_limit_is_repeated_tomorrow(
    test: str, values: list[float], days: int
) -> None:
    assert days_to_repeat(test, values, 2) == days
    assert days_to_repeat(test, values, 7) == 7


def test_usual_limits_are_those_of_the_dictionary() -> None:
    rows = {row["test"]: row for row in dictionary("lab_ranges")}
    for test in ("sodium", "potassium", "bicarbonate", "magnesium", "phosphate", "hemoglobin"):
        limits = result_limits()[test]
        assert (limits.usual_low, limits.usual_high) == (
            float(rows[test]["low"]),
            float(rows[test]["high"]),
        )


def test_no_rule_acts_on_a_usual_result() -> None:
    """But for drugs that the patient does not take, whose results are usual for others."""
    for rule in clinical_rules():
        limits = result_limits().get(rule.test)
        if not limits or rule.action == "resupply":
            continue
        assert rule.sign != "above" or rule.limit >= limits.usual_high, rule.name
        assert rule.sign != "below" or rule.limit <= limits.usual_low, rule.name
