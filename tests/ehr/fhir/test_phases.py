"""The clock: nothing in a phase lies after its beginning."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wardround.ehr.fhir.definitions import resource_types
from wardround.ehr.fhir.index.dates import interval
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.ndjson import read_ndjson
from wardround.ehr.fhir.phases import Phase, Stays, phases
from wardround.ehr.fhir.phases.rules import PLANNED

ZONE = "America/New_York"
HERE = ZoneInfo(ZONE)
DEMO = Path(__file__).parents[4] / "shared/data/mimic-iv-demo-fhir"
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
OVER = {"finished", "completed", "stopped", "inactive"}

times = st.builds(
    lambda day, minute, form: f"2180-05-{day:02}" + form.format(minute // 60, minute % 60),
    st.integers(5, 9),
    st.integers(0, 1439),
    st.sampled_from(["", "T{:02}:{:02}:00-04:00", "T{:02}:{:02}:30.5Z", "T00:00:00-04:00"]),
)
STAY: Resource = {
    "resourceType": "Encounter",
    "id": "e",
    "subject": {"reference": "Patient/p"},
    "period": {"start": "2180-05-05T01:00:00-04:00", "end": "2180-05-07T17:15:00-04:00"},
}


@st.composite
def resources(draw: st.DrawFn) -> Resource:
    type = draw(st.sampled_from(sorted(TEMPLATES)))
    head = {"resourceType": type, "id": "p", "subject": {"reference": "Patient/p"}}
    return head | TEMPLATES[type](lambda: draw(times))


def at(text: str) -> int:
    span = interval(text, HERE)
    assert span is not None
    assert span.low is not None
    return span.low


def stays() -> Stays:
    found = Stays()
    found.add(STAY, ZONE)
    return found


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


def assert_nothing_lies_ahead(phase: Phase) -> None:
    type = phase.resource["resourceType"]
    assert phase.known_from is not None
    for date in dates(phase.resource, PLANNED.get(type, ())):
        assert at(date) <= phase.known_from, (date, phase)


def test_every_type_with_times_has_a_template() -> None:
    timeless = {"Location", "Medication", "Organization", "Practitioner"}
    assert set(resource_types()) <= TEMPLATES.keys() | timeless | {"Resource"}


@given(resources())
@settings(max_examples=150, deadline=None)
def test_nothing_in_a_phase_lies_after_its_beginning(resource: Resource) -> None:
    found = phases(resource, stays(), ZONE)
    assert found[-1].resource == resource
    assert [phase.known_until for phase in found] == [*(p.known_from for p in found[1:]), None]
    for phase in found:
        if phase.known_from is not None:
            assert_nothing_lies_ahead(phase)


@given(resources())
@settings(max_examples=100, deadline=None)
def test_an_activity_is_over_in_no_phase_before_its_end(resource: Resource) -> None:
    end = (resource.get("period") or resource.get("performedPeriod") or {}).get("end")
    for phase in phases(resource, stays(), ZONE):
        before = end is not None and (phase.known_from or 0) < at(end)
        if before:
            assert phase.resource.get("status") not in OVER
            assert "hospitalization" not in phase.resource
            assert "diagnosis" not in phase.resource


def known(type: str, **elements: Any) -> int | None:
    resource = {"resourceType": type, "id": "x", "encounter": {"reference": "Encounter/e"}}
    return phases(resource | elements, stays(), ZONE)[0].known_from


@pytest.mark.parametrize(
    ("type", "elements", "expected"),
    [
        (
            "Observation",
            {"issued": "2180-05-06T09:00:00Z", "effectiveDateTime": "2180-05-06T08:00:00Z"},
            "2180-05-06T09:00:00Z",
        ),
        ("Observation", {"effectiveDateTime": "2180-05-06T08:00:00Z"}, "2180-05-06T08:00:00Z"),
        ("MedicationRequest", {"authoredOn": "2180-05-06T08:00:00Z"}, "2180-05-06T08:00:00Z"),
        ("Condition", {"onsetDateTime": "2180-05-06"}, "2180-05-07T17:15:00-04:00"),
        ("DocumentReference", {"date": "2180-05-06T10:00:00-04:00"}, "2180-05-06T10:00:00-04:00"),
        ("DocumentReference", {"date": "2180-05-06"}, "2180-05-07T00:00:00-04:00"),
        ("DocumentReference", {"date": "2180-05-07"}, "2180-05-07T17:15:00-04:00"),
        ("DocumentReference", {"date": "2180-05-07T00:00:00-04:00"}, "2180-05-07T17:15:00-04:00"),
        (
            "Procedure",
            {
                "performedDateTime": "2180-05-06T00:00:00-04:00",
                "code": {"coding": [{"system": "http://hl7.org/fhir/sid/icd-9-cm"}]},
            },
            "2180-05-07T17:15:00-04:00",
        ),
    ],
)
def test_known_time_by_type(type: str, elements: Resource, expected: str) -> None:
    assert known(type, **elements) == at(expected)


def test_a_date_without_offset_is_read_in_the_zone() -> None:
    assert known("Observation", issued="2180-12-06T09:00:00") == at("2180-12-06T14:00:00Z")
    assert known("Observation", issued="2180-07-06T09:00:00") == at("2180-07-06T13:00:00Z")


def test_an_order_without_an_end_is_active_until_the_stay_ends() -> None:
    order = {"authoredOn": "2180-05-06T08:00:00Z", "status": "completed"}
    resource = {"resourceType": "MedicationRequest", "id": "x", "subject": STAY["subject"]} | order
    statuses = [phase.resource["status"] for phase in phases(resource, stays(), ZONE)]
    assert statuses == ["active", "completed"]


def test_death_is_known_at_its_time() -> None:
    patient = {"resourceType": "Patient", "id": "p", "birthDate": "2100-01-01"}
    for death in ({"deceasedDateTime": "2180-05-07T17:00:00-04:00"}, {"deceasedBoolean": True}):
        before, after = phases(patient | death, stays(), ZONE)
        assert before.resource == patient
        assert after.resource == patient | death


@pytest.mark.skipif(not DEMO.exists(), reason="the demo is not there")
def test_nothing_in_the_demo_lies_after_its_phase() -> None:
    found = Stays()
    for number, resource in enumerate(read_ndjson(DEMO)):
        if resource["resourceType"] == "Encounter":
            found.add(resource, ZONE)
        if number % 50 == 0:
            for phase in phases(resource, found, ZONE):
                if phase.known_from is not None:
                    assert_nothing_lies_ahead(phase)
