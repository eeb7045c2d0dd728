"""The clock: nothing in a phase lies after its beginning."""

from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each, one_in
from tests.ehr.fhir.demo import DEMO, demo_samples
from tests.ehr.fhir.timed_resources import STAY, TEMPLATES, ZONE, at, dates
from wardround.ehr.fhir.definitions import resource_types
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.phases import Phase, Stays, phases, waits_for_encounter
from wardround.ehr.fhir.phases.rules import PLANNED

OVER = {"finished", "completed", "stopped", "inactive"}

times = st.builds(
    lambda day, minute, form: f"2180-05-{day:02}" + form.format(minute // 60, minute % 60),
    st.integers(5, 9),
    st.integers(0, 1439),
    st.sampled_from(["", "T{:02}:{:02}:00-04:00", "T{:02}:{:02}:30.5Z", "T00:00:00-04:00"]),
)


@st.composite
def resources(draw: st.DrawFn) -> Resource:
    type = draw(st.sampled_from(sorted(TEMPLATES)))
    head = {"resourceType": type, "id": "p", "subject": {"reference": "Patient/p"}}
    return head | TEMPLATES[type](lambda: draw(times))


def stays() -> Stays:
    found = Stays()
    found.add(STAY, ZONE)
    return found


def assert_nothing_lies_ahead(phase: Phase) -> None:
    type = phase.resource["resourceType"]
    assert phase.known_from is not None
    for date in dates(phase.resource, PLANNED.get(type, ())):
        assert at(date) <= phase.known_from, (date, phase)


def test_every_type_with_times_has_a_template() -> None:
    timeless = {"Location", "Medication", "Organization", "Practitioner"}
    assert set(resource_types()) <= TEMPLATES.keys() | timeless | {"Resource"}


@given(resources())
def test_nothing_in_a_phase_lies_after_its_beginning(resource: Resource) -> None:
    found = phases(resource, stays(), ZONE)
    assert found[-1].resource == resource
    assert [phase.known_until for phase in found] == [*(p.known_from for p in found[1:]), None]
    for phase in found:
        if phase.known_from is not None:
            assert_nothing_lies_ahead(phase)


@given(resources())
def test_a_resource_that_is_over_at_once_has_no_further_phase(resource: Resource) -> None:
    found = phases(resource, stays(), ZONE)
    with pytest.MonkeyPatch.context() as patch:
        module = import_module("wardround.ehr.fhir.phases.phases")
        patch.setattr(module, "_is_over", lambda course, instant: False)
        assert phases(resource, stays(), ZONE) == found


@given(resources())
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


@for_each(
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
    ]
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


def test_nothing_in_a_hospital_lies_after_its_phase(hospital: list[Resource]) -> None:
    found = Stays()
    for resource in hospital:
        if resource["resourceType"] == "Encounter":
            found.add(resource, ZONE)
    timed = [resource for resource in hospital if resource["resourceType"] in TEMPLATES]
    every = [phase for resource in timed for phase in phases(resource, found, ZONE)]
    known = [phase for phase in every if phase.known_from is not None]
    assert (len(known), len(timed)) == (8011, 7006)
    for phase in known:
        assert_nothing_lies_ahead(phase)


@pytest.mark.skipif(
    not DEMO.exists(), reason="no published demo: its resources' phases are not checked"
)
@pytest.mark.parametrize("type", one_in(4, sorted(TEMPLATES)))
def test_nothing_in_the_demo_lies_after_its_phase(type: str) -> None:
    found = Stays()
    for encounter in demo_samples("Encounter", 300):
        found.add(encounter, ZONE)
    for resource in demo_samples(type, 60):
        for phase in phases(resource, found, ZONE):
            assert_nothing_lies_ahead(phase)


@given(resources(), st.data())
def test_a_malformed_resource_has_phases(resource: Resource, data: st.DataObject) -> None:
    element = data.draw(st.sampled_from([*resource, "code", "period", "context"]))
    wrong: st.SearchStrategy[Any] = st.sampled_from(
        [0, None, "2180", "x", [], {}, [[1]], {"coding": 1}, [{"period": []}]]
    )
    if element not in ("resourceType", "id"):
        resource[element] = data.draw(wrong)
    assert phases(resource, stays(), ZONE)[-1].resource == resource
    waits_for_encounter(resource)
