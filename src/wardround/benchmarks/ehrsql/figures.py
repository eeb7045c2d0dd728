"""EHRSQL's curve: how often answers are wrong when only the surest are given."""

from collections.abc import Sequence

from wardround.benchmarks.ehrsql.scorer import Scored
from wardround.core.benchmark import Curve
from wardround.scoring.abstention import Points, area_under, risk_coverage


def risk_points(scored: Sequence[Scored], mode: str) -> Points:
    """Risk by coverage over the questions that have a confidence, as shares."""
    sure = [(one.judged[mode], one.confidence) for one in scored if one.confidence is not None]
    return risk_coverage([judged for judged, _ in sure], [found for _, found in sure])


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
