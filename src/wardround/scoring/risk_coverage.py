"""The risk-coverage curve of answers with confidences, and the area under it."""

from collections.abc import Sequence
from typing import TypeAlias

from wardround.scoring.abstention import GradedQuestion

Points: TypeAlias = tuple[tuple[float, float], ...]


def risk_coverage_curve(
    questions: Sequence[GradedQuestion], confidences: Sequence[float]
) -> Points:
    """The risk-coverage curve: (coverage, risk) with each confidence as the threshold.

    Coverage is the share of all questions that are answered, risk the share of these answers that
    are wrong. A refusal counts as no answer at every threshold.

    Args:
        questions: The graded questions.
        confidences: One number for each question, on any scale; higher is more confident.

    >>> graded = [GradedQuestion(True, True, True), GradedQuestion(False, True, False)]
    >>> risk_coverage_curve(graded, [0.9, 0.4])
    ((0.5, 0.0), (1.0, 0.5))
    """
    answers = sorted(
        (
            (confidence, question.penalized)
            for confidence, question in zip(confidences, questions, strict=True)
            if question.answered
        ),
        reverse=True,
    )
    points, wrong = [], 0
    for count, (confidence, is_wrong) in enumerate(answers, start=1):
        wrong += is_wrong
        if count == len(answers) or answers[count][0] < confidence:
            points.append((count / len(questions), wrong / count))
    return tuple(points)


def area_under_curve(points: Points) -> float | None:
    """The mean risk over the covered range, lower is better; None without answers.

    >>> area_under_curve(((0.5, 0.0), (1.0, 0.5)))
    0.25
    """
    if not points:
        return None
    starts = (0.0, *(coverage for coverage, _ in points))
    widths = [x - start for start, (x, _) in zip(starts, points, strict=False)]
    return sum(w * risk for w, (_, risk) in zip(widths, points, strict=True)) / points[-1][0]
