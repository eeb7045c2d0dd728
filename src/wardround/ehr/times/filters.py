"""A time filter, which is a time template with its values, and the filters of one question."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from wardround.ehr.times.model import TimeTemplate
from wardround.ehr.times.ranges import check_values


@dataclass(frozen=True)
class TimeFilter:
    """A time template with its values, as in a question: "since 07/2102".

    Raises:
        ValueError: If a value is missing, unknown or outside its range, or names no day of any
            calendar (`wardround.ehr.times.value_range`).
    """

    template: TimeTemplate
    values: Mapping[str, int] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        check_values(self.template, self.values)


@dataclass(frozen=True)
class TimeTag:
    """The time filters of one question, by slot (EHRSQL, B.3: T_tag)."""

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
        """The templates' names in the published order, empty where a slot is."""
        return tuple(filter.template.id if filter else "" for filter in self.filters)
