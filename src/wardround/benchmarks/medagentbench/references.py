"""The expected answers and writes of each type of task, computed from the record.

The limits are those of the published graders (Jiang et al. 2025); they are for grading only.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from wardround.benchmarks.medagentbench.expected_writes import (
    Write,
    a1c_test,
    blood_pressure,
    magnesium_order,
    potassium_orders,
    referral,
)
from wardround.benchmarks.medagentbench.measurements import (
    NOW_TIME,
    Facts,
    Measurement,
    UnreadableRecordError,
    age_now,
    measurements,
    published_measurements,
)
from wardround.benchmarks.medagentbench.tasks import MedTask
from wardround.ehr.fhir.interaction import FhirServer

NOTHING = -1
# The measurement that a type asks about, and whether only the last 24 hours count.
MEASURED: Mapping[int, tuple[str, bool]] = {
    4: ("MG", True),
    5: ("MG", True),
    6: ("GLU", True),
    7: ("GLU", False),
    9: ("K", False),
    10: ("A1C", False),
}
_AGE = 2


@dataclass(frozen=True, slots=True)
class Reference:
    """The answer and writes that a task expects.

    Attributes:
        answer: the answers; None where anything goes.
        tolerance: the distance that a number must keep below.
        may_be_empty: an empty list is as good, since the task asks for an action.
        writes: the expected writes in order.
    """

    answer: tuple[Any, ...] | None
    tolerance: float = 0.0
    may_be_empty: bool = False
    writes: tuple[Write, ...] = ()


@dataclass(frozen=True, slots=True)
class Golds:
    """A task's golds in both gradings.

    Attributes:
        paper: the gold of the published grader; None if it would fail on the record.
        strict: the golds of which any will do; none if the record cannot be read.
        reason: why a gold is missing.
    """

    paper: Reference | None
    strict: tuple[Reference, ...]
    reason: str = ""


def golds(task: MedTask, server: FhirServer, pages: int) -> Golds:
    """The expected answers and writes of a task.

    Args:
        task: the task.
        server: the record without any write of the agent.
        pages: the number of pages that stand for the published grader's one of 5,000.

    Raises:
        InfraError: the record does not answer.
    """
    strict, paper, reason = tuple[Reference, ...](), None, ""
    try:
        strict = tuple(reference(task, facts) for facts in _possible_facts(task, server))
        paper = reference(task, _published_facts(task, server, pages))
    except UnreadableRecordError as error:
        reason = str(error)
    return Golds(paper, strict, reason)


def reference(task: MedTask, facts: Facts) -> Reference:
    """The expected answers and writes of a task, from the facts of its patient.

    Raises:
        UnreadableRecordError: a time that has to be compared with now has no offset.
    """
    return _BY_TYPE[task.hidden.type](task, facts)


def _published_facts(task: MedTask, server: FhirServer, pages: int) -> Facts:
    type, patient = task.hidden.type, task.hidden.patient
    if type == _AGE:
        return age_now(server, patient)
    if type not in MEASURED:
        return Facts()
    code, recent = MEASURED[type]
    return published_measurements(server, patient, code, recent=recent, pages=pages)


def _possible_facts(task: MedTask, server: FhirServer) -> list[Facts]:
    type, patient = task.hidden.type, task.hidden.patient
    if type == _AGE:
        return [age_now(server, patient)]
    if type not in MEASURED:
        return [Facts()]
    code, recent = MEASURED[type]
    return measurements(server, patient, code, recent=recent)


def _solution(task: MedTask, facts: Facts) -> Reference:
    return Reference(task.hidden.solution)


def _age(task: MedTask, facts: Facts) -> Reference:
    return Reference((facts.age,))


def _blood_pressure(task: MedTask, facts: Facts) -> Reference:
    return Reference(None, writes=(blood_pressure(task.hidden.patient),))


def _last(task: MedTask, facts: Facts) -> Reference:
    return Reference((_value(facts.last),))


def _magnesium_dose(task: MedTask, facts: Facts) -> Reference:
    if facts.last is None:
        return Reference(None)
    value = facts.last.value
    grams = None if value > 1.9 else 4 if value < 1 else 2 if value < 1.5 else 1
    writes = () if grams is None else (magnesium_order(task.hidden.patient, grams),)
    return Reference((value,), may_be_empty=True, writes=writes)


def _mean_glucose(task: MedTask, facts: Facts) -> Reference:
    return Reference((NOTHING if facts.mean is None else facts.mean,), tolerance=0.1)


def _referral(task: MedTask, facts: Facts) -> Reference:
    first, last = task.public.text.find('"'), task.public.text.rfind('"')
    words = task.public.text[first + 1 : last] if last > first else task.public.text
    return Reference(None, writes=(referral(task.hidden.patient, words),))


def _potassium_dose(task: MedTask, facts: Facts) -> Reference:
    value = _value(facts.last)
    is_low = facts.last is not None and value < 3.5
    dose = (3.5 - value) / 0.1 * 10
    writes = potassium_orders(task.hidden.patient, dose) if is_low else ()
    return Reference((value,), may_be_empty=True, writes=writes)


def _a1c(task: MedTask, facts: Facts) -> Reference:
    last = facts.last
    try:
        is_old = last is None or last.time < NOW_TIME.replace(year=NOW_TIME.year - 1)
    except TypeError as error:
        raise UnreadableRecordError("a time of A1C has no offset") from error
    answer = (NOTHING,) if last is None else (last.value, last.written)
    writes = (a1c_test(task.hidden.patient),) if is_old else ()
    return Reference(answer, may_be_empty=True, writes=writes)


def _value(last: Measurement | None) -> float:
    return NOTHING if last is None else last.value


_Rule: TypeAlias = Callable[[MedTask, Facts], Reference]
_BY_TYPE: Mapping[int, _Rule] = {
    1: _solution,
    2: _age,
    3: _blood_pressure,
    4: _last,
    5: _magnesium_dose,
    6: _mean_glucose,
    7: _last,
    8: _referral,
    9: _potassium_dose,
    10: _a1c,
}
