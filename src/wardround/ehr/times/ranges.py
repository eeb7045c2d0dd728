"""Valid ranges of time template values."""

from collections.abc import Mapping
from datetime import datetime

from wardround.ehr.times.model import Ago, Following, TimeTemplate

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
