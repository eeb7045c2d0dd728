"""Three tasks of each type, on patients for whom the right answers and orders differ."""

from collections.abc import Callable, Iterator
from typing import Any

from wardround.benchmarks.medagentbench.measurements import (
    NOW_TIME,
    Facts,
    found_resources,
    measurements,
)
from wardround.benchmarks.medagentbench.protocol import NOW
from wardround.benchmarks.medagentbench.suite.record import PATIENTS, patient_id
from wardround.ehr.fhir.interaction import FhirServer

_ORDER_RULES = (
    'Every order has the status "active", the intent "order", authoredOn now, and the subject '
    "Patient/ followed by the MRN. The code system of drugs is http://hl7.org/fhir/sid/ndc, that "
    "of tests http://loinc.org."
)
CONTEXTS = {
    2: f"The time is {NOW}. Give the age in whole years.",
    3: f'The time is {NOW}. The flowsheet\'s code for blood pressure is the text "BP"; the value '
    'goes into valueString with its unit, the category is vital-signs, the status "final".',
    4: f'The time is {NOW}. The code of magnesium is "MG"; give the number in mg/dL, and -1 if '
    "there was none in this time.",
    5: f'The time is {NOW}. The code of magnesium is "MG". Intravenous magnesium has the NDC '
    "0338-1715-40. Below 1 mg/dL give 4 g over 4 h; from 1 to below 1.5, 2 g over 2 h; from 1.5 to "
    f'1.9, 1 g over 1 h. {_ORDER_RULES} The route is "IV", the dose is in doseQuantity (unit g) '
    "and the hours are in rateQuantity (unit h) of the first doseAndRate.",
    6: f'The time is {NOW}. The code of glucose is "GLU"; give the mean in mg/dL, and -1 if there '
    "was none in this time.",
    7: f'The time is {NOW}. The code of glucose is "GLU"; give the number in mg/dL, and -1 if '
    "there is none.",
    8: f"The time is {NOW}. {_ORDER_RULES} An orthopedic referral has the SNOMED code "
    '306181000000106 in http://snomed.info/sct and the priority "stat"; the words for the surgeon '
    "go into note.text.",
    9: f'The time is {NOW}. The code of potassium is "K", the LOINC code of its test 2823-3. Oral '
    "potassium has the NDC 40032-917-01: 10 mEq for each 0.1 mmol/L below 3.5. The dose is in "
    'doseQuantity (unit mEq) of the first doseAndRate, the route is "oral". '
    f'{_ORDER_RULES} A test has the priority "stat" and its time in occurrenceDateTime.',
    10: f'The time is {NOW}. The code of hemoglobin A1c is "A1C", the LOINC code of its test '
    f'4548-4. {_ORDER_RULES} A test has the priority "stat". Answer with the number and the time '
    "as the record writes it, and with -1 alone if there is none.",
}
_SBAR = (
    "Situation: {problem} since this morning. Background: no operation so far. Assessment: the "
    "joint is swollen and warm. Recommendation: please see the patient this week."
)


def make_tasks(server: FhirServer) -> list[dict[str, Any]]:
    """The tasks in the published form."""
    patients = [patient_id(number) for number in range(PATIENTS)]
    return [*_searches(server, patients), *_about_patients(server, patients)]


def _searches(server: FhirServer, patients: list[str]) -> Iterator[dict[str, Any]]:
    """Tasks of type 1: two people of the record, and one who is not in it."""
    for number, id in enumerate((patients[4], patients[61]), start=1):
        [patient] = found_resources(server, f"Patient?identifier={id}")
        name, born = patient["name"][0], patient["birthDate"]
        yield _search(number, f"{name['given'][0]} {name['family']}", born, id)
    yield _search(3, "Zoe Nowhere", "1971-02-03", "Patient not found")


def _search(number: int, name: str, born: str, solution: str) -> dict[str, Any]:
    text = (
        f"Which MRN does {name}, born on {born}, have? Answer with the MRN, or with "
        '"Patient not found" if nobody here fits.'
    )
    return {"id": f"task1_{number}", "instruction": text, "context": "", "sol": [solution]}


def _about_patients(server: FhirServer, patients: list[str]) -> Iterator[dict[str, Any]]:
    for type, wanted in _CASES.items():
        left = iter(patients)
        for number, fits in enumerate(wanted, start=1):
            id = next(patient for patient in left if fits(server, patient))
            yield {
                "id": f"task{type}_{number}",
                "instruction": _INSTRUCTIONS[type].format(id=id, note=_note(number)),
                "context": CONTEXTS[type],
                "eval_MRN": id,
            }


def _note(number: int) -> str:
    problem = ("A painful left knee", "A stiff right shoulder", "A swollen right ankle")[number - 1]
    return _SBAR.format(problem=problem)


_INSTRUCTIONS = {
    2: "How old is the patient with the MRN {id}?",
    3: "I have just measured a blood pressure of 118/77 mmHg in the patient with the MRN {id}. "
    "Please record it.",
    4: "What is the latest magnesium of the patient {id} within the last 24 hours?",
    5: "Look up the latest magnesium of the patient {id} within the last 24 hours. If it is low, "
    "order an intravenous replacement by the scheme; if there is none, order nothing.",
    6: "What was the mean glucose of the patient {id} over the last 24 hours?",
    7: "What is the most recent glucose of the patient {id}?",
    8: 'Please refer the patient {id} to orthopedic surgery, with these words: "{note}"',
    9: "Look up the most recent potassium of the patient {id}. If it is below 3.5 mmol/L, order "
    "the replacement, and a potassium test for tomorrow at 8:00.",
    10: "What is the last hemoglobin A1c of the patient {id}, and when was it taken? If it is "
    "older than a year, or there is none, order a new one.",
}
Fits = Callable[[FhirServer, str], bool]


def _any(server: FhirServer, patient: str) -> bool:
    return True


def _if_measured(code: str, today: bool, test: Callable[[Facts], bool]) -> Fits:
    def fits(server: FhirServer, patient: str) -> bool:
        return test(measurements(server, patient, code, recent=today)[0])

    return fits


def _some(facts: Facts) -> bool:
    return facts.last is not None


def _none(facts: Facts) -> bool:
    return facts.last is None


def _several(facts: Facts) -> bool:
    return facts.last is not None and facts.mean != facts.last.value


def _last(low: float, high: float) -> Callable[[Facts], bool]:
    return lambda facts: facts.last is not None and low <= facts.last.value < high


def _old(facts: Facts) -> bool:
    return facts.last is not None and facts.last.time < NOW_TIME.replace(year=NOW_TIME.year - 1)


def _new(facts: Facts) -> bool:
    return _some(facts) and not _old(facts)


_CASES: dict[int, tuple[Fits, Fits, Fits]] = {
    2: (_any, _any, _any),
    3: (_any, _any, _any),
    4: (
        _if_measured("MG", True, _some),
        _if_measured("MG", True, _none),
        _if_measured("MG", True, _some),
    ),
    5: (
        _if_measured("MG", True, _last(0, 1)),
        _if_measured("MG", True, _last(1.5, 1.9)),
        _if_measured("MG", True, _last(2, 9)),
    ),
    6: (
        _if_measured("GLU", True, _several),
        _if_measured("GLU", True, _none),
        _if_measured("GLU", True, _some),
    ),
    7: (
        _if_measured("GLU", False, _some),
        _if_measured("GLU", False, _none),
        _if_measured("GLU", False, _some),
    ),
    8: (_any, _any, _any),
    9: (
        _if_measured("K", False, _last(0, 3.5)),
        _if_measured("K", False, _last(3.6, 9)),
        _if_measured("K", False, _last(0, 3.2)),
    ),
    10: (
        _if_measured("A1C", False, _old),
        _if_measured("A1C", False, _none),
        _if_measured("A1C", False, _new),
    ),
}
