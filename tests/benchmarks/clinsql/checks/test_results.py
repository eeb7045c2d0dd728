"""Checks decided on results: what passes, what fails, and what stays open."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.benchmarks.clinsql.checks.column_facts import ResultFacts
from wardround.benchmarks.clinsql.checks.results import MOST_COLUMNS, decide_results
from wardround.benchmarks.clinsql.items.checks import (
    AllOf,
    Column,
    ColumnExists,
    FileExists,
    InRange,
    NotNull,
    Ordered,
    Percentage,
    ResultsCheck,
    Sex,
    Types,
    WholeCount,
)

HEADER = ("admission_count", "mean_los_days", "q1_los", "q3_los", "death_pct", "sex")
GOLD = ResultFacts(HEADER, [("120", "4.5", "2", "6", "3.5", "F")])
COUNT, MEAN, Q1, Q3, DEATHS, SEX = (
    Column(names=(name,), position=at) for at, name in enumerate(HEADER)
)
CHECKS: list[ResultsCheck] = [
    FileExists(),
    ColumnExists(column=MEAN),
    NotNull(),
    NotNull(column=MEAN),
    InRange(column=MEAN, low=4, high=5),
    WholeCount(column=COUNT, least=1),
    Percentage(column=DEATHS),
    Ordered(columns=(Q1, Q3)),
    Types(type="text", column=SEX),
]


def result(**cells: Any) -> ResultFacts:
    """The gold's result with other cells."""
    row = dict(zip(HEADER, (120, 4.5, 2, 6, 3.5, "F"), strict=True)) | cells
    return ResultFacts(tuple(row), [tuple(row.values())])


def state(check: Any, facts: ResultFacts) -> str:
    return decide_results(check, facts, GOLD).state


@for_each(CHECKS)
def test_the_gold_passes(check: ResultsCheck) -> None:
    assert state(check, GOLD) == "passed"
    assert state(check, result()) == "passed"


def test_every_kind_of_check_is_tested() -> None:
    assert {type(check) for check in CHECKS} == set(get_args(ResultsCheck))


@for_each(
    [
        (NotNull(), {"sex": None}),
        (NotNull(column=MEAN), {"mean_los_days": " "}),
        (InRange(column=MEAN, low=4, high=5), {"mean_los_days": 5.01}),
        (InRange(column=MEAN, low=4, high=5), {"mean_los_days": "4.5 days"}),
        (InRange(column=MEAN, low=4, high=5), {"mean_los_days": None}),
        (InRange(column=MEAN, low=4, low_open=True), {"mean_los_days": 4}),
        (InRange(column=COUNT, low=0, high=2), {"admission_count": True}),
        (WholeCount(column=COUNT, least=1), {"admission_count": 0}),
        (WholeCount(column=COUNT), {"admission_count": 1.5}),
        (Percentage(column=DEATHS), {"death_pct": 101}),
        (Percentage(column=DEATHS, fraction=True), {"death_pct": 3.5}),
        (Ordered(columns=(Q1, Q3)), {"q1_los": 7}),
        (Types(type="number", column=SEX), {}),
        (AllOf(checks=(FileExists(), NotNull())), {"sex": ""}),
    ]
)
def test_other_cells_fail(check: Any, cells: dict[str, Any]) -> None:
    assert state(check, result(**cells)) == "failed"


NOTHING = [
    ResultFacts((), []),
    ResultFacts(HEADER, []),
    ResultFacts(("result",), [(None,)]),
    ResultFacts(tuple(f"c{n}" for n in range(300)), [tuple(range(300))]),
]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.kind)
@pytest.mark.parametrize("nothing", NOTHING, ids=["none", "rows", "placeholder", "wide"])
def test_no_check_passes_on_nothing(check: ResultsCheck, nothing: ResultFacts) -> None:
    assert state(check, nothing) == "failed"
    assert MOST_COLUMNS < 300


@given(
    st.one_of(
        st.none(),
        st.sampled_from(["", "nan", "inf", "-Infinity", "1_0", "4,5", "0x4", "None", "\u0664"]),
        st.sampled_from([float("nan"), float("inf"), float("-inf"), b"4", True, False]),
        st.text(alphabet="abcdefghij -", max_size=8),
    )
)
def test_a_cell_that_is_no_number_is_in_no_range(cell: Any) -> None:
    for check in (
        InRange(column=MEAN),
        WholeCount(column=MEAN),
        Percentage(column=MEAN),
        Ordered(columns=(MEAN, Q3)),
    ):
        assert state(check, result(mean_los_days=cell)) == "failed"


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=30), st.floats(-20, 0), st.floats(0, 20))
def test_a_range_holds_where_every_value_is_within(
    values: list[float], low: float, high: float
) -> None:
    facts = ResultFacts(("mean_los_days",), [(value,) for value in values])
    found = state(InRange(column=MEAN, low=low, high=high), facts)
    assert (found == "passed") == all(low <= value <= high for value in values)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("MEAN LOS DAYS", "passed"),
        ("avg_length_of_stay_days", "passed"),
        ("median_los_days", "failed"),
        ("x1", "failed"),
        ("hospital_duration", "undecided"),
    ],
)
def test_a_column_is_found_by_name_or_meaning(name: str, expected: str) -> None:
    row = dict(zip(HEADER, GOLD.rows[0], strict=True))
    renamed = tuple(name if column == "mean_los_days" else column for column in row)
    facts = ResultFacts(renamed, [tuple(row.values())])
    assert state(ColumnExists(column=MEAN), facts) == expected


def test_values_of_a_renamed_column_are_found_by_its_place() -> None:
    facts = ResultFacts(("admission_count", "hospital_duration", *HEADER[2:]), GOLD.rows)
    assert state(InRange(column=MEAN, low=4, high=5), facts) == "passed"
    assert state(InRange(column=MEAN, low=1, high=2), facts) == "failed"


def test_a_place_in_a_result_of_another_shape_is_no_evidence() -> None:
    facts = ResultFacts(("hospital_duration", "ward"), [(4.5, "A")])
    assert state(InRange(column=MEAN, low=4, high=5), facts) == "undecided"


def test_a_missing_column_fails() -> None:
    facts = ResultFacts(HEADER[:1], [(120,)])
    for check in (ColumnExists(column=MEAN), InRange(column=MEAN, low=4, high=5)):
        assert state(check, facts) == "failed"


def test_a_check_of_a_query_stays_open() -> None:
    assert state(Sex(value="F"), GOLD) == "undecided"


def test_a_million_rows_are_read_once_a_column() -> None:
    facts = ResultFacts(HEADER, [(120, 4.5, 2, 6, 3.5, "F")] * 1_000_000)
    for _ in range(5):
        assert state(InRange(column=MEAN, low=4, high=5), facts) == "passed"
    assert set(facts._known) == {1}


EMPTY = ResultFacts(HEADER, [(None,) * 6, ("",) * 6])


@for_each(CHECKS)
def test_a_result_of_nulls_fails_checks_of_values(check: ResultsCheck) -> None:
    has_form = isinstance(check, FileExists | ColumnExists)
    assert state(check, EMPTY) == ("passed" if has_form else "failed")
