"""Time filters (time templates with values), and the filters of one question."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from wardround.ehr.times.model import TimeTemplate
from wardround.ehr.times.ranges import check_values


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
