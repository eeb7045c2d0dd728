"""Directions of results: a rise or a fall is more than the variation of a test."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Literal, TypeAlias

from wardround.core.packaged_data import read_rows

Direction: TypeAlias = Literal["rise", "fall", "steady"]
_STEADY = 0.5  # share of the change that counts, up to which results are about the same


def direction(test: str, first: float, last: float) -> Direction | None:
    """The direction from one result of a test to another; None if it could be argued about.

    >>> direction("creatinine", 0.9, 1.0), direction("creatinine", 0.9, 1.4)
    ('steady', 'rise')
    >>> direction("potassium", 4.5, 4.1), direction("lipase", 30, 60)
    (None, None)
    """
    limits = _limits().get(test)
    if not limits:
        return None
    share, least = limits
    change, counting = round(abs(last - first), 6), max(share * abs(first), least)
    if change <= counting * _STEADY:
        return "steady"
    if change < counting:
        return None
    return "rise" if last > first else "fall"


def recent_direction(
    test: str, results: Sequence[tuple[datetime, float]], within: timedelta
) -> Direction | None:
    """The direction from the highest recent result of a test to its latest; None without one.

    Args:
        test: the test.
        results: the results with their times, in the order of time.
        within: the time before the latest result within which another is recent.

    >>> day = datetime(2178, 6, 20)
    >>> results = [(day, 1.8), (day + timedelta(hours=24), 1.2)]
    >>> recent_direction("creatinine", results, timedelta(hours=48))
    'fall'
    >>> recent_direction("creatinine", results, timedelta(hours=12))
    'steady'
    """
    if not results:
        return None
    now, last = results[-1]
    highest = max(value for time, value in results if now - time <= within)
    return direction(test, highest, last)


@cache
def _limits() -> Mapping[str, tuple[float, float]]:
    rows = read_rows(__package__, "result_changes.tsv")
    return {test: (float(share), float(least)) for test, share, least, _ in rows}
