"""Answering and refusing is scored as the paper says, and compared with chance in mind."""

from math import isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wardround.scoring.abstention import (
    Judged,
    area_under,
    estimates,
    figures,
    paired,
    risk_coverage,
)

RIGHT = Judged(True, True, True)
WRONG = Judged(True, True, False)
REFUSED = Judged(True, False, False)
RIGHTLY_REFUSED = Judged(False, False, False)
INVENTED = Judged(False, True, False)
ALL = [RIGHT, WRONG, REFUSED, RIGHTLY_REFUSED, INVENTED]

# The first call imports numpy, which may take longer than a deadline.
unhurried = settings(deadline=None)

outcomes = st.lists(st.sampled_from(ALL), min_size=1, max_size=40)


def by_definition(judged: list[Judged], penalty: float) -> dict[str, float | None]:
    """The paper's definitions, question by question."""
    answered = [one for one in judged if one.answered]
    answerable = [one for one in judged if one.answerable]

    def share(above: list[Judged], below: list[Judged]) -> float | None:
        return 100 * len(above) / len(below) if below else None

    recognised = [one for one in answered if one.answerable]
    correct = [one for one in recognised if one.correct]
    points = {RIGHT: 1, WRONG: -penalty, REFUSED: 0, RIGHTLY_REFUSED: 1, INVENTED: -penalty}
    return {
        "P_ans": share(recognised, answered),
        "R_ans": share(recognised, answerable),
        "P_exe": share(correct, answered),
        "R_exe": share(correct, answerable),
        f"RS({penalty:g})": 100 * sum(points[one] for one in judged) / len(judged),
    }


@unhurried
@given(outcomes, st.sampled_from([0, 2.5, 5, 10]))
def test_figures_are_those_of_the_definitions(judged: list[Judged], penalty: float) -> None:
    found = figures(judged, [penalty])
    for name, value in by_definition(judged, penalty).items():
        same = found[name]
        assert same == value or (same is not None and value is not None and isclose(same, value))


@unhurried
@given(outcomes)
def test_f1_is_the_harmonic_mean(judged: list[Judged]) -> None:
    found = figures(judged)
    for kind in ("ans", "exe"):
        p, r, f1 = (found[f"{name}_{kind}"] for name in ("P", "R", "F1"))
        if p and r:
            assert f1 is not None
            assert isclose(f1, 2 * p * r / (p + r))


@unhurried
@given(outcomes)
def test_the_last_penalty_is_the_number_of_questions(judged: list[Judged]) -> None:
    assert figures(judged)["RS(N)"] == figures(judged, [len(judged)])[f"RS({len(judged)})"]


def test_one_wrong_answer_outweighs_all_right_ones_at_n() -> None:
    found = figures([RIGHT] * 9 + [WRONG])
    assert found["RS(0)"] == 90.0
    assert found["RS(N)"] == pytest.approx(-10.0)


def test_what_is_not_defined_is_none() -> None:
    assert figures([RIGHTLY_REFUSED])["F1_exe"] is None
    assert figures([REFUSED])["P_exe"] is None
    assert figures([REFUSED])["F1_exe"] == 0.0
    assert set(figures([]).values()) == {None}


@unhurried
@given(outcomes)
def test_an_estimate_is_the_figure(judged: list[Judged]) -> None:
    found = estimates([[one] for one in judged])
    assert {name: each.value for name, each in found.items()} == figures(judged)


def test_an_interval_narrows_with_questions_and_is_repeated_by_the_seed() -> None:
    few, many = ([[RIGHT], [WRONG], [REFUSED]] * n for n in (5, 200))
    narrow, wide = estimates(many)["F1_exe"].interval, estimates(few)["F1_exe"].interval
    assert narrow is not None
    assert wide is not None
    assert wide.low < narrow.low < 40.0 < narrow.high < wide.high
    assert figures([RIGHT, WRONG, REFUSED])["F1_exe"] == 40.0
    assert estimates(few) == estimates(few)


def test_trials_of_a_question_are_drawn_together() -> None:
    apart = estimates([[RIGHT], [WRONG]] * 20)["R_exe"].interval
    together = estimates([[RIGHT] * 10, [WRONG] * 10] * 2)["R_exe"].interval
    assert apart is not None
    assert together is not None
    assert together.high - together.low > apart.high - apart.low


def test_two_systems_are_compared_on_the_same_questions() -> None:
    first = [RIGHT] * 60 + [RIGHTLY_REFUSED] * 30 + [WRONG] * 10
    second = [RIGHT] * 50 + [WRONG] * 10 + [RIGHTLY_REFUSED] * 30 + [WRONG] * 10
    found = paired(first, second)
    assert (found.only_first, found.only_second) == (10, 0)
    assert found.chance == pytest.approx(2 / 2**10)
    interval = found.differences["F1_exe"].interval
    assert interval is not None
    assert interval.low > 0, "the difference is clear because questions are paired"


@unhurried
@given(outcomes)
def test_a_system_does_not_differ_from_itself(judged: list[Judged]) -> None:
    found = paired(judged, judged)
    assert {each.value for each in found.differences.values()} <= {0.0, None}
    assert (found.only_first, found.only_second, found.chance) == (0, 0, 1.0)


def test_pairs_must_be_pairs() -> None:
    with pytest.raises(ValueError, match="paired"):
        paired([RIGHT], [])


@given(st.lists(st.tuples(st.sampled_from(ALL), st.integers(0, 5)), min_size=1, max_size=30))
def test_the_curve_ends_where_everything_is_answered(made: list[tuple[Judged, int]]) -> None:
    judged = [one for one, _ in made]
    points = risk_coverage(judged, [sure for _, sure in made])
    answered = [one for one in judged if one.answered]
    coverages = [coverage for coverage, _ in points]
    assert coverages == sorted(set(coverages))
    if not answered:
        assert points == ()
        assert area_under(points) is None
        return
    coverage, risk = points[-1]
    assert isclose(coverage, len(answered) / len(judged))
    assert isclose(risk, sum(one.wrong for one in answered) / len(answered))


def test_the_surest_come_first_and_ties_together() -> None:
    judged = [WRONG, RIGHT, RIGHT, REFUSED]
    assert risk_coverage(judged, [0.1, 0.9, 0.9, 1.0]) == ((0.5, 0.0), (0.75, 1 / 3))
    assert risk_coverage(judged, [0.9, 0.1, 0.1, 1.0])[0] == (0.25, 1.0)
