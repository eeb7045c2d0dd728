"""Time templates read from the packaged file."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any

from wardround.ehr.times.filters import TimeFilter
from wardround.ehr.times.model import (
    Ago,
    Calendar,
    Following,
    Meaning,
    Moment,
    Part,
    Period,
    Rank,
    SameMoment,
    SamePeriod,
    SameVisit,
    TimeTemplate,
    Visit,
)

_KINDS: Mapping[str, type[Meaning]] = {
    "visit": Visit,
    "period": Period,
    "ago": Ago,
    "calendar": Calendar,
    "part": Part,
    "same visit": SameVisit,
    "same period": SamePeriod,
    "following": Following,
    "same moment": SameMoment,
    "rank": Rank,
    "moment": Moment,
}
_LARGEST_FIRST = ("year", "month", "day", "hour", "minute", "second")


@cache
def all_templates() -> tuple[TimeTemplate, ...]:
    """Every time template, in the order of Lee et al. 2022, Table 8."""
    text = files("wardround.ehr.times").joinpath("templates.toml").read_text(encoding="utf-8")
    return tuple(_template(entry) for entry in tomllib.loads(text)["template"])


def template(id: str) -> TimeTemplate:
    """The template of that id.

    >>> template("abs-month-since").words
    'since {month:02}/{year}'

    Raises:
        KeyError: If there is no such template.
    """
    return _by_id()[id]


def template_of(meaning: Meaning) -> TimeTemplate | None:
    """The template of a meaning, or None."""
    return _by_meaning().get(meaning)


def time_filter(id: str, **values: int) -> TimeFilter:
    """The filter of a template id and values.

    >>> time_filter("abs-month-since", month=7, year=2102).template.unit
    'month'

    Raises:
        KeyError: If there is no such template.
        ValueError: If the values do not fit it.
    """
    return TimeFilter(template(id), values)


@cache
def _by_id() -> dict[str, TimeTemplate]:
    return {template.id: template for template in all_templates()}


@cache
def _by_meaning() -> dict[Meaning, TimeTemplate]:
    return {template.meaning: template for template in all_templates()}


def _template(entry: dict[str, Any]) -> TimeTemplate:
    meaning = dict(entry.pop("meaning"))
    kind = _KINDS[meaning.pop("kind")]
    slots = {name for _, name, _, _ in Formatter().parse(entry["words"]) if name}
    values = tuple(name for name in _LARGEST_FIRST if name in slots)
    return TimeTemplate(**entry, meaning=kind(**meaning), values=values)
