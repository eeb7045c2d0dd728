"""eICU's tables of diagnoses, history, allergies and treatments."""

from collections.abc import Iterator
from datetime import datetime
from functools import cache

from wardround.ehr.hospital.catalogue import drugs, table
from wardround.ehr.hospital.catalogue_entries import Code
from wardround.ehr.hospital.layouts.eicu.unit_stay import UnitStay, unit_row
from wardround.ehr.hospital.layouts.layout import TableRow, Value
from wardround.ehr.hospital.layouts.reasons import reason_of
from wardround.ehr.hospital.stays import Problem

_HISTORY = "notes/Progress Notes/Past History/"
_FROM_THEATRE = (
    "Was the patient admitted from the O.R. or went to the O.R. within 4 hours of admission?"
)
_SYSTEMS = {"Neurologic": "Neurology"}
# Minutes from unit admission to the completion of the admission forms.
_ENTERED = 25


def rows(unit: UnitStay) -> Iterator[TableRow]:
    """All rows of one unit stay."""
    yield from _admission_diagnosis(unit)
    yield from _diagnoses(unit)
    yield from _past_history(unit)
    yield from _allergies(unit)
    yield from _treatments(unit)


def _admission_diagnosis(unit: UnitStay) -> Iterator[TableRow]:
    """The form path of the APACHE admission diagnosis."""
    stay, reason = unit.visit.stay, reason_of(unit.visit.stay)
    operated = stay.reason.theatre and stay.operation is not None
    kind = "Operative" if operated else "Non-operative"
    system = _SYSTEMS.get(reason.system, reason.system)
    answers = (
        (_FROM_THEATRE, "Yes" if operated else "No"),
        (f"{kind} Organ Systems|Organ System", reason.system),
        (f"All Diagnosis|{kind}|Diagnosis|{system}", reason.apache),
    )
    for path, answer in answers:
        full_path = f"admission diagnosis|{path}|{answer}"
        columns: dict[str, Value] = {
            "admitdxenteredoffset": _ENTERED,
            "admitdxpath": full_path,
            "admitdxname": answer,
            "admitdxtext": answer,
        }
        yield unit_row("admissiondx", columns)


def _diagnoses(unit: UnitStay) -> Iterator[TableRow]:
    """Each problem at its onset; those still treated are active upon discharge."""
    ranks = ("Primary", "Major")
    priority = 0
    for problem in unit.visit.stay.problems:
        path = _paths().get(problem.condition.name, ("", ""))[0]
        if path and problem.onset < unit.span.end:
            offset = max(_ENTERED + 9 * priority, unit.offset(problem.onset))
            rank = (
                ranks[priority] if priority < len(ranks) else "Major" if problem.acute else "Other"
            )
            active = str(not problem.acute or unit.draw(path).chance(0.5))
            columns: dict[str, Value] = {
                "activeupondischarge": active,
                "diagnosisoffset": offset,
                "diagnosisstring": path,
                "icd9code": _both(problem),
                "diagnosispriority": rank,
            }
            yield unit_row("diagnosis", columns)
            priority += 1


def _both(problem: Problem) -> str | None:
    """The codes of both editions with dots, such as "486, J18.9"."""
    codes = [code for code in problem.codes if code.icd9 or code.icd10]
    return ", ".join(dotted(codes[0])) if codes else None


def dotted(code: Code) -> list[str]:
    """A code in each edition that has it, with its dot.

    >>> dotted(Code("486", "j189"))
    ['486', 'J18.9']
    """
    written = []
    for text in (code.icd9.upper(), code.icd10.upper()):
        digits = 4 if text.startswith("E") and text == code.icd9.upper() else 3
        if text:
            written.append(f"{text[:digits]}.{text[digits:]}" if len(text) > digits else text)
    return written


def _past_history(unit: UnitStay) -> Iterator[TableRow]:
    noted: dict[str, Value] = {
        "pasthistoryoffset": _ENTERED,
        "pasthistoryenteredoffset": _ENTERED + 6,
        "pasthistorynotetype": "Admission",
    }
    histories = unit.visit.stay.person.histories
    paths = [_paths().get(condition.name, ("", ""))[1] for condition in histories]
    history = [f"Organ Systems/{path}" for path in paths if path]
    status = "Performed" if history else "No Health Problems"
    for path in (f"Past History Obtain Options/{status}", *history):
        value = path.rsplit("/", 1)[-1]
        columns: dict[str, Value] = {
            "pasthistorypath": _HISTORY + path,
            "pasthistoryvalue": value,
            "pasthistoryvaluetext": value,
        }
        yield unit_row("pasthistory", {**noted, **columns})


def _allergies(unit: UnitStay) -> Iterator[TableRow]:
    entered: dict[str, Value] = {
        "allergyoffset": _ENTERED + 12,
        "allergyenteredoffset": _ENTERED + 14,
        "allergynotetype": "Admission",
        "specialtytype": "eCM Primary",
        "usertype": "THC Nurse",
        "rxincluded": "True",
        "writtenineicu": "True",
    }
    for allergy in unit.visit.stay.person.allergies:
        drug = allergy.kind == "drug"
        name = allergy.substance.upper() if drug else allergy.substance.lower()
        columns: dict[str, Value] = {
            "drugname": name if drug else None,
            "allergytype": "Drug" if drug else "Non Drug",
            "allergyname": name,
        }
        yield unit_row("allergy", {**entered, **columns})


def _treatments(unit: UnitStay) -> Iterator[TableRow]:
    """Each treatment at most once a day, at its first occurrence."""
    seen: set[tuple[str, int]] = set()
    for time, path in sorted(_treatment_events(unit)):
        day = unit.offset(time) // (24 * 60)
        if (path, day) not in seen:
            seen.add((path, day))
            columns: dict[str, Value] = {
                "treatmentoffset": unit.offset(time),
                "treatmentstring": path,
                "activeupondischarge": str(unit.draw(path).chance(0.35)),
            }
            yield unit_row("treatment", columns)


def _treatment_events(unit: UnitStay) -> Iterator[tuple[datetime, str]]:
    visit, span = unit.visit, unit.span
    yield span.start, _treatment_paths()["everyone", "arrival"]
    events = [
        *(("device", device.name, device.start) for device in visit.devices),
        *(("procedure", item.procedure.name, item.time) for item in visit.done),
        *(("culture", culture.source, culture.time) for culture in visit.cultures),
    ]
    for kind, name, time in events:
        if span.holds(time) and (kind, name) in _treatment_paths():
            yield time, _treatment_paths()[kind, name]
    for order in visit.orders:
        path = _drug_paths().get((order.name, order.route))
        if path and order.start < span.end and (order.stop or span.end) > span.start:
            yield max(order.start, span.start), path


@cache
def _paths() -> dict[str, tuple[str, str]]:
    """Paths of diagnosis and past history by condition."""
    return {
        row["condition"]: (row["diagnosis"], row["history"])
        for row in table("forms/eicu_conditions")
    }


@cache
def _treatment_paths() -> dict[tuple[str, str], str]:
    return {(row["kind"], row["name"]): row["path"] for row in table("forms/eicu_treatments")}


@cache
def _drug_paths() -> dict[tuple[str, str], str]:
    """Paths of treatment by drug and route."""
    return {
        (drug.name, drug.route): _treatment_paths()["group", name]
        for name, group in drugs().items()
        if ("group", name) in _treatment_paths()
        for drug in group
    }
