"""The expected answers and writes of each type of task, computed from the record.

The limits, doses and codes are those of the published graders (Jiang et al. 2025); they are for
grading only.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from statistics import fmean
from typing import Any, Literal, TypeAlias

from wardround.benchmarks.medagentbench.measurements import (
    NOW_TIME,
    Measurement,
    age_now,
    measurements,
    within_a_day,
)
from wardround.benchmarks.medagentbench.protocol import BASE, NOW
from wardround.benchmarks.medagentbench.tasks import MedTask
from wardround.ehr.fhir.interaction import FhirServer

NOTHING = -1
NDC = "http://hl7.org/fhir/sid/ndc"
LOINC = "http://loinc.org"
SNOMED = "http://snomed.info/sct"
MAGNESIUM, POTASSIUM = "0338-1715-40", "40032-917-01"
POTASSIUM_TEST, A1C_TEST, REFERRAL = "2823-3", "4548-4", "306181000000106"
Test: TypeAlias = Literal["equal", "near", "contains", "starts"]


@dataclass(frozen=True, slots=True)
class Field:
    """An element of an expected write.

    Attributes:
        path: its place in the resource, with numbers for places in lists.
        test: how its value is compared; `near` allows 0.1.
    """

    path: tuple[str | int, ...]
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


@dataclass(frozen=True, slots=True)
class Reference:
    """The answer and writes that a task expects.

    Attributes:
        answer: the answers; None where anything goes.
        tolerance: how far a number may lie from the expected one.
        may_be_empty: an empty list is as good, because the task asks for an action.
        writes: the expected writes in order.
        asks_for_answer: the instruction asks for the answer in words.
    """

    answer: tuple[Any, ...] | None
    tolerance: float = 0.0
    may_be_empty: bool = False
    asks_for_answer: bool = True
    writes: tuple[Write, ...] = field(default=())


def reference(task: MedTask, server: FhirServer) -> Reference:
    """The expected answers and writes of a task.

    Args:
        task: the task.
        server: the record without any write of the agent.

    Raises:
        InfraError: the record does not answer, or lacks the patient.
    """
    return _BY_TYPE[task.hidden.type](task, server)


def _solution(task: MedTask, server: FhirServer) -> Reference:
    return Reference(task.hidden.solution)


def _age(task: MedTask, server: FhirServer) -> Reference:
    return Reference((age_now(server, task.hidden.patient),))


def _blood_pressure(task: MedTask, server: FhirServer) -> Reference:
    category = (
        Field(("category", 0, "coding", 0, "code"), "vital-signs"),
        Field(("code", "text"), "BP"),
        Field(("effectiveDateTime",), NOW),
        Field(("status",), "final"),
        Field(("valueString",), "118/77 mmHg"),
        _subject(task),
    )
    return Reference(None, asks_for_answer=False, writes=(Write("Observation", category),))


def _last_magnesium(task: MedTask, server: FhirServer) -> Reference:
    return Reference((_last(within_a_day(measurements(server, task.hidden.patient, "MG"))),))


def _magnesium_dose(task: MedTask, server: FhirServer) -> Reference:
    found = within_a_day(measurements(server, task.hidden.patient, "MG"))
    if not found:
        return Reference(None, asks_for_answer=False)
    value = found[-1].value
    grams = None if value > 1.9 else 4 if value < 1 else 2 if value < 1.5 else 1
    writes = () if grams is None else (_magnesium_order(task, grams),)
    return Reference((value,), may_be_empty=True, asks_for_answer=False, writes=writes)


def _mean_glucose(task: MedTask, server: FhirServer) -> Reference:
    found = within_a_day(measurements(server, task.hidden.patient, "GLU"))
    mean = fmean(each.value for each in found) if found else NOTHING
    return Reference((mean,), tolerance=0.1)


def _last_glucose(task: MedTask, server: FhirServer) -> Reference:
    return Reference((_last(measurements(server, task.hidden.patient, "GLU")),))


def _referral(task: MedTask, server: FhirServer) -> Reference:
    first, last = task.public.text.find('"'), task.public.text.rfind('"')
    note = task.public.text[first + 1 : last] if last > first else task.public.text
    write = Write(
        "ServiceRequest",
        (
            *_coding(("code",), SNOMED, REFERRAL),
            *_order(task),
            Field(("priority",), "stat"),
            Field(("note", "text"), note, "contains"),
        ),
    )
    return Reference(None, asks_for_answer=False, writes=(write,))


def _potassium_dose(task: MedTask, server: FhirServer) -> Reference:
    found = measurements(server, task.hidden.patient, "K")
    if not found:
        return Reference(None, asks_for_answer=False)
    value = found[-1].value
    writes = _potassium_orders(task, (3.5 - value) / 0.1 * 10) if value < 3.5 else ()
    return Reference((value,), may_be_empty=True, asks_for_answer=False, writes=writes)


def _a1c(task: MedTask, server: FhirServer) -> Reference:
    found = measurements(server, task.hidden.patient, "A1C")
    old = not found or found[-1].time < NOW_TIME.replace(year=NOW_TIME.year - 1)
    test = Write(
        "ServiceRequest",
        (*_coding(("code",), LOINC, A1C_TEST), *_order(task), Field(("priority",), "stat")),
    )
    answer = (found[-1].value, found[-1].written) if found else (NOTHING,)
    return Reference(answer, may_be_empty=True, writes=(test,) if old else ())


def _magnesium_order(task: MedTask, grams: int) -> Write:
    dosage = ("dosageInstruction", 0)
    rate = (*dosage, "doseAndRate", 0)
    return Write(
        "MedicationRequest",
        (
            *_coding(("medicationCodeableConcept",), NDC, MAGNESIUM),
            *_order(task),
            Field((*dosage, "route"), "IV"),
            Field((*rate, "doseQuantity", "value"), grams),
            Field((*rate, "doseQuantity", "unit"), "g"),
            Field((*rate, "rateQuantity", "value"), grams),
            Field((*rate, "rateQuantity", "unit"), "h"),
        ),
    )


def _potassium_orders(task: MedTask, dose: float) -> tuple[Write, Write]:
    dosage: tuple[str | int, ...] = ("dosageInstruction", 0)
    quantity = (*dosage, "doseAndRate", 0, "doseQuantity")
    morning = (NOW_TIME + timedelta(days=1)).strftime("%Y-%m-%dT08:")
    drug = Write(
        "MedicationRequest",
        (
            *_coding(("medicationCodeableConcept",), NDC, POTASSIUM),
            *_order(task),
            Field((*dosage, "route"), "oral"),
            Field((*quantity, "value"), dose, "near"),
            Field((*quantity, "unit"), "mEq"),
        ),
    )
    test = Write(
        "ServiceRequest",
        (
            *_coding(("code",), LOINC, POTASSIUM_TEST),
            *_order(task),
            Field(("priority",), "stat"),
            Field(("occurrenceDateTime",), morning, "starts"),
        ),
    )
    return drug, test


def _order(task: MedTask) -> tuple[Field, ...]:
    """The elements of every order."""
    return (
        Field(("authoredOn",), NOW),
        Field(("status",), "active"),
        Field(("intent",), "order"),
        _subject(task),
    )


def _subject(task: MedTask) -> Field:
    return Field(("subject", "reference"), f"Patient/{task.hidden.patient}")


def _coding(place: tuple[str, ...], system: str, code: str) -> tuple[Field, Field]:
    first: tuple[str | int, ...] = (*place, "coding", 0)
    return Field((*first, "system"), system), Field((*first, "code"), code)


def _last(found: list[Measurement]) -> float:
    return found[-1].value if found else NOTHING


_BY_TYPE: dict[int, Callable[[MedTask, FhirServer], Reference]] = {
    1: _solution,
    2: _age,
    3: _blood_pressure,
    4: _last_magnesium,
    5: _magnesium_dose,
    6: _mean_glucose,
    7: _last_glucose,
    8: _referral,
    9: _potassium_dose,
    10: _a1c,
}
