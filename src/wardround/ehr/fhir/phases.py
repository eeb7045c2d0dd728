"""The phases of a resource: its content as it was known from one instant to the next.

An instant is known from itself on. A resource is known from the time that its type names below,
without one from its encounter's end, and without that from the end of its patient's last encounter.
Elements that lie after a phase's beginning are left out of it, and its status is that of something
still going on.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from wardround.ehr.fhir.index.dates import date_in
from wardround.ehr.fhir.interaction import Resource

# The elements that say since when a resource of a type is known; the first one that is there.
KNOWN: Mapping[str, tuple[str, ...]] = {
    "AllergyIntolerance": ("recordedDate",),
    "CarePlan": ("created", "period.start"),
    "Condition": ("recordedDate",),
    "DiagnosticReport": ("issued", "effectiveDateTime", "effectivePeriod.end"),
    "DocumentReference": ("date",),
    "Encounter": ("period.start",),
    "Flag": ("period.start",),
    "MedicationAdministration": ("effectiveDateTime", "effectivePeriod.start"),
    "MedicationDispense": ("whenPrepared", "whenHandedOver"),
    "MedicationRequest": ("authoredOn",),
    "MedicationStatement": ("dateAsserted", "effectiveDateTime", "effectivePeriod.start"),
    "Observation": (
        *("issued", "effectiveDateTime", "effectiveInstant"),
        *("effectivePeriod.end", "effectivePeriod.start"),
    ),
    "Procedure": ("performedDateTime", "performedPeriod.start"),
    "ServiceRequest": ("authoredOn",),
    "Specimen": ("collection.collectedDateTime", "collection.collectedPeriod.start"),
}
# Types that are no part of a patient's record, and a patient's own data, are always known.
TIMELESS = ("Location", "Medication", "Organization", "Practitioner")
# The end of an activity, and the status until then.
ENDS: Mapping[str, tuple[str, str]] = {
    "CarePlan": ("period.end", "active"),
    "Encounter": ("period.end", "in-progress"),
    "MedicationAdministration": ("effectivePeriod.end", "in-progress"),
    "MedicationRequest": ("dispenseRequest.validityPeriod.end", "active"),
    "MedicationStatement": ("effectivePeriod.end", "active"),
    "Procedure": ("performedPeriod.end", "in-progress"),
}
# Elements that are known from the end only.
AT_END: Mapping[str, tuple[str, ...]] = {
    "Encounter": ("hospitalization.dischargeDisposition", "length", "diagnosis"),
}
_DAY = re.compile(r"\d{4}-\d\d-\d\d(T.*)?")
_NOT_EVENTS = ("birthDate", "meta", "identifier")


@dataclass(slots=True)
class Stays:
    """The ends of encounters, by reference, and of each patient's last one, in milliseconds."""

    ends: dict[str, int] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)

    def add(self, encounter: Resource, zone: str) -> None:
        """Adds an encounter; one without an end does not end."""
        end = known_at(at(encounter, "period.end"), zone)
        if end is None:
            return
        self.ends[f"Encounter/{encounter.get('id')}"] = end
        patient = at(encounter, "subject.reference")
        if isinstance(patient, str):
            self.last[patient] = max(end, self.last.get(patient, end))


@dataclass(frozen=True, slots=True)
class Phase:
    """A resource as known in a span of time, in milliseconds; None is an open end."""

    resource: Resource
    known_from: int | None = None
    known_until: int | None = None


def phases(resource: Resource, stays: Stays, zone: str) -> list[Phase]:
    """The phases of a resource in order; the last one is the whole resource.

    Args:
        resource: a resource of any type.
        stays: the encounters of the record.
        zone: the name of the time zone of times without an offset.
    """
    first = known_from(resource, stays, zone)
    if resource["resourceType"] in TIMELESS:
        return [Phase(resource, first)]
    later = sorted({i for i in _instants(resource, zone) if first is None or i > first})
    if not later:
        return [Phase(resource, first)]
    starts = [first, *later]
    return [
        Phase(_as_of(resource, start, zone) if end is not None else resource, start, end)
        for start, end in zip(starts, [*later, None], strict=True)
    ]


def known_from(resource: Resource, stays: Stays, zone: str) -> int | None:
    """The instant from which a resource is known, in milliseconds; None for ever."""
    kind = resource["resourceType"]
    if kind in TIMELESS or kind == "Patient":
        return None
    for path in KNOWN.get(kind, ()):
        value = at(resource, path)
        if (instant := known_at(value, zone)) is not None:
            return _day_known(resource, value, instant, stays, zone)
    return _end_of_stay(resource, stays)


def waits_for_encounter(resource: Resource) -> bool:
    """True if no time of its own, or a day only, says since when a resource is known."""
    kind = resource["resourceType"]
    if kind in (*TIMELESS, "Patient"):
        return False
    times = (at(resource, path) for path in KNOWN.get(kind, ()))
    first = next((time for time in times if isinstance(time, str)), "")
    return "T" not in first


def known_at(value: Any, zone: str) -> int | None:
    """The instant at which a date is known: itself, or the end of a day; None for no date."""
    span = date_in(value, ZoneInfo(zone))
    if span is None:
        return None
    return span.low if "T" in str(value) else span.high


def at(resource: Any, path: str) -> Any:
    """The value at a path of single elements; None if there is none."""
    for name in path.split("."):
        resource = resource.get(name) if isinstance(resource, dict) else None
    return resource


def _day_known(
    resource: Resource, value: str, end_of_day: int, stays: Stays, zone: str
) -> int | None:
    """A note with a day only is known at its encounter's end if that is on the same day."""
    if "T" in value:
        return end_of_day
    end = stays.ends.get(_encounter(resource))
    day = date_in(value, ZoneInfo(zone))
    same_day = end is not None and day is not None and (day.low or 0) <= end < end_of_day
    return end if same_day else end_of_day


def _end_of_stay(resource: Resource, stays: Stays) -> int | None:
    patient = at(resource, "subject.reference") or at(resource, "patient.reference")
    end = stays.ends.get(_encounter(resource))
    return end if end is not None else stays.last.get(str(patient))


def _encounter(resource: Resource) -> str:
    context = at(resource, "context.encounter")
    nested = context[0] if isinstance(context, list) and context else None
    places = (
        at(resource, "encounter.reference"),
        at(resource, "context.reference"),
        at(nested, "reference"),
    )
    return next((place for place in places if isinstance(place, str)), "")


def _instants(node: Any, zone: str) -> Iterator[int]:
    """The instants of all dates in a resource."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name not in _NOT_EVENTS:
                yield from _instants(value, zone)
    elif isinstance(node, list):
        for value in node:
            yield from _instants(value, zone)
    elif _is_day(node) and (instant := known_at(node, zone)) is not None:
        yield instant


def _as_of(resource: Resource, start: int | None, zone: str) -> Resource:
    """A resource without the elements that were not known at an instant."""
    seen: Resource = _without_future(resource, start, zone)
    kind = resource["resourceType"]
    path, status = ENDS.get(kind, ("", ""))
    end = known_at(at(resource, path), zone) if path else None
    if end is not None and (start is None or end > start):
        seen["status"] = status
        for element in AT_END.get(kind, ()):
            _remove(seen, element.split("."))
    return seen


def _without_future(node: Any, start: int | None, zone: str) -> Any:
    if isinstance(node, dict):
        kept = {}
        for name, value in node.items():
            seen = value if name in _NOT_EVENTS else _without_future(value, start, zone)
            if seen is not None and seen not in ({}, []):
                kept[name] = seen
        return kept
    if isinstance(node, list):
        begun = (each for each in node if not _is_future(at(each, "period.start"), start, zone))
        return [seen for each in begun if (seen := _without_future(each, start, zone))]
    return None if _is_future(node, start, zone) else node


def _is_future(value: Any, start: int | None, zone: str) -> bool:
    instant = known_at(value, zone) if _is_day(value) else None
    return instant is not None and (start is None or instant > start)


def _is_day(value: Any) -> bool:
    """True for a text that is a date of a day or finer."""
    return isinstance(value, str) and _DAY.fullmatch(value) is not None


def _remove(node: Any, path: Iterable[str]) -> None:
    first, *rest = path
    if not isinstance(node, dict):
        return
    if rest:
        _remove(node.get(first), rest)
    if not rest or not node.get(first):
        node.pop(first, None)
