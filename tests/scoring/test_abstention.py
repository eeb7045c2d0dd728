"""Abstention scores compared with their definitions, intervals, and paired comparisons."""

from math import isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wardround.scoring.abstention import (
    GradedQuestion,
    abstention_scores,
    compare_paired,
    estimated_scores,
)

CORRECT = GradedQuestion(True, True, True)
WRONG = GradedQuestion(True, True, False)
REFUSED = GradedQuestion(True, False, False)
CORRECT_REFUSAL = GradedQuestion(False, False, False)
INVENTED = GradedQuestion(False, True, False)
ALL = [CORRECT, WRONG, REFUSED, CORRECT_REFUSAL, INVENTED]

# The first call imports numpy, which may take longer than a deadline.
unhurried = settings(deadline=None)

outcomes = st.lists(st.sampled_from(ALL), min_size=1, max_size=40)


def by_definition(judged: list[GradedQuestion], penalty: float) -> dict[str, float | None]:
    """The scores computed from their definitions."""
    answered = [question for question in judged if question.answered]
    answerable = [question for question in judged if question.answerable]

    def share(above: list[GradedQuestion], below: list[GradedQuestion]) -> float | None:
        return 100 * len(above) / len(below) if below else None

    recognised = [question for question in answered if question.answerable]
    correct = [question for question in recognised if question.correct]
    points = {CORRECT: 1, WRONG: -penalty, REFUSED: 0, CORRECT_REFUSAL: 1, INVENTED: -penalty}
    return {
        "P_ans": share(recognised, answered),
        "R_ans": share(recognised, answerable),
        "P_exe": share(correct, answered),
        "R_exe": share(correct, answerable),
        f"RS({penalty:g})": 100 * sum(points[question] for question in judged) / len(judged),
    }


@unhurried
@given(outcomes, st.sampled_from([0, 2.5, 5, 10]))
def test_scores_match_their_definitions(judged: list[GradedQuestion], penalty: float) -> None:
    scores = abstention_scores(judged, [penalty])
    for name, value in by_definition(judged, penalty).items():
        same = scores[name]
        assert same == value or (same is not None and value is not None and isclose(same, value))


@unhurried
@given(outcomes)
def test_f1_is_the_harmonic_mean(judged: list[GradedQuestion]) -> None:
    scores = abstention_scores(judged)
    for kind in ("ans", "exe"):
        p, r, f1 = (scores[f"{name}_{kind}"] for name in ("P", "R", "F1"))
        if p and r:
            assert f1 is not None
            assert isclose(f1, 2 * p * r / (p + r))


@unhurried
@given(outcomes)
def test_rs_n_uses_the_number_of_questions(judged: list[GradedQuestion]) -> None:
    assert (
        abstention_scores(judged)["RS(N)"]
        == abstention_scores(judged, [len(judged)])[f"RS({len(judged)})"]
    )


def test_rs_n_lets_one_wrong_answer_outweigh_all_correct_ones() -> None:
    scores = abstention_scores([CORRECT] * 9 + [WRONG])
    assert scores["RS(0)"] == 90.0
    assert scores["RS(N)"] == pytest.approx(-10.0)


def test_undefined_scores_are_none() -> None:
    assert abstention_scores([CORRECT_REFUSAL])["F1_exe"] is None
    assert abstention_scores([REFUSED])["P_exe"] is None
    assert abstention_scores([REFUSED])["F1_exe"] == 0.0
    assert set(abstention_scores([]).values()) == {None}


@unhurried
@given(outcomes)
def test_estimates_equal_the_scores(judged: list[GradedQuestion]) -> None:
    scores = estimated_scores([[question] for question in judged])
    assert {name: each.value for name, each in scores.items()} == abstention_scores(judged)


def test_intervals_narrow_with_more_questions_and_are_reproducible() -> None:
    few, many = ([[CORRECT], [WRONG], [REFUSED]] * n for n in (5, 200))
    narrow, wide = (
        estimated_scores(many)["F1_exe"].interval,
        estimated_scores(few)["F1_exe"].interval,
    )
    assert narrow is not None
    assert wide is not None
    assert wide.low < narrow.low < 40.0 < narrow.high < wide.high
    assert abstention_scores([CORRECT, WRONG, REFUSED])["F1_exe"] == 40.0
    assert estimated_scores(few) == estimated_scores(few)


def test_trials_of_a_question_are_resampled_together() -> None:
    apart = estimated_scores([[CORRECT], [WRONG]] * 20)["R_exe"].interval
    together = estimated_scores([[CORRECT] * 10, [WRONG] * 10] * 2)["R_exe"].interval
    assert apart is not None
    assert together is not None
    assert together.high - together.low > apart.high - apart.low


def test_comparison_of_two_systems_is_paired_by_question() -> None:
    first = [CORRECT] * 60 + [CORRECT_REFUSAL] * 30 + [WRONG] * 10
    second = [CORRECT] * 50 + [WRONG] * 10 + [CORRECT_REFUSAL] * 30 + [WRONG] * 10
    scores = compare_paired(first, second)
    assert (scores.only_first, scores.only_second) == (10, 0)
    assert scores.p_value == pytest.approx(2 / 2**10)
    interval = scores.differences["F1_exe"].interval
    assert interval is not None
    assert interval.low > 0, "the difference is clear because questions are paired"


@unhurried
@given(outcomes)
def test_a_system_equals_itself(judged: list[GradedQuestion]) -> None:
    scores = compare_paired(judged, judged)
    assert {each.value for each in scores.differences.values()} <= {0.0, None}
    assert (scores.only_first, scores.only_second, scores.p_value) == (0, 0, 1.0)


def test_comparison_refuses_unequal_lengths() -> None:
    with pytest.raises(ValueError, match="paired"):
        compare_paired([CORRECT], [])
