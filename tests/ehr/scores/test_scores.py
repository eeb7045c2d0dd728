"""Clinical scores: both sides of every boundary, totals, bounds and monotony."""

from inspect import signature
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each, one_in
from wardround.ehr import scores

BOUNDARIES = Path(__file__).with_name("boundaries.tsv")
TOTALS = Path(__file__).with_name("totals.tsv")
FALLING = {"pao2_fio2", "platelets", "mean_pressure", "coma_scale", "urine", "albumin"}
FALLING |= {"calcium", "pao2", "paco2", "diastolic"}
BOTH_WAYS = {("sirs", "temperature"), ("sirs", "leukocytes")}
NAMES = sorted(scores.FUNCTIONS)


def rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text().splitlines()[1:]]


def values(text: str) -> dict[str, Any]:
    flags: dict[str, Any] = {"yes": True, "no": False}
    pairs = (each.split("=") for each in text.split())
    return {name: flags[value] if value in flags else float(value) for name, value in pairs}


def computed(name: str, given: dict[str, Any]) -> scores.Score:
    score: scores.Score = getattr(scores, name)(**given)
    return score


def is_flag(name: str, argument: str) -> bool:
    return "bool" in str(signature(getattr(scores, name)).parameters[argument].annotation)


@for_each(rows(BOUNDARIES))
def test_points_on_both_sides_of_a_boundary(name: str, text: str, part: str, points: str) -> None:
    found = {each.name: each for each in computed(name, values(text)).parts}
    assert found[part].points.low == float(points)


@for_each(rows(TOTALS))
def test_totals(name: str, text: str, low: str, high: str, assumed: str) -> None:
    score = computed(name, values(text))
    assert scores.strict(score) == pytest.approx((float(low), float(high)))
    assert scores.paper(score) == (None if assumed == "none" else pytest.approx(float(assumed)))


def test_each_argument_of_a_table_has_boundary_cases() -> None:
    tested = {(row[0], name) for row in rows(BOUNDARIES) for name in values(row[1])}
    tested |= {(row[0], name) for row in rows(TOTALS) for name in values(row[1])}
    arguments = {
        (name, argument)
        for name in NAMES
        for argument in signature(getattr(scores, name)).parameters
    }
    assert arguments == tested


def test_an_unknown_part_is_missing_and_a_known_part_is_not() -> None:
    parts = {part.name: part for part in scores.sofa(platelets=90, creatinine=1).parts}
    assert not parts["coagulation"].missing
    assert parts["liver"].missing
    assert parts["kidney"].missing, "urine could raise the points"
    assert parts["coagulation"].values == {"platelets": 90}


@pytest.mark.parametrize("name", one_in(3, NAMES))
@given(data=st.data())
def test_bounds_contain_every_completion_and_scores_rise(name: str, data: st.DataObject) -> None:
    numbers = st.floats(0.1, 450)
    complete: dict[str, Any] = {
        argument: data.draw(st.booleans() if is_flag(name, argument) else numbers)
        for argument in signature(getattr(scores, name)).parameters
    }
    whole = computed(name, complete)
    assert whole.low == whole.high == whole.assumed
    hidden = data.draw(st.sets(st.sampled_from(sorted(complete))))
    partial = computed(name, {key: complete[key] for key in complete if key not in hidden})
    assert partial.low <= whole.low <= partial.high


RISING = [
    (name, argument)
    for name in NAMES
    if name != "cockcroft_gault"
    for argument in signature(getattr(scores, name)).parameters
    if not is_flag(name, argument) and (name, argument) not in BOTH_WAYS
]


@for_each(RISING)
def test_a_worse_value_never_lowers_a_score(name: str, argument: str) -> None:
    falls = argument in FALLING or (argument == "systolic" and name != "has_bled")
    steps = sorted((number / 10 for number in range(1, 4500, 7)), reverse=falls)
    lows = [computed(name, {argument: value}).low for value in steps]
    assert all(before <= after for before, after in pairwise(lows))


@for_each(NAMES)
def test_a_value_of_zero_never_raises(name: str) -> None:
    """Charts hold zeros where nothing was measured."""
    arguments = list(signature(getattr(scores, name)).parameters)
    for zeros in (*([argument] for argument in arguments), arguments):
        score = computed(name, dict.fromkeys(zeros, 0))
        assert score.low <= score.high
