"""The record of the shipped suite: 100 made patients, the same on every machine."""

import random
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

from wardround.benchmarks.medagentbench.measurements import NOW_TIME
from wardround.ehr.fhir.charts import built_chart
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.record import Record
from wardround.ehr.fhir.store.builder import build_record
from wardround.ehr.fhir.store.file_format import FORMAT

PATIENTS = 100
VERSION = 1  # raise it when the resources change
# The lowest and highest value of a measurement, its unit, and its least and greatest age in hours.
MEASURED: dict[str, tuple[str, float, float, str, float, float]] = {
    "MG": ("Magnesium", 0.7, 2.6, "mg/dL", 1, 60),
    "K": ("Potassium", 2.7, 5.4, "mmol/L", 2, 90),
    "GLU": ("Glucose", 62, 290, "mg/dL", 1, 70),
    "A1C": ("Hemoglobin A1c", 4.9, 11.8, "%", 200, 15_000),
}
_GIVEN = "Ada Bea Cai Dov Eli Fay Gil Hana Ivo Jun Kit Lena Milo Nora Otto Pia Rui Sol Tea Uma"
_FAMILY = """Abara Bergen Castel Dimitri Elmore Farrow Gaines Hollis Imrie Jansen Kowal Lindt Moreau
Nakano Ortega Pell Quist Rowan Sato Tamm Usher Varga Wyeth Xiong Yates"""
_PROBLEMS = (
    ("I10", "Essential hypertension"),
    ("E11.9", "Type 2 diabetes mellitus"),
    ("N18.3", "Chronic kidney disease, stage 3"),
    ("J45.909", "Asthma"),
    ("M17.11", "Osteoarthritis of the right knee"),
)
_DRUGS = ("lisinopril 10 mg tablet", "metformin 500 mg tablet", "furosemide 20 mg tablet")
_OBSERVATION_CATEGORY = "http://terminology.hl7.org/CodeSystem/observation-category"


def made_chart() -> Record:
    """The record, built on first use."""
    name = f"medagentbench-{VERSION}-{FORMAT}"
    return built_chart(
        name,
        lambda path: build_record(path, resources(), validation="record", source="made patients"),
    )


def resources() -> Iterator[Resource]:
    """All resources, patient by patient."""
    stream = random.Random(0)
    for number in range(PATIENTS):
        yield from _patient_resources(number, stream)


def patient_id(number: int) -> str:
    """The record number of a patient, which is also the id.

    >>> patient_id(0)
    'S2000000'
    """
    return f"S{2_000_000 + number * 7_919}"


def _patient_resources(number: int, stream: random.Random) -> Iterator[Resource]:
    id = patient_id(number)
    yield _patient(number, id, stream)
    yield from _measurements(id, stream)
    for count, (code, title) in enumerate(stream.sample(_PROBLEMS, stream.randint(1, 3))):
        yield {
            "resourceType": "Condition",
            "id": f"{id}-problem-{count}",
            "category": [{"coding": [{"code": "problem-list-item"}]}],
            "code": {
                "coding": [{"system": "http://hl7.org/fhir/sid/icd-10-cm", "code": code}],
                "text": title,
            },
            "subject": {"reference": f"Patient/{id}"},
            "recordedDate": _time(stream.uniform(500, 20_000)),
        }
    yield {
        "resourceType": "MedicationRequest",
        "id": f"{id}-order",
        "status": "active",
        "intent": "order",
        "medicationCodeableConcept": {"text": stream.choice(_DRUGS)},
        "subject": {"reference": f"Patient/{id}"},
        "authoredOn": _time(stream.uniform(100, 9000)),
    }
    yield _blood_pressure(id, stream)


def _patient(number: int, id: str, stream: random.Random) -> Resource:
    family, given = _FAMILY.split(), _GIVEN.split()
    born = date(1930, 1, 1) + timedelta(days=stream.randint(0, 27_000))
    return {
        "resourceType": "Patient",
        "id": id,
        "identifier": [{"type": {"text": "MRN"}, "value": id}],
        # The pairs do not repeat: 25 family names, and a given name that moves on every round.
        "name": [
            {
                "use": "official",
                "family": family[number % len(family)],
                "given": [given[(number // len(family) + 3 * number) % len(given)]],
            }
        ],
        "gender": stream.choice(("female", "male")),
        "birthDate": born.isoformat(),
        "telecom": [{"system": "phone", "value": f"555-01{number:02d}"}],
        "address": [{"city": stream.choice(("Elmford", "Northport")), "postalCode": "00501"}],
    }


def _measurements(id: str, stream: random.Random) -> Iterator[Resource]:
    for code, (title, low, high, unit, first, last) in MEASURED.items():
        for count in range(stream.choice((0, 1, 2, 3, 5))):
            value = round(stream.uniform(low, high), 0 if high > 100 else 1)
            yield {
                **_observation(f"{id}-{code}-{count}", id, _time(stream.uniform(first, last))),
                "category": [{"coding": [{"system": _OBSERVATION_CATEGORY, "code": "laboratory"}]}],
                "code": {"coding": [{"code": code, "display": title}], "text": code},
                "valueQuantity": {"value": value, "unit": unit},
            }


def _blood_pressure(id: str, stream: random.Random) -> Resource:
    pressure = f"{stream.randint(95, 165)}/{stream.randint(55, 99)} mmHg"
    return {
        **_observation(f"{id}-BP", id, _time(stream.uniform(5, 300))),
        "category": [{"coding": [{"system": _OBSERVATION_CATEGORY, "code": "vital-signs"}]}],
        "code": {"coding": [{"code": "BP"}], "text": "BP"},
        "valueString": pressure,
    }


def _observation(id: str, patient: str, time: str) -> dict[str, Any]:
    return {
        "resourceType": "Observation",
        "id": id,
        "status": "final",
        "subject": {"reference": f"Patient/{patient}"},
        "effectiveDateTime": time,
    }


def _time(hours_ago: float) -> str:
    """A time before now, to the minute."""
    time: datetime = NOW_TIME - timedelta(minutes=round(hours_ago * 60))
    return time.isoformat()
