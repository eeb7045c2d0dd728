"""Resources of all types with times, and the times in a resource."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from zoneinfo import ZoneInfo

from wardround.ehr.fhir.index.dates import interval
from wardround.ehr.fhir.interaction import Resource

ZONE = "America/New_York"
HERE = ZoneInfo(ZONE)
_DATE = re.compile(r"\d{4}-\d\d(-\d\d(T.*)?)?")
Draw = Callable[[], str]


def period(time: Draw) -> dict[str, Any]:
    return {"start": time(), "end": time()}


# A resource of each type that has times, with times wherever R4 and MIMIC's form have them.
TEMPLATES: dict[str, Callable[[Draw], Resource]] = {
    "AllergyIntolerance": lambda time: {
        "recordedDate": time(),
        "lastOccurrence": time(),
        "reaction": [{"onset": time(), "description": "rash"}],
        "note": [{"time": time(), "text": "hives"}],
    },
    "CarePlan": lambda time: {
        "status": "completed",
        "created": time(),
        "period": period(time),
        "activity": [{"detail": {"scheduledPeriod": period(time)}, "progress": [{"time": time()}]}],
    },
    "Condition": lambda time: {
        "encounter": {"reference": "Encounter/e"},
        "onsetDateTime": time(),
        "abatementDateTime": time(),
        "clinicalStatus": {"coding": [{"code": "resolved"}]},
    },
    "DiagnosticReport": lambda time: {"status": "final", "issued": time()},
    "DocumentReference": lambda time: {
        "status": "current",
        "date": time(),
        "context": {"encounter": [{"reference": "Encounter/e"}], "period": period(time)},
    },
    "Encounter": lambda time: {
        "status": "finished",
        "period": period(time),
        "location": [{"status": "completed", "period": period(time)} for _ in range(2)],
        "statusHistory": [{"status": "arrived", "period": period(time)}],
        "hospitalization": {"dischargeDisposition": {"text": "DIED"}},
        "diagnosis": [{"condition": {"reference": "Condition/c"}}],
    },
    "Flag": lambda time: {"status": "inactive", "period": period(time)},
    "MedicationAdministration": lambda time: {
        "status": "completed",
        "effectivePeriod": period(time),
        "dosage": {"dose": {"value": 5}, "rateQuantity": {"value": 1}},
    },
    "MedicationDispense": lambda time: {"status": "completed", "whenHandedOver": time()},
    "MedicationRequest": lambda time: {
        "status": "stopped",
        "authoredOn": time(),
        "dispenseRequest": {"validityPeriod": period(time)},
        "dosageInstruction": [{"timing": {"event": [time()]}}],
    },
    "MedicationStatement": lambda time: {
        "status": "completed",
        "dateAsserted": time(),
        "effectivePeriod": period(time),
    },
    "Observation": lambda time: {
        "status": "final",
        "issued": time(),
        "effectiveDateTime": time(),
        "valueDateTime": time(),
        "extension": [{"url": "x", "valuePeriod": period(time)}],
    },
    "Patient": lambda time: {"deceasedDateTime": time(), "name": [{"period": period(time)}]},
    "Procedure": lambda time: {"status": "completed", "performedPeriod": period(time)},
    "ServiceRequest": lambda time: {
        "status": "completed",
        "authoredOn": time(),
        "occurrenceDateTime": time(),
        "note": [{"time": time(), "text": "done"}],
    },
    "Specimen": lambda time: {
        "receivedTime": time(),
        "collection": {"collectedDateTime": time()},
        "processing": [{"timeDateTime": time(), "description": "spun"}],
    },
}
STAY: Resource = {
    "resourceType": "Encounter",
    "id": "e",
    "subject": {"reference": "Patient/p"},
    "period": {"start": "2180-05-05T01:00:00-04:00", "end": "2180-05-07T17:15:00-04:00"},
}


def dates(node: Any, exempt: tuple[str, ...]) -> Iterator[str]:
    """The dates in a resource, wherever they stand."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name not in exempt:
                yield from dates(value, exempt)
    elif isinstance(node, list):
        for value in node:
            yield from dates(value, exempt)
    elif isinstance(node, str) and _DATE.fullmatch(node):
        yield node


def at(text: str) -> int:
    span = interval(text, HERE)
    assert span is not None
    assert span.low is not None
    return span.low
