"""The encounters of a record: other resources become known at their ends."""

from dataclasses import dataclass, field
from typing import Any
from zoneinfo import ZoneInfo

from wardround.ehr.fhir.index.dates import interval
from wardround.ehr.fhir.index.values import Interval
from wardround.ehr.fhir.interaction import Resource


@dataclass(slots=True)
class Stays:
    """The ends of encounters, by reference, and of each patient's last one, in milliseconds."""

    ends: dict[str, int] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)

    def add(self, encounter: Resource, zone: str) -> None:
        """Adds an encounter; one without an end does not end."""
        end = end_of(value_at_path(encounter, "period.end"), zone)
        if end is None:
            return
        self.ends[f"Encounter/{encounter.get('id')}"] = end
        patient = value_at_path(encounter, "subject.reference")
        if isinstance(patient, str):
            self.last[patient] = max(end, self.last.get(patient, end))

    def end(self, resource: Resource) -> int | None:
        """The end of a resource's encounter; without one, of its patient's last encounter."""
        end = self.ends.get(_encounter(resource))
        return end if end is not None else self.last.get(_patient(resource))


def value_at_path(resource: Any, path: str) -> Any:
    """The value at a path of single elements; None if there is none."""
    for name in path.split("."):
        resource = resource.get(name) if isinstance(resource, dict) else None
    return resource


def end_of(value: Any, zone: str) -> int | None:
    """The instant of a time, or the end of a day, month or year; None for no date."""
    span = _span(value, zone)
    return None if span is None else span.low if "T" in value else span.high


def start_of(value: Any, zone: str) -> int | None:
    """The instant of a time, or the beginning of a day, month or year; None for no date."""
    span = _span(value, zone)
    return None if span is None else span.low


def _span(value: Any, zone: str) -> Interval | None:
    return interval(value, ZoneInfo(zone)) if isinstance(value, str) else None


def _encounter(resource: Resource) -> str:
    context = value_at_path(resource, "context.encounter")
    nested = context[0] if isinstance(context, list) and context else None
    places = (
        value_at_path(resource, "encounter.reference"),
        value_at_path(resource, "context.reference"),
        value_at_path(nested, "reference"),
    )
    return next((reference for reference in places if isinstance(reference, str)), "")


def _patient(resource: Resource) -> str:
    if resource["resourceType"] == "Patient":
        return f"Patient/{resource.get('id')}"
    return str(
        value_at_path(resource, "subject.reference") or value_at_path(resource, "patient.reference")
    )
