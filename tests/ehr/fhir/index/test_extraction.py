"""Index entries of resources."""

from datetime import UTC
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import for_each
from wardround.ehr.fhir.definitions import Path, parameters, resource_types
from wardround.ehr.fhir.index import (
    Interval,
    Quantity,
    Reference,
    Text,
    Token,
    element_entries,
    element_plan,
    entries,
)

NAMES = st.sampled_from(
    ["coding", "code", "value", "reference", "identifier", "type", "event", "repeat", "low",
     "origin", "data", "contained", "component", "text", "start", "id", "boundsPeriod"]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


def values(resource: dict[str, Any], name: str) -> list[Any]:
    """The values under a parameter."""
    return [value for parameter, value in entries(resource) if parameter == name]


def observation(**elements: Any) -> dict[str, Any]:
    return {"resourceType": "Observation", "code": {"text": "K"}, **elements}


CASES = [
    ({"coding": [{"system": "s", "code": "c", "display": "d"}], "text": "t"},
     [Token("s", "c", "d"), Token(text="t")]),
    ({"coding": [{"code": "c", "display": "d"}], "text": "d"}, [Token("", "c", "d")]),
    ({"text": "t"}, [Token(text="t")]),
    ({"coding": {"code": "not a list"}}, [Token("", "not a list")]),
    ("not a concept", []),
]  # fmt: skip


@pytest.mark.parametrize(("concept", "tokens"), CASES)
def test_concepts_give_their_codings_and_text(concept: Any, tokens: list[Token]) -> None:
    assert values(observation(code=concept), "code") == tokens


QUANTITIES = [
    ({"value": 5, "code": "mg", "system": "u", "unit": "mg"}, Quantity(5, 5, "u", "mg", "mg")),
    ({"value": 5, "comparator": "<"}, Quantity(None, 5)),
    ({"value": 5, "comparator": ">="}, Quantity(5, None)),
]


@pytest.mark.parametrize(("amount", "value"), QUANTITIES)
def test_a_comparator_opens_an_end(amount: Any, value: Quantity) -> None:
    resource = observation(valueQuantity=amount)
    assert values(resource, "value-quantity") == [value]
    assert values(resource, "code-value-quantity") == [(Token(text="K"), value)]


@pytest.mark.parametrize("amount", [float("nan"), float("inf"), 10**400, True, "5"])
def test_amounts_that_are_no_finite_number_are_not_indexed(amount: Any) -> None:
    assert values(observation(valueQuantity={"value": amount}), "value-quantity") == []


def test_sampled_data_has_the_bounds_of_its_samples() -> None:
    data = {"origin": {"value": 10, "unit": "mV"}, "factor": 2, "data": "1 E 3 U"}
    found = values(observation(valueSampledData=data), "value-quantity")
    assert found == [Quantity(12, 16, unit="mV")]


def test_ranges_are_open_where_an_end_is_missing() -> None:
    onset = {"low": {"value": 40, "unit": "a"}}
    resource = {"resourceType": "Condition", "onsetRange": onset}
    assert values(resource, "onset-age") == [Quantity(40, None, unit="a")]


def test_composites_combine_values_of_the_same_component() -> None:
    parts = [{"code": {"text": name}, "valueQuantity": {"value": number}}
             for name, number in (("a", 1), ("b", 2))]  # fmt: skip
    found = values(observation(component=parts), "component-code-value-quantity")
    assert found == [(Token(text="a"), Quantity(1, 1)), (Token(text="b"), Quantity(2, 2))]


CONTAINED = [{"resourceType": "Patient", "id": "p"}, {"resourceType": "Group", "id": "g"}]
REFERENCES = [
    ({"reference": "Patient/1"}, Reference("Patient", "1"), True),
    ({"reference": "Patient/1/_history/2"}, Reference("Patient", "1"), True),
    ({"reference": "Group/1"}, Reference("Group", "1"), False),
    ({"reference": "http://a/Patient/1"}, Reference("Patient", "1", "http://a/Patient/1"), True),
    ({"reference": "#p"}, Reference("Patient", "", "#p"), True),
    ({"reference": "#g"}, Reference("Group", "", "#g"), False),
    ({"reference": "urn:uuid:1", "type": "Patient"}, Reference("Patient", "", "urn:uuid:1"), True),
    ({"identifier": {"system": "s", "value": "v"}, "type": "Patient"},
     Reference("Patient", identifier=Token("s", "v")), True),
]  # fmt: skip


@for_each(REFERENCES)
def test_references_of_each_form(reference: Any, value: Reference, to_patient: bool) -> None:
    resource = observation(subject=reference, contained=CONTAINED)
    assert values(resource, "subject") == [value]
    assert values(resource, "patient") == [value] * to_patient


def test_a_display_alone_is_no_reference() -> None:
    assert values(observation(subject={"display": "Ann"}), "subject") == []


PATIENT = {
    "resourceType": "Patient", "gender": "female", "active": True, "birthDate": "1970",
    "name": [{"family": "Doe", "given": ["Ann", "B"]}], "address": [{"line": ["1 Elm"]}],
    "telecom": [{"system": "phone", "value": "1"}, {"system": "email", "value": "a@b"}],
    "identifier": [{"system": "s", "value": "v", "type": {"text": "MRN"}}],
}  # fmt: skip
PATIENT_VALUES = {
    "gender": [Token("http://hl7.org/fhir/administrative-gender", "female")],
    "active": [Token(code="true")],
    "birthdate": [Interval(0, 365 * 86_400_000)],
    "name": [Text("Doe"), Text("Ann"), Text("B")],
    "given": [Text("Ann"), Text("B")],
    "address": [Text("1 Elm")],
    "telecom": [Token(code="1"), Token(code="a@b")],
    "email": [Token(code="a@b")],
    "identifier": [Token("s", "v", "MRN")],
    "deceased": [Token(code="false")],
}


@for_each(PATIENT_VALUES)
def test_values_of_a_patient(name: str) -> None:
    assert values(PATIENT, name) == PATIENT_VALUES[name]


def test_a_patient_with_a_time_of_death_is_deceased() -> None:
    resource = PATIENT | {"deceasedDateTime": "2180"}
    assert values(resource, "deceased") == [Token(code="true")]
    assert values(PATIENT | {"deceasedBoolean": False}, "deceased") == [Token(code="false")]


def test_a_date_that_is_none_is_not_indexed() -> None:
    assert values(PATIENT | {"birthDate": "1970-13"}, "birthdate") == []


PATHS = [path for name in resource_types() for each in parameters(name) for path in each.paths]
ELEMENTS = sorted({path.steps[0] for path in PATHS if isinstance(path, Path)})


@given(st.sampled_from(resource_types()), st.dictionaries(st.sampled_from(ELEMENTS), JSON))
def test_no_json_stops_the_indexing(resource_type: str, elements: dict[str, Any]) -> None:
    list(entries({**elements, "resourceType": resource_type}))


@given(st.sampled_from(resource_types()), st.dictionaries(st.sampled_from(ELEMENTS), JSON))
def test_entries_of_an_element_depend_on_the_elements_that_it_reads(
    resource_type: str, elements: dict[str, Any]
) -> None:
    whole = {**elements, "resourceType": resource_type}
    for element in whole.keys() if "contained" not in whole else ():
        group = element_plan(resource_type, UTC).get(element)
        reads = ("resourceType", element, *(group.reads if group else ()))
        part = {name: whole[name] for name in reads if name in whole}
        found = [list(element_entries(each, element, UTC)) for each in (part, whole)]
        assert found[0] == found[1]
