"""The writes that tasks expect, element by element, with the published test of each.

Doses and codes are those of the published graders (Jiang et al. 2025); they are for grading only.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, TypeAlias

from wardround.benchmarks.medagentbench.measurements import NOW_TIME
from wardround.benchmarks.medagentbench.protocol import BASE, NOW

NDC = "http://hl7.org/fhir/sid/ndc"
LOINC = "http://loinc.org"
SNOMED = "http://snomed.info/sct"
CATEGORIES = (
    "http://hl7.org/fhir/observation-category",
    "http://terminology.hl7.org/CodeSystem/observation-category",
)
MAGNESIUM, POTASSIUM = "0338-1715-40", "40032-917-01"
POTASSIUM_TEST, A1C_TEST, REFERRAL = "2823-3", "4548-4", "306181000000106"
NEAR = 0.1
Test: TypeAlias = Literal["equal", "has", "single", "near", "contains", "lowered"]
Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """An element of an expected write.

    Attributes:
        path: its place in the resource, with numbers for places in lists.
        value: the value that it is compared with.
        test: the comparison: `equal` to the value; `has` these elements among others; a `single`
            entry in a list; `near` allows 0.1; `contains` it; `lowered` without regard to case and
            surrounding space.
    """

    path: Path
    value: Any
    test: Test = "equal"


@dataclass(frozen=True, slots=True)
class Write:
    """An expected write."""

    type: str
    fields: tuple[Field, ...]

    @property
    def url(self) -> str:
        """The address it is posted to."""
        return BASE + self.type


def blood_pressure(patient: str) -> Write:
    """The measurement of type 3."""
    category = {"system": CATEGORIES[0], "code": "vital-signs", "display": "Vital Signs"}
    return _write(
        "Observation",
        Field(("category",), None, "single"),
        Field(("category", 0, "coding"), None, "single"),
        Field(("category", 0, "coding", 0), category),
        Field(("code",), {"text": "BP"}),
        Field(("effectiveDateTime",), NOW),
        Field(("status",), "final"),
        Field(("valueString",), "118/77 mmHg"),
        _subject(patient),
    )


def magnesium_order(patient: str, grams: int) -> Write:
    """The drug of type 5: grams over as many hours."""
    rate = ("dosageInstruction", 0, "doseAndRate", 0)
    return _drug(
        patient,
        MAGNESIUM,
        Field(("dosageInstruction", 0, "route"), "IV"),
        Field((*rate, "doseQuantity"), {"value": grams, "unit": "g"}),
        Field((*rate, "rateQuantity"), {"value": grams, "unit": "h"}),
    )


def referral(patient: str, words: str) -> Write:
    """The referral of type 8."""
    return _request(patient, SNOMED, REFERRAL, Field(("note", "text"), words, "contains"))


def potassium_orders(patient: str, dose: float) -> tuple[Write, Write]:
    """The drug of type 9, and the test for tomorrow at eight."""
    quantity: Path = ("dosageInstruction", 0, "doseAndRate", 0, "doseQuantity")
    morning = (NOW_TIME + timedelta(days=1)).strftime("%Y-%m-%dT08:")
    drug = _drug(
        patient,
        POTASSIUM,
        Field(("dosageInstruction", 0, "route"), "oral", "lowered"),
        Field((*quantity, "value"), dose, "near"),
        Field((*quantity, "unit"), "mEq"),
    )
    time = Field(("occurrenceDateTime",), morning, "contains")
    return drug, _request(patient, LOINC, POTASSIUM_TEST, time)


def a1c_test(patient: str) -> Write:
    """The test of type 10."""
    return _request(patient, LOINC, A1C_TEST)


def _drug(patient: str, code: str, *fields: Field) -> Write:
    return _write(
        "MedicationRequest",
        Field(("medicationCodeableConcept", "coding", 0), {"system": NDC, "code": code}, "has"),
        Field(("authoredOn",), NOW[:16], "contains"),
        Field(("status",), "active"),
        Field(("intent",), "order"),
        _subject(patient),
        *fields,
    )


def _request(patient: str, system: str, code: str, *fields: Field) -> Write:
    return _write(
        "ServiceRequest",
        Field(("code", "coding", 0), {"system": system, "code": code}, "has"),
        Field(("authoredOn",), NOW),
        Field(("status",), "active"),
        Field(("intent",), "order"),
        Field(("priority",), "stat"),
        _subject(patient),
        *fields,
    )


def _write(type: str, *fields: Field) -> Write:
    return Write(type, (Field(("resourceType",), type), *fields))


def _subject(patient: str) -> Field:
    return Field(("subject",), {"reference": f"Patient/{patient}"})
