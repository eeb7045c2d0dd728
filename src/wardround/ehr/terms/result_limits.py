"""Limits of results: beyond which somebody is called at once, and when a result is repeated."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from math import inf

from wardround.core.packaged_data import read_rows
from wardround.ehr.terms.result_changes import direction

_NEAR = 0.5  # share of the way from a usual to a critical limit from which a result is near it
# Days to a test in which nothing presses; whose result is beyond a usual limit is tested tomorrow.
# A longer wait is for a slow effect, which no result makes sooner.
_UNPRESSED = 2
_FALL_WITHIN = timedelta(days=3)


@dataclass(frozen=True, slots=True)
class ResultLimits:
    """The limits of a test; infinite where a side has none.

    Attributes:
        critical_low: a lower result is critical.
        usual_low: a result that is not lower is no cause to act.
        usual_high: a result that is not higher is no cause to act.
        critical_high: a higher result is critical.
        unit: the unit of the limits.
        recent: the hours within which a result may still change a dose.
        pressing: a result that is not lower presses.
        fall: a fall of no less within three days presses.
    """

    critical_low: float
    usual_low: float
    usual_high: float
    critical_high: float
    unit: str
    recent: float
    pressing: float
    fall: float

    def severity(self, value: float) -> float:
        """The share of the way from a usual to a critical limit; above 1 beyond the critical one.

        >>> limits = result_limits()["potassium"]
        >>> limits.severity(4.0), round(limits.severity(3.05), 2), limits.severity(2.5) > 1
        (0.0, 0.5, True)
        """
        if value < self.usual_low:
            return (self.usual_low - value) / (self.usual_low - self.critical_low)
        if value > self.usual_high:
            return (value - self.usual_high) / (self.critical_high - self.usual_high)
        return 0.0

    def is_marked(self, value: float) -> bool:
        """True if a result is half the way to a critical limit.

        Without a critical limit on that side: if it exceeds the usual limit by half.

        >>> [result_limits()[test].is_marked(8.2) for test in ("hemoglobin", "creatinine")]
        [True, True]
        """
        if value > self.usual_high and self.critical_high == inf:
            return value >= self.usual_high * (1 + _NEAR)
        return self.severity(value) >= _NEAR

    def is_usual(self, value: float) -> bool:
        """True if a result is no cause to act."""
        return self.usual_low <= value <= self.usual_high


def is_critical(test: str, value: float) -> bool:
    """True if a result is beyond a critical limit of its test.

    >>> is_critical("platelet count", 5), is_critical("potassium", 5.8), is_critical("lipase", 900)
    (True, False, False)
    """
    limits = result_limits().get(test)
    return limits is not None and limits.severity(value) > 1


def days_to_repeat(test: str, values: Sequence[float], usual_days: int) -> int:
    """The days until a test is repeated: 0 for today, sooner for an unusual or worsening result.

    Args:
        test: the test.
        values: its results in the order of time; none if there are none.
        usual_days: the days where nothing presses.

    >>> days_to_repeat("hemoglobin", [12.2, 12.1], 2), days_to_repeat("hemoglobin", [11.6, 9.0], 2)
    (2, 0)
    >>> days_to_repeat("creatinine", [1.7, 1.7], 2), days_to_repeat("platelet count", [140], 7)
    (1, 7)
    >>> days_to_repeat("platelet count", [9.0], 3), days_to_repeat("potassium", [4.1, 5.6], 7)
    (0, 1)
    """
    limits = result_limits().get(test)
    if not limits or not values:
        return usual_days
    value = values[-1]
    if limits.severity(value) > 1:
        return 0
    reasons = _reasons_to_press(test, values, limits)
    if not reasons and usual_days == _UNPRESSED:
        return usual_days - (not limits.is_usual(value))
    return usual_days if not reasons else min(usual_days, 2 - reasons)


def is_pressing(test: str, values: Sequence[float]) -> bool:
    """True if the latest result of a test is near a critical limit, has worsened, or is high.

    >>> is_pressing("potassium", [4.9, 5.6]), is_pressing("potassium", [5.6, 5.2])
    (True, False)
    >>> is_pressing("potassium", [5.6, 5.5]), is_pressing("potassium", [5.6, 5.4])
    (True, False)
    """
    limits = result_limits().get(test)
    if not limits or not values:
        return False
    return values[-1] >= limits.pressing or _reasons_to_press(test, values, limits) > 0


def has_fallen(test: str, results: Sequence[tuple[datetime, float]]) -> bool:
    """True if the latest result of a test is so far below another of three days that it presses.

    >>> day = datetime(2178, 6, 20)
    >>> has_fallen("hemoglobin", [(day, 11.0), (day + timedelta(hours=30), 9.0)])
    True
    >>> has_fallen("hemoglobin", [(day, 11.0), (day + timedelta(hours=80), 9.0)])
    False
    """
    limits = result_limits().get(test)
    if not limits or not results:
        return False
    now, last = results[-1]
    highest = max(value for time, value in results if now - time <= _FALL_WITHIN)
    return round(highest - last, 6) >= limits.fall


def _reasons_to_press(test: str, values: Sequence[float], limits: ResultLimits) -> int:
    is_near = limits.severity(values[-1]) >= _NEAR
    return is_near + _is_worsening(test, values, limits)


def _is_worsening(test: str, values: Sequence[float], limits: ResultLimits) -> bool:
    """True if a result beyond a usual limit has moved further away from it."""
    if len(values) < 2 or limits.is_usual(values[-1]):
        return False
    away = "rise" if values[-1] > limits.usual_high else "fall"
    return direction(test, *values[-2:]) == away


@cache
def result_limits() -> dict[str, ResultLimits]:
    """The limits of each test, by its label in MIMIC-IV."""
    return {
        test: ResultLimits(
            float(lowest or -inf), float(low or -inf), float(high or inf), float(highest or inf),
            unit, float(recent), float(pressing or inf), float(fall or inf),
        )
        for test, lowest, low, high, highest, unit, recent, pressing, fall, _ in read_rows(
            __package__, "result_limits.tsv"
        )
    }  # fmt: skip
