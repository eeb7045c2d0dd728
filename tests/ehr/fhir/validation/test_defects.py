"""Defects of resources."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from tests.ehr.fhir.demo import demo_samples
from wardround.ehr.fhir.definitions import resource_types
from wardround.ehr.fhir.validation import defects
from wardround.ehr.fhir.validation.defects import encoding_fault, faults, is_sound

FLAG = {"resourceType": "Flag", "status": "active", "code": {"text": "Falls"},
        "subject": {"reference": "Patient/1"}}  # fmt: skip
CLINICAL = "http://terminology.hl7.org/CodeSystem/condition-clinical"
PATIENT = {"resourceType": "Patient"}
DEEP: dict[str, Any] = {"url": "x"}
for _ in range(60):
    DEEP = {"url": "x", "extension": [DEEP]}

NAMES = ["extension", "contained", "clinicalStatus", "coding", "value", "code"]
JSON = st.recursive(
    st.none() | st.booleans() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=2)
    ),
    max_leaves=6,
)

# A resource, and the path and first words of each defect.
CASES: list[tuple[Any, list[str]]] = [
    (FLAG, []),
    ([], ["resource: A resource is a JSON object"]),
    ({"resourceType": "Account"}, ["Account: A record holds no Account"]),
    (FLAG | {"status": "on"}, ['Flag.status: "on" is not one of active, inactive,']),
    (FLAG | {"colour": 1}, ["Flag.colour: R4 has no such element"]),
    (FLAG | {"code": "Falls"}, ['Flag.code: "Falls" must be an object']),
    (FLAG | {"category": {"text": "x"}}, ['Flag.category: {"text": "x"} must be a list']),
    (FLAG | {"category": []}, ["Flag.category: A list must have at least one item"]),
    (FLAG | {"id": "a b"}, ['Flag.id: "a b" is no id']),
    ({name: FLAG[name] for name in ("resourceType", "code", "subject")},
     ["Flag.status: R4 requires status"]),
    ({**{name: FLAG[name] for name in ("resourceType", "code", "subject")},
      "_status": {"extension": [{"url": "x", "valueCode": "unknown"}]}}, []),
    (FLAG | {"extension": [{"valueString": "a", "valueCode": "b"}]},
     ["Flag.extension[0].url: R4 requires url", "Flag.extension[0]: At most one"]),
    (PATIENT | {"birthDate": "1970-13-01"}, ['Patient.birthDate: "1970-13-01" is no date; R4']),
    (PATIENT | {"birthDate": "1970-02-30"}, ['Patient.birthDate: "1970-02-30" is no date of the']),
    (PATIENT | {"multipleBirthInteger": 1.5}, ["Patient.multipleBirthInteger: 1.5 must"]),
    (PATIENT | {"name": [{"given": ["A", None], "_given": [None, {"id": "x"}]}]}, []),
    (PATIENT | {"name": [{"given": ["A", ""]}]}, ['Patient.name[0].given[1]: "" is no string']),
    (PATIENT | {"name": [None]}, ["Patient.name[0]: null must be an object"]),
    (PATIENT | {"multipleBirthInteger": 2**31}, ["Patient.multipleBirthInteger: 2147483648 is"]),
    (PATIENT | {"language": "\ud800"}, ["Patient: It cannot be written as JSON"]),
    (PATIENT | {"meta": {"project": "x"}}, ["Patient.meta.project: R4 has no such"]),
    (PATIENT | {"contained": [{"resourceType": "Patient", "gender": "m"}]},
     ['Patient.contained[0].gender: "m" is not one of']),
    (PATIENT | {"contained": [{"resourceType": "Substance"}]}, []),
    (PATIENT | {"extension": [DEEP]}, ["Patient.extension[0].extension: Elements below"]),
    ({"resourceType": "Medication", "status": "on"}, ['Medication.status: "on" is not one of']),
    ({"resourceType": "Condition", "subject": {"display": "x"},
      "clinicalStatus": {"text": "active"}}, ["Condition.clinicalStatus: A coding must"]),
    ({"resourceType": "Condition", "subject": {"display": "x"},
      "clinicalStatus": {"coding": [{"system": CLINICAL, "code": "relapse"}]}}, []),
]  # fmt: skip


@for_each(CASES)
def test_each_defect_is_named_with_its_place(resource: Any, expected: list[str]) -> None:
    found = [str(each) for each in defects(resource)]
    assert len(found) == len(expected), found
    assert all(map(str.startswith, found, expected)), found


@for_each(resource_types())
def test_resources_of_the_demo_have_no_defects(resource_type: str) -> None:
    assert [
        each for resource in demo_samples(resource_type, 20) for each in defects(resource)
    ] == []


@given(st.sampled_from(resource_types()), JSON)
def test_any_json_has_defects_or_none(resource_type: str, value: Any) -> None:
    inner = value if isinstance(value, dict) else {"code": value}
    assert all(
        each.sentence.endswith(".") for each in defects(inner | {"resourceType": resource_type})
    )


@given(st.sampled_from(resource_types()), JSON)
def test_a_resource_is_sound_if_it_has_no_fault(resource_type: str, value: Any) -> None:
    inner = value if isinstance(value, dict) else {"code": value}
    resource = inner | {"resourceType": resource_type}
    found = list(faults(resource_type, resource, ()))
    assert is_sound(resource_type, resource) == (not found and "contained" not in resource)


@for_each(CASES)
def test_no_resource_with_a_fault_is_sound(resource: Any, expected: list[str]) -> None:
    name = resource.get("resourceType") if isinstance(resource, dict) else None
    if name in resource_types() and not encoding_fault(resource):
        assert is_sound(name, resource) == (not expected and "contained" not in resource)
