"""Phase 5: checks a memory against the record that it was built from, by fixed rules."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import fuzz

from wardround.ehr.terms.diagnoses import formal_names
from wardround.ehr.terms.mentions import find_drugs
from wardround.ehr.terms.names import key
from wardround.people.patient.building.admission import Admission
from wardround.people.patient.building.language import sign_rules
from wardround.people.patient.memory import PatientMemory

_QUOTED = 60  # letters of a quotation that must stand in the note
_NEAR = 0.2  # distance of a limit from a value, as a share of the limit
_SAME = 85  # similarity of a diagnosis and a coded title, of 100


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of a memory: what was removed, or what is doubtful."""

    kind: Literal["removed", "warning"]
    text: str


def verify(memory: PatientMemory, record: Admission) -> tuple[PatientMemory, tuple[Finding, ...]]:
    """Removes drugs that were never prescribed, and warns of what the record does not bear out.

    A diagnosis should be coded, the limit of a warning sign be within 20% of a value, and the first
    60 letters of evidence stand in the note.
    """
    prescribed = {generic for drug in record.prescribed for generic in _generics(drug)}
    kept = tuple(each for each in memory.medications if _generics(each.drug) & prescribed)
    removed = [each.drug for each in memory.medications if each not in kept]
    verified = memory.model_copy(update={"medications": kept})
    findings = (
        *(Finding("removed", f"{drug} is not among the prescriptions") for drug in removed),
        *(Finding("warning", text) for text in _warnings(verified, record)),
    )
    return verified, findings


def _warnings(memory: PatientMemory, record: Admission) -> Iterator[str]:
    for diagnosis in memory.diagnoses:
        if not _is_coded(diagnosis.medical_term, record.coded):
            yield f"{diagnosis.medical_term} is not among the coded diagnoses"
    limits = {rule["label"]: rule.get("below") or rule.get("above") for rule in sign_rules()}
    for sign in memory.warning_signs:
        label = sign.contributing_factor
        values = [each.value for each in record.values if each.label == label]
        limit = limits.get(label)
        if limit is None or not any(abs(value - limit) <= _NEAR * limit for value in values):
            yield f"no value of {label or 'any test'} is near the limit of {sign.medical_condition}"
    note = " ".join(record.note.split())
    for drug in memory.medications:
        quoted = " ".join(drug.adherence_evidence.split())[:_QUOTED]
        if quoted and quoted not in note:
            yield f"the evidence about {drug.drug} does not stand in the note"


def _generics(drug: str) -> set[str]:
    named = {generic for mention in find_drugs(drug) for generic in mention.generics}
    return named or {key(drug)}


def _is_coded(term: str, titles: tuple[str, ...]) -> bool:
    """True if a coded title is the term, or names the same condition."""
    names = {key(term), *formal_names(term)}
    return any(
        fuzz.token_set_ratio(name, key(title)) >= _SAME for name in names for title in titles
    )
