"""Builds memories in five phases, and writes those of a database's patients.

The persona is drawn by fixed rules.
"""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rapidfuzz import fuzz

from wardround.core.benchmark import Summary, Table
from wardround.core.errors import UserError
from wardround.core.private_files import make_folder
from wardround.core.work import WorkContext, WorkResult
from wardround.ehr.database import Database, open_database
from wardround.ehr.terms.chinese import TermKind
from wardround.ehr.terms.diagnoses import formal_names
from wardround.ehr.terms.names import key
from wardround.ehr.text.cues import Assertion, assertion
from wardround.ehr.text.mentions import find_drugs, mentions
from wardround.ehr.text.segments import Span, sentences
from wardround.models.model import Model
from wardround.models.roles import Models
from wardround.people.patient.building.admission import (
    Admission,
    last_admissions,
    read_admission,
)
from wardround.people.patient.building.declaration import MemoryOptions
from wardround.people.patient.building.extraction import SOCIAL, HomeDrug, home_drugs, lab_trends
from wardround.people.patient.building.language import (
    Words,
    diagnoses,
    medications,
    sign_rules,
    symptoms,
    warning_signs,
    worded,
)
from wardround.people.patient.memory import (
    Level,
    MemoryPersona,
    PatientMemory,
    memory_file,
    write_memory,
)

_QUOTED = 60  # letters of a quotation that must stand in the note
_NEAR = 0.2  # distance of a limit from a value, as a share of the limit
_SAME = 85  # similarity of a diagnosis and a coded title, of 100

# The lines of a note that tell how a patient manages, by section.
_FUNCTION = ((SOCIAL, "Functional status:"), ("Discharge Condition", "Activity Status:"))

_TERMS: tuple[TermKind, ...] = ("drug", "test", "diagnosis")
_WORD = re.compile(r"[A-Za-z']+")
_VOWELS = re.compile(r"[aeiouy]+")
_ANXIOUS = re.compile(
    r"\b(?:anxi(?:ous|ety)|panic|worried|fearful|nervous|agitated|distress(?:ed)?)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault of a memory: a removed or a doubtful statement."""

    kind: Literal["removed", "warning"]
    text: str


@dataclass(frozen=True, slots=True)
class Built:
    """A memory with the findings of its verification."""

    memory: PatientMemory
    findings: tuple[Finding, ...]


async def build_memory(
    database: Database, subject_id: int, hadm_id: int, model: Model | None = None
) -> Built:
    """The memory of a patient after an admission, from a MIMIC-IV database with notes.

    Args:
        database: the database.
        subject_id: the patient.
        hadm_id: the admission.
        model: puts names and explanations into the patient's words; without one they come from
            terms and templates, and the social history has no Chinese.

    Raises:
        UserError: the database lacks a table, or the admission a discharge summary.
        InfraError: the model's provider failed.
    """
    if not model:
        return await asyncio.to_thread(plain_memory, database, subject_id, hadm_id)
    record = await asyncio.to_thread(read_admission, database, subject_id, hadm_id)
    drugs = home_drugs(record)
    words = await worded(record, drugs, model)
    return Built(*verify(_memory(record, drugs, words), record))


def plain_memory(database: Database, subject_id: int, hadm_id: int) -> Built:
    """The memory of a patient after an admission, in words of terms and templates.

    Raises:
        UserError: the database lacks a table, or the admission a discharge summary.
    """
    record = read_admission(database, subject_id, hadm_id)
    return Built(*verify(_memory(record, home_drugs(record), Words()), record))


def _memory(record: Admission, drugs: list[HomeDrug], words: Words) -> PatientMemory:
    listed_drugs = tuple(medications(drugs, words))
    social, social_zh = words.social
    lines = (line.strip().rstrip(".") for line in record.section(SOCIAL).split("\n"))
    known = [f"{line}." for line in lines if line and not line.startswith("Functional status:")]
    return PatientMemory(
        subject_id=record.subject_id,
        anchor_hadm_id=record.hadm_id,
        diagnoses=tuple(diagnoses(record, words)),
        medications=listed_drugs,
        warning_signs=tuple(warning_signs(record.values)),
        lab_trends=tuple(lab_trends(record)),
        symptom_log=tuple(symptoms(record)),
        social_history=social or " ".join(known),
        functional_status=_function(record),
        persona=persona(record, drugs, withholds=any(drug.critical_flag for drug in listed_drugs)),
        zh={"social_history": social_zh} if social_zh else {},
    )


def _function(record: Admission) -> str:
    """The line on function in the social history, else the activity at discharge."""
    for heading, name in _FUNCTION:
        for line in record.section(heading).split("\n"):
            if line.strip().startswith(name):
                return line.strip().removeprefix(name).strip()
    return ""


def write_memories(options: MemoryOptions, context: WorkContext[Models]) -> WorkResult:
    """Builds the memory of each chosen patient's newest admission, and writes it as YAML.

    Raises:
        UserError: the database cannot be read, a patient is not in it, or a file exists.
    """
    return asyncio.run(_written(options, context))


async def _written(options: MemoryOptions, context: WorkContext[Models]) -> WorkResult:
    model = context.models.find("words")
    speaker = model.bind("words", lambda asked: None, None) if model else None
    with closing(open_database(options.database)) as database:
        chosen = _chosen(last_admissions(database), options)
        make_folder(options.folder)
        findings: list[tuple[int, Finding]] = []
        for number, (subject_id, hadm_id) in enumerate(chosen.items()):
            context.progress(number, len(chosen), f"{subject_id}")
            built = await build_memory(database, subject_id, hadm_id, speaker)
            write_memory(built.memory, memory_file(options.folder, subject_id))
            findings += [(subject_id, each) for each in built.findings]
    await context.models.close()
    return _result(options.folder, len(chosen), findings)


def _result(folder: Path, patients: int, findings: list[tuple[int, Finding]]) -> WorkResult:
    removed = sum(each.kind == "removed" for _, each in findings)
    rows = tuple((subject_id, each.kind, each.text) for subject_id, each in findings)
    table = Table("Findings of the verification", ("Patient", "Kind", "Finding"), rows)
    note = (
        f"{folder} holds the memories of {patients} patients; verification removed {removed} drugs "
        f"and gave {len(findings) - removed} warnings, which --json lists."
    )
    return WorkResult(Summary({"findings": table}), (note,), long=("findings",))


def _chosen(newest: Mapping[int, int], options: MemoryOptions) -> dict[int, int]:
    subjects = options.subject or tuple(newest)[: options.limit]
    if unknown := [subject for subject in subjects if subject not in newest]:
        raise UserError(
            f"{options.database} has no discharge summary of {unknown[0]}; check --subject."
        )
    for subject in subjects:
        if (path := memory_file(options.folder, subject)).exists():
            raise UserError(f"{path} exists already; name another folder, or move it away.")
    return {subject: newest[subject] for subject in subjects}


def verify(memory: PatientMemory, record: Admission) -> tuple[PatientMemory, tuple[Finding, ...]]:
    """Removes drugs that were never prescribed, and warns of what the record does not bear out.

    A diagnosis should be coded, the limit of a warning sign be within 20% of a value, and the first
    60 letters of evidence stand in the note.
    """
    prescribed = {generic for drug in record.prescribed for generic in _generics(drug)}
    prescribed_drugs = tuple(
        each for each in memory.medications if _generics(each.drug) & prescribed
    )
    removed = [each.drug for each in memory.medications if each not in prescribed_drugs]
    verified = memory.model_copy(update={"medications": prescribed_drugs})
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


def persona(record: Admission, drugs: Sequence[HomeDrug], *, withholds: bool) -> MemoryPersona:
    """The persona of a patient.

    Args:
        record: the admission.
        drugs: the home drugs with their adherence.
        withholds: a drug of the memory is critical.
    """
    known = [drug.adherence for drug in drugs if drug.adherence != "unknown"]
    worst = next((kind for kind in known if kind != "good"), "good" if known else "unknown")
    full: Literal["full", "partial"] = "full" if known or not drugs else "partial"
    return MemoryPersona(
        health_literacy=literacy(record.section("Discharge Instructions")),
        anxiety_level=_anxiety(record),
        info_completeness="critical_withheld" if withholds else full,
        overall_adherence="good" if worst == "good" else worst if worst == "unknown" else "poor",
    )


def literacy(text: str) -> Level:
    """The health literacy that a text for the patient assumes; high without a text.

    >>> literacy("You had a fall. Rest at home. Call us if you feel sick.")
    'low'
    """
    if not text.strip():
        return "high"
    grade, terms = reading_grade(text), medical_terms(text)
    if grade < 6 and terms < 2:
        return "low"
    return "medium" if grade < 10 and terms < 5 else "high"


def reading_grade(text: str) -> float:
    """The Flesch-Kincaid grade of an English text (Kincaid et al. 1975); 0 without words.

    >>> round(reading_grade("The cat sat on the mat."), 1)
    -1.4
    """
    words = _WORD.findall(text.lower())
    if not words:
        return 0.0
    syllables = sum(map(_syllables, words))
    return 0.39 * len(words) / len(sentences(text, "en")) + 11.8 * syllables / len(words) - 15.59


def medical_terms(text: str) -> int:
    """The number of different drugs, tests and diagnoses in a text."""
    return len({(each.kind, each.name) for each in mentions(text, *_TERMS)})


def _syllables(word: str) -> int:
    """The groups of vowels of a word; a silent e at the end is none."""
    groups = len(_VOWELS.findall(word))
    silent = word.endswith("e") and not word.endswith(("le", "ee")) and groups > 1
    return max(groups - silent, 1)


def _anxiety(record: Admission) -> Level:
    """High if the history or a diagnosis names anxiety, low if the examination denies it."""
    history = [record.section(n) for n in ("History of Present Illness", "Past Medical History")]
    if any("present" in _assertions(text) for text in (*history, *record.diagnoses)):
        return "high"
    return "low" if "absent" in _assertions(record.section("Physical Exam")) else "medium"


def _assertions(text: str) -> set[Assertion]:
    """The assertion of a text about each mention of anxiety or distress."""
    return {assertion(text, Span(*match.span()), "en") for match in _ANXIOUS.finditer(text)}
