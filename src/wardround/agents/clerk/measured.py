"""Measurements of a test, and their course: last, first, highest and lowest value."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from wardround.agents.clerk.results import Measurement
from wardround.ehr.terms.chinese import english, plain
from wardround.ehr.terms.labs import reference_range

Level: TypeAlias = Literal["high", "low", "normal", "abnormal", ""]
_WORD = re.compile(r"[a-z0-9%]+")
_GENERIC = frozenset({"celsius", "fahrenheit"})
_CLOSE = 0.02  # a change of this share is none


@dataclass(frozen=True, slots=True)
class Course:
    """The values of a test, oldest first; a value that is charted twice for one time is one."""

    name: str
    values: tuple[Measurement, ...]

    @property
    def last(self) -> Measurement:
        """The newest value."""
        return self.values[-1]

    @property
    def numbers(self) -> tuple[Measurement, ...]:
        """The values that are numbers."""
        return tuple(each for each in self.values if each.number is not None)

    @property
    def direction(self) -> Literal["rise", "fall", "same"]:
        """The change from the first to the last number."""
        first, last = self.numbers[0].number or 0.0, self.numbers[-1].number or 0.0
        if abs(last - first) <= _CLOSE * abs(first):
            return "same"
        return "rise" if last > first else "fall"

    @property
    def highest(self) -> Measurement:
        """The greatest number, the first of them."""
        return max(self.numbers, key=lambda each: each.number or 0.0)

    @property
    def lowest(self) -> Measurement:
        """The least number, the first of them."""
        return min(self.numbers, key=lambda each: each.number or 0.0)


def courses(measurements: Iterable[Measurement]) -> list[Course]:
    """The courses of all that was measured, by name, in the order of their first mention."""
    by_name: dict[str, dict[tuple[str, str], Measurement]] = {}
    for each in measurements:
        by_name.setdefault(each.name, {})[each.time, each.value] = each
    return [
        Course(name, tuple(sorted(measured.values(), key=lambda each: each.time)))
        for name, measured in by_name.items()
    ]


def of_test(test: str, measurements: Iterable[Measurement]) -> list[Measurement]:
    """The measurements of a test: by its very name, else those whose names hold its words.

    >>> made = Measurement("Non Invasive Blood Pressure systolic", "120 mmHg", "", None, None, "")
    >>> len(of_test("systolic blood pressure", [made]))
    1
    """
    listed = list(measurements)
    exact = [each for each in listed if _label(each.name) == test]
    if exact:
        return exact
    words = set(_WORD.findall(test)) - _GENERIC
    return [each for each in listed if words and words <= set(_WORD.findall(plain(each.name)))]


def level(measurement: Measurement, sex: Literal["male", "female"] | None) -> Level:
    """A value against the range of its result, or the reference range of its unit."""
    number, low, high = measurement.number, measurement.low, measurement.high
    if low is None and high is None and (reference := reference_range(measurement.name, sex)):
        same_unit = plain(reference.unit) == plain(measurement.unit)
        low, high = (reference.low, reference.high) if same_unit else (None, None)
    if number is not None and high is not None and number > high:
        return "high"
    if number is not None and low is not None and number < low:
        return "low"
    if number is not None and (low is not None or high is not None):
        return "normal"
    return "abnormal" if measurement.flag else ""


def _label(name: str) -> str:
    return english(name, "test") or plain(name)
