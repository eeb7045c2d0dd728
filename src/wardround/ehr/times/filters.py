"""Time filters (time templates with values), their valid ranges, and a question's filters."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from wardround.ehr.times.model import Ago, Following, TimeTemplate


@dataclass(frozen=True)
class TimeFilter:
    """A time template with its values, as in a question: "since 07/2102".

    Raises:
        ValueError: If a value is missing, unknown or outside its range
            (`wardround.ehr.times.value_range`), or the date does not exist.
    """

    template: TimeTemplate
    values: Mapping[str, int] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_values(self.template, self.values)


@dataclass(frozen=True)
class TimeTag:
    """The time filters of one question, by slot (Lee et al. 2022, B.3: T_tag)."""

    global1: TimeFilter | None = None
    global2: TimeFilter | None = None
    within: TimeFilter | None = None
    exact1: TimeFilter | None = None
    exact2: TimeFilter | None = None

    @property
    def filters(self) -> tuple[TimeFilter | None, ...]:
        """The five slots in the published order."""
        return (self.global1, self.global2, self.within, self.exact1, self.exact2)

    @property
    def ids(self) -> tuple[str, ...]:
        """The template ids in the published order, "" for an empty slot."""
        return tuple(filter.template.id if filter else "" for filter in self.filters)


def filter_text(filter: TimeFilter) -> str:
    """The filter as a phrase of a question.

    >>> from wardround.ehr.times import time_filter
    >>> filter_text(time_filter("abs-month-since", month=7, year=2102))
    'since 07/2102'
    >>> filter_text(time_filter("rel-day-until", day=1))
    'until 1 day ago'
    """
    plural = "" if 1 in filter.values.values() else "s"
    return filter.template.words.format(**filter.values).replace("(s)", plural)


# Years have four digits in every engine; counts are limited to about a lifetime.
_DATES = {
    "year": range(1000, 10000),
    "month": range(1, 13),
    "day": range(1, 32),
    "hour": range(24),
    "minute": range(60),
    "second": range(60),
}
_COUNTS = {"year": range(1, 101), "month": range(1, 1201), "day": range(1, 36526)}
_LEAP_YEAR = 2000


def value_range(template: TimeTemplate, name: str) -> range:
    """The valid range of one value of a template.

    Raises:
        KeyError: If the template has no such value.
    """
    if name not in template.values:
        raise KeyError(f"the time template {template.id} has no value {name!r}")
    counted = isinstance(template.meaning, Ago | Following)
    return (_COUNTS if counted else _DATES)[name]


def check_values(template: TimeTemplate, values: Mapping[str, int]) -> None:
    """Check that the values fit the template.

    Raises:
        ValueError: If they do not.
    """
    if set(values) != set(template.values):
        needed = ", ".join(template.values) or "no values"
        raise ValueError(f"the time template {template.id} takes {needed}, not {list(values)}")
    for name, value in values.items():
        if value not in value_range(template, name):
            raise ValueError(f"{value} is no {name} for the time template {template.id}")
    if {"month", "day"} <= set(values):
        _check_date(values)


def _check_date(values: Mapping[str, int]) -> None:
    year = values.get("year", _LEAP_YEAR)
    datetime(year, values["month"], values["day"])
