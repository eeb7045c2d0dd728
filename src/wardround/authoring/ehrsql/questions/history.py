"""The events of a database's patients, from which the values of questions are drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from wardround.authoring.ehrsql.templates import Value


class Occurrence(NamedTuple):
    """An event of a patient, with the values that a question may name."""

    person: Value
    stay: Value
    unit: Value | None
    time: datetime
    label: str | None = None
    value: float | None = None
    route: str | None = None


class Stay(NamedTuple):
    """A stay: its key, its person or hospital stay, its beginning and its end."""

    key: Value
    parent: Value
    start: datetime
    end: datetime | None


@dataclass(frozen=True)
class History:
    """The patients that questions are drawn from, and all their events.

    Attributes:
        persons: Their identifiers, in order.
        genders: By person.
        stays, units: By key.
        events: By kind, in the order of their times.
        abbreviations: Short names that the dictionaries explain.
    """

    persons: Sequence[Value]
    genders: Mapping[Value, str]
    stays: Mapping[Value, Stay]
    units: Mapping[Value, Stay]
    events: Mapping[str, Sequence[Occurrence]]
    abbreviations: Sequence[str]

    @cached_property
    def of_person(self) -> Mapping[tuple[str, Value], Sequence[Occurrence]]:
        """The events of a kind and person."""
        by_person: dict[tuple[str, Value], list[Occurrence]] = {}
        for kind, occurrences in self.events.items():
            for occurrence in occurrences:
                by_person.setdefault((kind, occurrence.person), []).append(occurrence)
        return by_person

    @cached_property
    def labelled(self) -> Mapping[str, Mapping[str, Sequence[Occurrence]]]:
        """The events by kind and by what happened."""
        return {kind: by_label(events) for kind, events in self.events.items()}

    @cached_property
    def visits(self) -> Mapping[tuple[str, str], frozenset[Value]]:
        """Keys of the first, last and current stays of persons, by "hospital" or "icu"."""
        in_units = [s._replace(parent=self.stays[s.parent].parent) for s in self.units.values()]
        kinds = {"hospital": list(self.stays.values()), "icu": in_units}
        return {
            (kind, which): frozenset(keys)
            for kind, stays in kinds.items()
            for which, keys in _visits(stays).items()
        }


def by_label(events: Sequence[Occurrence]) -> Mapping[str, Sequence[Occurrence]]:
    """Events by what happened."""
    labelled: dict[str, list[Occurrence]] = {}
    for event in events:
        labelled.setdefault(event.label or "", []).append(event)
    return labelled


def _visits(stays: Sequence[Stay]) -> dict[str, list[Value]]:
    by_person: dict[Value, list[Stay]] = {}
    for stay in sorted(stays, key=lambda stay: stay.start):
        by_person.setdefault(stay.parent, []).append(stay)
    over = [[s for s in several if s.end] for several in by_person.values()]
    return {
        "first": [several[0].key for several in over if several],
        "last": [several[-1].key for several in over if several],
        "current": [stay.key for stay in stays if stay.end is None],
    }
