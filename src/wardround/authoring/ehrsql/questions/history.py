"""The events of a database's patients, searchable by time template."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from wardround.authoring.ehrsql.questions.source import Source
from wardround.authoring.ehrsql.templates import Value
from wardround.ehr.times import TimeTemplate
from wardround.ehr.times.model import Visit
from wardround.ehr.times.random_filters import reach


class Occurrence(NamedTuple):
    """An event of a patient, with the values that questions may use."""

    person: Value
    stay: Value | None
    unit: Value | None
    time: datetime
    label: str | None = None
    value: float | None = None
    route: str | None = None


class Stay(NamedTuple):
    """A hospital or unit stay; `parent` is the person or the hospital stay it belongs to."""

    key: Value
    parent: Value
    start: datetime
    end: datetime | None


@dataclass(frozen=True)
class History:
    """The patients that questions are drawn from, and all their events.

    Attributes:
        persons: patient identifiers, sorted.
        genders: genders by person.
        stays, units: hospital and unit stays by key.
        events: events by kind, sorted by time.
        abbreviations: short titles of diagnoses in the dictionaries.
    """

    persons: Sequence[Value]
    genders: Mapping[Value, str]
    stays: Mapping[Value, Stay]
    units: Mapping[Value, Stay]
    events: Mapping[str, Sequence[Occurrence]]
    abbreviations: Sequence[str]

    @cached_property
    def of_person(self) -> Mapping[tuple[str, Value], Sequence[Occurrence]]:
        """Events by kind and person."""
        by_person = defaultdict[tuple[str, Value], list[Occurrence]](list)
        for kind, events in self.events.items():
            for event in events:
                by_person[kind, event.person].append(event)
        return dict(by_person)

    @cached_property
    def labelled(self) -> Mapping[str, Mapping[str, Sequence[Occurrence]]]:
        """Events by kind and label."""
        return {kind: by_label(events) for kind, events in self.events.items()}

    @cached_property
    def visits(self) -> Mapping[tuple[str, str], frozenset[Value]]:
        """Keys of the first, last and current stays, by ("hospital" or "icu", which)."""
        in_units = [s._replace(parent=self.stays[s.parent].parent) for s in self.units.values()]
        kinds = {"hospital": list(self.stays.values()), "icu": in_units}
        return {
            (kind, which): frozenset(keys)
            for kind, stays in kinds.items()
            for which, keys in _visits(stays).items()
        }


@dataclass
class EventPool:
    """The events of a database's records, searched by time template.

    Attributes:
        now: the end of the records.
    """

    source: Source
    history: History
    now: datetime
    _suiting: dict[tuple[str, str], Sequence[Occurrence]] = field(default_factory=dict)
    _labelled: dict[tuple[str, str], Sequence[Sequence[Occurrence]]] = field(default_factory=dict)

    @cached_property
    def usual_kind(self) -> str:
        """The kind of event for questions about none: admissions, or else what there is."""
        kinds = [kind for kind, events in self.history.events.items() if events]
        return next(iter(kinds), "admission")

    def suiting(self, kind: str, template: TimeTemplate | None) -> Sequence[Occurrence]:
        """Returns the events of a kind that some filter of the template accepts."""
        key = (kind, template.id if template else "")
        if key not in self._suiting:
            events = self.history.events.get(kind, ())
            self._suiting[key] = self._reached(events, template) if template else events
        return self._suiting[key]

    def labelled(self, kind: str, template: TimeTemplate | None) -> Sequence[Sequence[Occurrence]]:
        """Groups `suiting` events by label, to draw rare labels as often as common ones."""
        key = (kind, template.id if template else "")
        if key not in self._labelled:
            self._labelled[key] = list(by_label(self.suiting(kind, template)).values())
        return self._labelled[key]

    def _reached(
        self, events: Sequence[Occurrence], template: TimeTemplate
    ) -> Sequence[Occurrence]:
        if isinstance(template.meaning, Visit):
            visits = self.history.visits[template.meaning.stay, template.meaning.which]
            if template.meaning.stay == "hospital":
                return [event for event in events if event.stay in visits]
            if self.source.records.are_views:
                return [event for event in events if event.unit in visits]
            return [event for event in events if event.unit is None or event.unit in visits]
        start, end = reach(template, self.now)
        first = bisect_left(events, start, key=attrgetter("time"))
        return events[first : bisect_right(events, end, key=attrgetter("time"))]


def by_label(events: Sequence[Occurrence]) -> Mapping[str, Sequence[Occurrence]]:
    """Groups events by label."""
    labelled = defaultdict[str, list[Occurrence]](list)
    for event in events:
        labelled[event.label or ""].append(event)
    return dict(labelled)


def _visits(stays: Sequence[Stay]) -> dict[str, list[Value]]:
    by_person = defaultdict[Value, list[Stay]](list)
    for stay in sorted(stays, key=attrgetter("start")):
        by_person[stay.parent].append(stay)
    finished = [[s for s in group if s.end] for group in by_person.values()]
    return {
        "first": [group[0].key for group in finished if group],
        "last": [group[-1].key for group in finished if group],
        "current": [stay.key for stay in stays if stay.end is None],
    }
