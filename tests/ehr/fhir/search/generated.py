"""Generated resources and criteria for searches."""

from itertools import product
from typing import Any

from hypothesis import strategies as st

from tests.ehr.fhir.search.matcher import Wanted
from wardround.ehr.fhir.interaction import Resource

SYSTEMS = ("http://loinc.org", "http://hl7.org/fhir/sid/icd-10-cm", "")
CODES = ("I50", "I50.9", "I509", "a,b", "x|y", "A1C", "a1c")
NAMES = ("Müller", "Mull", "de la Cruz", "cruz", "O\\Neil", "A,B$C")
DRUGS = ("Insulin glargine", "Human insulin", "Heparin [Porcine]", "Héparine")
DATES = ("2150", "2150-03", "2150-03-14", "2150-03-14T09:30:00-04:00", "2150-03-14T09:30",
         "2150-11-03", "2150-12-31T23:59:59-05:00", "2151-01-01")  # fmt: skip
NUMBERS = (0, 5.4, 5.35, 5.45, 5, 100, 99.5, 100.5, -3)
UNITS = (("http://unitsofmeasure.org", "mg", "mg"), ("", "", "mg"), ("", "", ""))
PATIENTS = ("1", "2")
NAME_SYSTEM = "http://mimic.mit.edu/fhir/mimic/CodeSystem/mimic-medication-name"


def some(values: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


@st.composite
def concepts(draw: st.DrawFn) -> Resource:
    codings = draw(
        st.lists(st.builds(coding, some(SYSTEMS), some(CODES), some(("", *DRUGS))), max_size=2)
    )
    text = draw(some((None, *DRUGS)))
    return without_none({"coding": codings or None, "text": text})


def coding(system: str, code: str, display: str) -> Resource:
    return without_none({"system": system or None, "code": code, "display": display or None})


@st.composite
def quantities(draw: st.DrawFn) -> Resource:
    system, code, unit = draw(some(UNITS))
    return without_none({
        "value": draw(some(NUMBERS)), "comparator": draw(some((None, None, "<", ">"))),
        "system": system or None, "code": code or None, "unit": unit or None,
    })  # fmt: skip


def without_none(value: Resource) -> Resource:
    return {name: each for name, each in value.items() if each is not None}


def to(kind: str, ids: tuple[str, ...]) -> st.SearchStrategy[Resource]:
    return st.builds(lambda id: {"reference": f"{kind}/{id}"}, some(ids))


@st.composite
def patients(draw: st.DrawFn, id: str) -> Resource:
    names = draw(st.lists(some(NAMES), max_size=2))
    return without_none({
        "resourceType": "Patient", "id": id,
        "gender": draw(some((None, "male", "female"))),
        "birthDate": draw(some((None, *DATES[:3]))),
        "name": [{"family": each} for each in names] or None,
        "identifier": draw(some((None, [{"system": "urn:mrn", "value": "7"}]))),
    })  # fmt: skip


@st.composite
def observations(draw: st.DrawFn, id: str) -> Resource:
    when = draw(st.one_of(
        st.just({}),
        st.builds(lambda d: {"effectiveDateTime": d}, some(DATES)),
        st.builds(lambda a, b: {"effectivePeriod": without_none({"start": a, "end": b})},
                  some((None, *DATES[:4])), some((None, *DATES[5:]))),
    ))  # fmt: skip
    subject: Resource = {"reference": f"Patient/{draw(some(PATIENTS))}"}
    if draw(st.booleans()):
        subject["identifier"] = {"system": "urn:mrn", "value": draw(some(("7", "8")))}
    return without_none({
        "resourceType": "Observation", "id": id,
        "status": draw(some(("final", "amended"))),
        "code": draw(concepts()),
        "subject": draw(some((None, subject))),
        "valueQuantity": draw(st.one_of(st.none(), quantities())),
        "component": draw(some((None, [{"code": {"coding": [{"code": "A1C"}]},
                                        "valueQuantity": {"value": 5.4}}]))),
        **when,
    })  # fmt: skip


@st.composite
def medications(draw: st.DrawFn, id: str) -> Resource:
    ingredient = draw(some((None, [{"itemReference": {"reference": "Medication/1"}}])))
    return without_none({
        "resourceType": "Medication", "id": id,
        "code": draw(some((None, {"text": "Insulin glargine"}))),
        "identifier": draw(some((None, [{"system": NAME_SYSTEM, "value": "Heparin [Porcine]"}]))),
        "ingredient": ingredient,
    })  # fmt: skip


@st.composite
def orders(draw: st.DrawFn, id: str) -> Resource:
    drug = draw(st.one_of(
        st.builds(lambda r: {"medicationReference": r}, to("Medication", ("1", "2", "none"))),
        st.builds(lambda c: {"medicationCodeableConcept": c}, concepts()),
    ))  # fmt: skip
    return {
        "resourceType": "MedicationRequest", "id": id, "status": "active", "intent": "order",
        "subject": draw(to("Patient", PATIENTS)), **drug,
    }  # fmt: skip


@st.composite
def records(draw: st.DrawFn) -> list[Resource]:
    """Resources of a record, each id once in its type; at least one."""
    kinds = (patients, observations, medications, orders)
    numbers = (2, 8, 2, 4)
    return [
        draw(kind(str(number)))
        for kind, many in zip(kinds, numbers, strict=True)
        for number in range(1, many + 1)
        if (kind is patients and number == 1) or draw(st.integers(0, 5))
    ]


PREFIXES = ("", "eq", "ne", "gt", "lt", "ge", "le", "sa", "eb", "ap")
AMOUNTS = ("5.4", "5", "100", "0", "-3", "5.40")
UNIT_FORMS = ("", "||mg", "|http://unitsofmeasure.org|mg")
VALUES: dict[str, tuple[str, ...]] = {
    "token": (
        *("I50", "i50.9", "I509", "a1c", "http://loinc.org|", "http://loinc.org|a1c"),
        *("|I50", "|A1C", "http://hl7.org/fhir/sid/icd-10-cm|I50.9"),
    ),
    "text": ("insulin", "Hep", "porcine", "glar", "héparine", "eparin"),
    "below": ("I50", "i50.9", "I5", "http://hl7.org/fhir/sid/icd-10-cm|I5"),
    "string": ("mull", "MÜLLER", "Müller", "cruz", "de", "a,b", "O\\N", "A,B$C"),
    "date": tuple(map("".join, product(PREFIXES, DATES))),
    "quantity": tuple(map("".join, product(PREFIXES, AMOUNTS, UNIT_FORMS))),
    "patient": ("1", "2", "Patient/1", "Group/1", "none"),
    "mrn": ("7", "urn:mrn|7", "urn:mrn|", "|7"),
    "status": ("final", "amended", "FINAL"),
    "gender": ("male", "female"),
    "truth": ("true", "false"),
    "id": ("1", "2", "3", "none"),
    "composite": tuple(map("".join, product(
        ("I50$", "http://loinc.org|$", "|A1C$"), PREFIXES, ("5.4", "100"), ("", "||mg"),
    ))),
}  # fmt: skip
CRITERIA: dict[str, tuple[tuple[str, str], ...]] = {
    "Observation": (
        ("code", "token"), ("code:not", "token"), ("code:text", "text"), ("code:below", "below"),
        ("code:missing", "truth"), ("date", "date"), ("date:missing", "truth"),
        ("value-quantity", "quantity"), ("patient", "patient"), ("subject", "patient"),
        ("subject:missing", "truth"), ("subject:identifier", "mrn"), ("status", "status"),
        ("status:not", "status"), ("patient.gender", "gender"), ("subject:Patient.name", "string"),
        ("patient.gender:missing", "truth"), ("patient.gender:not", "gender"), ("_id", "id"),
        ("_id:not", "id"), ("combo-code", "token"),
        ("code-value-quantity", "composite"), ("combo-code-value-quantity", "composite"),
    ),
    "Patient": (
        ("name", "string"), ("family:exact", "string"), ("family:contains", "string"),
        ("gender", "gender"), ("gender:not", "gender"), ("birthdate", "date"),
        ("identifier", "mrn"), ("_has:Observation:patient:code", "token"),
        ("_has:Observation:subject:code:not", "token"),
        ("_has:Observation:patient:date", "date"), ("name:missing", "truth"),
    ),
    "MedicationRequest": (
        ("code:text", "text"), ("medication.code:text", "text"), ("medication", "id"),
        ("medication.ingredient.code:text", "text"), ("patient.name", "string"),
        ("code", "token"), ("medication:missing", "truth"), ("medication.code:missing", "truth"),
    ),
}  # fmt: skip
SINGLE = [
    (kind, Wanted(name, (value,)))
    for kind, named in CRITERIA.items()
    for name, values in named
    for value in VALUES[values]
]


@st.composite
def searches(draw: st.DrawFn) -> tuple[str, list[Wanted]]:
    """A type and criteria, with one value or two."""
    kind = draw(some(tuple(CRITERIA)))
    wanted = []
    for _ in range(draw(st.integers(1, 3))):
        name, values = draw(some(CRITERIA[kind]))
        most = 1 if values == "truth" else 2
        listed = draw(st.lists(some(VALUES[values]), min_size=1, max_size=most))
        wanted.append(Wanted(name, tuple(listed)))
    return kind, wanted
