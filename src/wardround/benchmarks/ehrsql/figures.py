"""EHRSQL's curve: how often answers are wrong when only the surest are given."""

from collections.abc import Sequence
from math import inf

from wardround.benchmarks.ehrsql.scorer import Scored
from wardround.core.figures import Curve
from wardround.scoring.abstention import Points, area_under, risk_coverage


def risk_points(scored: Sequence[Scored], mode: str) -> Points:
    """Risk by coverage as shares; an answer without a confidence is taken for the least sure."""
    if all(one.confidence is None for one in scored):
        return ()
    sure = [-inf if one.confidence is None else one.confidence for one in scored]
    return risk_coverage([one.judged[mode] for one in scored], sure)


def risk_curve(scored: Sequence[Scored], modes: Sequence[str]) -> Curve:
    """Risk by coverage, a line for each way of grading, in percent."""
    lines = {
        mode: tuple((100 * x, 100 * y) for x, y in risk_points(scored, mode)) for mode in modes
    }
    return Curve("Risk by coverage", "questions answered, %", "answers wrong, %", lines)


def risk_area(scored: Sequence[Scored], mode: str) -> float | None:
    """The mean risk over the coverage that was reached, in percent; None without confidences."""
    area = area_under(risk_points(scored, mode))
    return None if area is None else 100 * area
