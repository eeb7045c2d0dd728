"""The part of the made database that a patient remembers: note, diagnosis and values."""

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, TypeAlias

from wardround.benchmarks.assist.suite.record import made_database
from wardround.ehr.terms.chinese import chinese, english
from wardround.people.patient.building.language import sign_rules

_DRUG = re.compile(
    r"^\d+\. (.+?) [\d.,]+ (?:mg|mcg|g|mL|mEq|UNIT|TAB|CAP|PUFF|NEB|INH|DROP|PKT)\b", re.MULTILINE
)
_CONTINUED = re.compile(r"^# (.+?): continued (.+)\.$", re.MULTILINE)
_LISTED = re.compile(r", | and ")
_NOTE = "SELECT text FROM discharge WHERE hadm_id = ?"
_DIAGNOSIS = """
    SELECT long_title
    FROM diagnoses_icd JOIN d_icd_diagnoses USING (icd_code, icd_version)
    WHERE hadm_id = ? ORDER BY seq_num LIMIT 1
"""
_VALUES = """
    SELECT label, itemid, valueuom, charttime, valuenum, flag
    FROM labevents JOIN d_labitems USING (itemid)
    WHERE hadm_id = ? AND coalesce(storetime, charttime) <= ?
        AND valuenum IS NOT NULL AND fluid = 'Blood'
    ORDER BY label, itemid, charttime, labevent_id
"""
_ADHERENCE = "patient.get_medication_adherence"
_PLACES = {
    "patient.get_social_history": "social_history",
    "patient.get_functional_status": "functional_status",
}
_MISSES = "misses a dose about"  # "rarely misses a dose" is good adherence
_RECENT = 5  # values of a laboratory trend
_STEADY = 0.1  # a change below this share is no trend
Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Measured:
    """A laboratory value."""

    label: str
    itemid: int
    unit: str | None
    time: datetime
    value: float
    flag: str | None


@dataclass(frozen=True, slots=True)
class ChartRows:
    """The rows of an admission in the database.

    Attributes:
        note: the discharge note.
        diagnosis: the title of the main diagnosis.
        values: the laboratory values in blood, by label and time.
    """

    note: str
    diagnosis: str
    values: tuple[Measured, ...]

    def home_drugs(self) -> list[str]:
        """The drugs that the patient took before the admission."""
        return _DRUG.findall(self._between("Medications on Admission:", "Discharge Medications:"))

    def indications(self) -> dict[str, str]:
        """The conditions that drugs were continued for, by drug."""
        return {
            drug: condition
            for condition, drugs in _CONTINUED.findall(self.note)
            for drug in _LISTED.split(drugs)
        }

    def history(self) -> list[str]:
        """The conditions of the past medical history."""
        lines = self._lines("Past Medical History:", "Social History:")
        return [line for line in lines if ":" not in line]

    def social_history(self) -> list[str]:
        """Home, work, tobacco, alcohol and drugs, a line each."""
        return self._lines("Social History:", "Functional status:")

    def line(self, name: str) -> str:
        """The text behind a name at the start of a line, such as "Adherence"."""
        found = re.search(rf"^{name}: (.+?)\.? *$", self.note, re.MULTILINE)
        return found[1] if found else ""

    def letter(self) -> str:
        """The sentence in which the discharge letter names the illness."""
        return self._between("Dear ___,", ".").strip() + "."

    def _lines(self, begin: str, end: str) -> list[str]:
        lines = self._between(begin, end).split("\n")
        return [line.strip() for line in lines if line.strip()]

    def _between(self, begin: str, end: str) -> str:
        return self.note.partition(begin)[2].partition(end)[0]


def chart_rows(admission: int, clock: datetime) -> ChartRows:
    """The rows of an admission; its values are the results that are out at an instant.

    Args:
        admission: the hadm_id.
        clock: the instant, in the hospital's own time.
    """
    import duckdb

    with closing(duckdb.connect(str(made_database("hand_written")), read_only=True)) as connection:
        (note,) = connection.execute(_NOTE, [admission]).fetchall()
        (title,) = connection.execute(_DIAGNOSIS, [admission]).fetchall()
        values = connection.execute(_VALUES, [admission, clock]).fetchall()
    return ChartRows(note[0], title[0], tuple(Measured(*row) for row in values))


def memory(plan: Json, subject: int, admission: int, clock: str) -> Json:
    """The memory of a plan's patient at an instant."""
    rows = chart_rows(admission, datetime.fromisoformat(clock).replace(tzinfo=None))
    return {
        "subject_id": subject,
        "anchor_hadm_id": admission,
        "diagnoses": list(_diagnoses(rows)),
        "medications": list(_medications(plan, rows)),
        "warning_signs": list(_warning_signs(rows)),
        "lab_trends": list(_lab_trends(plan, rows)),
        "symptom_log": list(_symptoms(plan)),
        "open_questions": [],
        **_living(plan, rows),
        "persona": {
            "health_literacy": plan["persona"]["health_literacy"],
            "anxiety_level": plan["persona"]["anxiety_level"],
            "info_completeness": plan["persona"]["info_completeness"],
            "self_diagnosis_tendency": "low",
            "overall_adherence": plan["persona"]["adherence"],
        },
    }


def _diagnoses(rows: ChartRows) -> Iterator[Json]:
    """The main diagnosis in the words of the discharge letter, then the history."""
    yield {
        "medical_term": rows.diagnosis,
        "patient_term": rows.letter(),
        "source": "discharge letter",
        "trajectory": "improving",
    }
    for condition in rows.history():
        if condition == rows.diagnosis:
            continue
        name = chinese(condition, "diagnosis")
        yield {
            "medical_term": condition,
            "patient_term": condition.lower(),
            **({"zh": {"patient_term": name}} if name else {}),
            "source": "past medical history",
            "trajectory": "stable",
        }


def _medications(plan: Json, rows: ChartRows) -> Iterator[Json]:
    """Home medication by the note, with the plan's answer about the drug that it asks for."""
    evidence = rows.line("Adherence")
    asked = _asked(plan)
    own = _drug(asked["arguments"]["drug"]) if asked["tool"] == _ADHERENCE else ""
    indications = rows.indications()
    for drug in rows.home_drugs():
        if _drug(drug) != own:
            yield {
                **_named(drug, indications.get(drug, "")),
                "adherence": "poor" if _MISSES in evidence else "good",
                "adherence_evidence": evidence,
                "current_status": "taking",
                "critical_flag": False,
            }
    if own:
        yield {
            **_named(asked["arguments"]["drug"], plan["memory"]["indication"]),
            "adherence": plan["memory"]["adherence"],
            "adherence_evidence": "the patient's own word",
            "patient_explanation": asked["en"],
            "zh": {"patient_explanation": asked["zh"], **_chinese_name(own)},
            "current_status": plan["memory"]["current_status"],
            "critical_flag": plan["persona"]["info_completeness"] == "critical_withheld",
        }


def _named(drug: str, indication: str) -> Json:
    named = {"drug": drug, "drug_patient_term": _drug(drug), "indication": indication}
    return named | ({"zh": name} if (name := _chinese_name(drug)) else {})


def _chinese_name(drug: str) -> Json:
    name = chinese(_drug(drug), "drug")
    return {"drug_patient_term": name} if name else {}


def _drug(name: str) -> str:
    return english(name, "drug") or name.lower()


def _warning_signs(rows: ChartRows) -> Iterator[Json]:
    for sign in sign_rules():
        values = [each.value for each in rows.values if each.label == sign["label"]]
        low, high = sign.get("below"), sign.get("above")
        if any((low and value < low) or (high and value > high) for value in values):
            yield {
                "medical_condition": sign["medical_condition"],
                **sign["en"],
                "zh": sign["zh"],
                "urgency_level": sign["urgency_level"],
                "contributing_factor": sign["label"],
                "critical_flag": sign["urgency_level"] == 1,
            }


def _lab_trends(plan: Json, rows: ChartRows) -> Iterator[Json]:
    """The courses of the values that the gold calls of a plan look up."""
    codes = {
        call["arguments"].get("code", "").lower()
        for turn in plan["turn"]
        for call in turn["calls"]
        if call["tool"] == "Observation.search"
    }
    for label, values in groupby(rows.values, key=lambda each: each.label):
        if label.lower() in codes or any(label.lower().startswith(f"{c} (") for c in codes if c):
            yield _trend(tuple(values))


def _trend(values: tuple[Measured, ...]) -> Json:
    first, last = values[0].value, values[-1].value
    change = (last - first) / first if first else 0.0
    return {
        "item_name": values[0].label,
        "itemid": values[0].itemid,
        "unit": values[0].unit,
        "recent_values": [
            {"charttime": each.time.isoformat(), "value": each.value, "flag": each.flag}
            for each in values[-_RECENT:]
        ],
        "value_min": min(each.value for each in values),
        "value_max": max(each.value for each in values),
        "trend_direction": "stable"
        if abs(change) < _STEADY
        else ("rising" if change > 0 else "falling"),
    }


def _symptoms(plan: Json) -> Iterator[Json]:
    """The symptom that a plan describes, and the patient's words about it."""
    if "symptom" in plan.get("memory", {}):
        asked, symptom = _asked(plan), plan["memory"]["symptom"]
        yield {
            **symptom["en"],
            "patient_words": asked["en"],
            "zh": {**symptom["zh"], "patient_words": asked["zh"]},
        }


def _living(plan: Json, rows: ChartRows) -> Json:
    """Social history and function by the note, or in the words of the patient's turn."""
    asked = _asked(plan)
    living: Json = {
        "social_history": " ".join(f"{line.rstrip('.')}." for line in rows.social_history()),
        "functional_status": rows.line("Functional status"),
    }
    if place := _PLACES.get(asked["tool"]):
        living |= {place: asked["en"], "zh": {place: asked["zh"]}}
    return living


def _asked(plan: Json) -> Json:
    """The call and the plain answers of the turn that asks the patient."""
    turn = next(turn for turn in plan["turn"] if turn["source"] in {"patient", "mixed"})
    call = next(call for call in turn["calls"] if call["tool"].startswith("patient."))
    return {**call, "en": turn["en"]["patient"]["high"], "zh": turn["zh"]["patient"]["high"]}
