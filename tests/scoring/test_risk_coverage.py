"""Risk-coverage curves: full coverage, order by confidence, ties."""

from math import isclose

from hypothesis import given
from hypothesis import strategies as st

from wardround.scoring.abstention import GradedQuestion, area_under_curve, risk_coverage_curve

CORRECT = GradedQuestion(True, True, True)
WRONG = GradedQuestion(True, True, False)
REFUSED = GradedQuestion(True, False, False)
UNANSWERABLE = [GradedQuestion(False, answered, False) for answered in (False, True)]
ALL = [CORRECT, WRONG, REFUSED, *UNANSWERABLE]


@given(st.lists(st.tuples(st.sampled_from(ALL), st.integers(0, 5)), min_size=1, max_size=30))
def test_curve_ends_at_full_coverage(made: list[tuple[GradedQuestion, int]]) -> None:
    judged = [question for question, _ in made]
    points = risk_coverage_curve(judged, [sure for _, sure in made])
    answered = [question for question in judged if question.answered]
    coverages = [coverage for coverage, _ in points]
    assert coverages == sorted(set(coverages))
    if not answered:
        assert points == ()
        assert area_under_curve(points) is None
        return
    coverage, risk = points[-1]
    assert isclose(coverage, len(answered) / len(judged))
    assert isclose(risk, sum(question.penalized for question in answered) / len(answered))


def test_curve_orders_by_confidence_and_groups_ties() -> None:
    judged = [WRONG, CORRECT, CORRECT, REFUSED]
    assert risk_coverage_curve(judged, [0.1, 0.9, 0.9, 1.0]) == ((0.5, 0.0), (0.75, 1 / 3))
    assert risk_coverage_curve(judged, [0.9, 0.1, 0.1, 1.0])[0] == (0.25, 1.0)
