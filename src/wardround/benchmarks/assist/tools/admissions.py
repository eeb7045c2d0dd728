"""Reads the patient, hospital stays and diagnoses."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from wardround.benchmarks.assist.tools.chart import PatientChart, escaped
from wardround.benchmarks.assist.tools.results import STAY, bundle, label, nothing_found
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic.kinds import CONDITION, resource_id
from wardround.ehr.terms.chinese import english
from wardround.ehr.terms.diagnoses import formal_names

# Sequence numbers beyond the most diagnoses of a stay in MIMIC-IV.
_RANKS = range(1, 61)
_DIED = "DIED"
_ACTIVE = {"coding": [{"code": "active"}]}
_ICD = re.compile(r"[A-Za-z]?\d[\dA-Za-z.]*", re.ASCII)


def read_patient(chart: PatientChart, stays: str, arguments: Mapping[str, Any]) -> Resource:
    """The patient, with the age at the first stay; as published no Bundle, and no day of birth."""
    [patient] = chart.search("Patient", {"_id": chart.id}, 1).matches
    first = chart.search("Encounter", {"_sort": "date"}, 1).matches
    begin = first[0].get("period", {}).get("start", "") if first else ""
    identity = {name: patient[name] for name in _IDENTITY if name in patient}
    age = _age(patient.get("birthDate"), begin)
    if chart.strict:
        return bundle("Patient", [{**identity, "_anchor_age": age}])
    identity.pop("birthDate", None)
    return {**identity, "_anchor_age": age}


def search_encounters(chart: PatientChart, stays: str, arguments: Mapping[str, Any]) -> Resource:
    """Hospital stays, newest first, without their parts in other units."""
    criteria = {"_sort": "-date"} | ({"_id": stays} if stays else {})
    encounters = [
        each for each in chart.search("Encounter", criteria).matches if "partOf" not in each
    ]
    if not encounters:
        return nothing_found("The patient has no hospital stay.")
    [patient] = chart.search("Patient", {"_id": chart.id}, 1).matches
    described = _stay if chart.strict else _published_stay
    return bundle("Encounter", [described(each, patient) for each in encounters])


def search_conditions(chart: PatientChart, stays: str, arguments: Mapping[str, Any]) -> Resource:
    """Diagnoses by stay and rank; those without a status count as active, as published all do."""
    criteria = {
        **({"encounter": stays} if stays else {}),
        **_named(chart, arguments.get("code")),
        "_include": "Condition:encounter",
    }
    results = chart.search("Condition", criteria)
    diagnoses = [_diagnosis(each, results.included) for each in results.matches]
    if not stays:  # only this tells to which stay a diagnosis belongs
        diagnoses = [{**each, STAY: _begin(each, results.included)} for each in diagnoses]
    if not chart.strict:
        diagnoses = [{**each, "clinicalStatus": _ACTIVE} for each in diagnoses]
    wanted = arguments.get("clinical_status")
    if wanted:
        diagnoses = [each for each in diagnoses if label(each["clinicalStatus"]) == wanted]
    if not diagnoses:
        return nothing_found("The patient has no such diagnosis.")
    return bundle("Condition", sorted(diagnoses, key=lambda each: _rank(each, results.included)))


_STAY = ("resourceType", "id", "identifier", "subject", "period")
_IDENTITY = ("resourceType", "id", "identifier", "gender", "birthDate", "deceasedDateTime")


def _age(birth: str | None, instant: str) -> int | None:
    """The years between a birth date and a time; None if either is unknown."""
    if not birth or len(birth) < 10 or len(instant) < 10:
        return None
    born, then = date.fromisoformat(birth[:10]), date.fromisoformat(instant[:10])
    return then.year - born.year - ((then.month, then.day) < (born.month, born.day))


def _stay(encounter: Resource, patient: Resource) -> Resource:
    """A stay with what MIMIC-IV's table of admissions says of it, as far as the record has it."""
    places = encounter.get("hospitalization", {})
    left_to = label(places.get("dischargeDisposition"))
    languages = [label(each.get("language")) for each in patient.get("communication", ())]
    described = {
        "admission_type": encounter.get("class", {}).get("display"),
        "admission_location": label(places.get("admitSource")),
        "discharge_location": left_to,
        "insurance": None,
        "language": next(iter(languages), None),
        "marital_status": label(patient.get("maritalStatus")),
        "race": _race(patient),
    }
    values = {name: value or None for name, value in described.items()}
    return {**encounter, "_mimic": {**values, "hospital_expire_flag": int(left_to == _DIED)}}


def _published_stay(encounter: Resource, patient: Resource) -> Resource:
    """A stay with the published elements alone: finished, and in hospital."""
    fields = {name: encounter[name] for name in _STAY if name in encounter}
    recorded = _stay(encounter, patient)["_mimic"]
    return {**fields, "status": "finished", "class": {"code": "IMP"}, "_mimic": recorded}


def _race(patient: Resource) -> str | None:
    for extension in patient.get("extension", ()):
        if extension["url"].endswith("us-core-race"):
            parts = extension.get("extension", ())
            return next((part["valueString"] for part in parts if part["url"] == "text"), None)
    return None


def _named(chart: PatientChart, code: str | None) -> dict[str, str]:
    """A criterion of the beginning of an ICD code; in strict shapes of a name as well."""
    if not code:
        return {}
    if _ICD.fullmatch(code) or not chart.strict:
        return {"code:below": code.upper()}
    names = dict.fromkeys((code, english(code, "diagnosis") or code, *formal_names(code)))
    return {"code:text": ",".join(map(escaped, names))}


def _diagnosis(condition: Resource, included: Mapping[str, Resource]) -> Resource:
    status = condition.get("clinicalStatus") or _ACTIVE
    return {
        **condition,
        "clinicalStatus": status,
        "_seq_num": _sequence_number(condition, included),
    }


def _sequence_number(condition: Resource, included: Mapping[str, Resource]) -> int | None:
    """MIMIC-IV's rank of a diagnosis, from which its id is derived; None for other ids."""
    stay = included.get(condition.get("encounter", {}).get("reference", ""), {})
    numbers = [each["value"] for each in stay.get("identifier", ())]
    codes = [each["code"].upper() for each in condition.get("code", {}).get("coding", ())]
    if not numbers or not codes:
        return None
    keys = ((rank, f"{numbers[0]}-{rank}-{codes[0]}") for rank in _RANKS)
    return next(
        (rank for rank, key in keys if resource_id(CONDITION.name, key) == condition["id"]), None
    )


def _rank(condition: Resource, included: Mapping[str, Resource]) -> tuple[str, int]:
    return _begin(condition, included), condition["_seq_num"] or len(_RANKS)


def _begin(condition: Resource, included: Mapping[str, Resource]) -> str:
    """The beginning of a diagnosis's stay; "" if it is unknown."""
    stay = included.get(condition.get("encounter", {}).get("reference", ""), {})
    return str(stay.get("period", {}).get("start", ""))
