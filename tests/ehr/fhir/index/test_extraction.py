"""Index entries of small resources."""

import pytest

from wardround.ehr.fhir.index.dates import interval
from wardround.ehr.fhir.index.extraction import entries
from wardround.ehr.fhir.index.values import Interval, Quantity, Reference, Text, Token, Value
from wardround.ehr.fhir.interaction import Resource

OBSERVATION: Resource = {
    "resourceType": "Observation",
    "status": "final",
    "code": {"coding": [{"system": "http://loinc.org", "code": "2823-3", "display": "K"}]},
    "subject": {"reference": "Patient/7"},
    "effectiveDateTime": "2180-05-06T22:23:00-04:00",
    "valueQuantity": {"value": 3.1, "unit": "mEq/L", "comparator": "<"},
}
PATIENT: Resource = {
    "resourceType": "Patient",
    "name": [{"family": "Roe", "given": ["Ann", "May"]}],
    "telecom": [{"system": "phone", "value": "555"}, {"system": "email", "value": "a@b.c"}],
    "deceasedDateTime": "2181-01",
}


@pytest.mark.parametrize(
    ("resource", "parameter", "values"),
    [
        (OBSERVATION, "code", [Token("http://loinc.org", "2823-3", "K")]),
        (OBSERVATION, "patient", [Reference("Patient", "7")]),
        (OBSERVATION, "date", [Interval(6637947780000, 6637947781000)]),
        (OBSERVATION, "value-quantity", [Quantity(None, 3.1, unit="mEq/L")]),
        (OBSERVATION, "combo-code", [Token("http://loinc.org", "2823-3", "K")]),
        (PATIENT, "name", [Text("Roe"), Text("Ann"), Text("May")]),
        (PATIENT, "phone", [Token("phone", "555")]),
        (PATIENT, "email", [Token("email", "a@b.c")]),
        (PATIENT, "deceased", [Token("", "true")]),
        ({"resourceType": "Patient", "deceasedBoolean": False}, "deceased", [Token("", "false")]),
        ({"resourceType": "Patient", "birthDate": "2100-13"}, "birthdate", []),
        ({"resourceType": "Unknown", "code": "x"}, "code", []),
    ],
)
def test_values_of_a_parameter(resource: Resource, parameter: str, values: list[Value]) -> None:
    assert [entry.value for entry in entries(resource) if entry.parameter == parameter] == values


def test_a_local_time_is_read_in_the_zone() -> None:
    local = {**OBSERVATION, "effectiveDateTime": "2180-05-06T22:23:00"}
    [found] = [e.value for e in entries(local, "America/New_York") if e.parameter == "date"]
    assert found == interval("2180-05-06T22:23:00-04:00")


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("2180", 366 * 86_400_000),
        ("2180-02", 29 * 86_400_000),
        ("2180-02-29", 86_400_000),
        ("2180-02-29T10:00Z", 60_000),
        ("2180-02-29T10:00:00Z", 1000),
        ("2180-02-29T10:00:00.5Z", 100),
        ("2180-02-29T10:00:00.5004Z", 1),
    ],
)
def test_a_date_lasts_as_long_as_its_precision(text: str, length: int) -> None:
    span = interval(text)
    assert span.low is not None
    assert span.high == span.low + length


@pytest.mark.parametrize("text", ["2100-13", "2101-02-29", "yesterday", "2100-01-01T25:00Z", ""])
def test_no_date(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        interval(text)
