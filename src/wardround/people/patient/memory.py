"""A patient's memory: the patient's knowledge of diagnoses, drugs, symptoms and life.

Read and written in the published form, a YAML file a patient. Texts are in English, and in Chinese
under `zh`, a field of wardround's own.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

import yaml  # type: ignore[import-untyped]
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from wardround.core.errors import UserError
from wardround.core.private_files import write_whole
from wardround.ehr.terms.chinese import chinese, english, plain
from wardround.ehr.text.language import Language

Level: TypeAlias = Literal["low", "medium", "high"]
# The writer in C, where PyYAML has it, writes the same text in a quarter of the time.
_DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Entry(BaseModel):
    """An entry; nulls count as absent, and further published fields are kept."""

    model_config = ConfigDict(frozen=True, extra="allow")

    zh: Mapping[str, Any] = Field(default_factory=dict, exclude_if=lambda value: not value)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        return {name: each for name, each in value.items() if each is not None}

    def text(self, name: str, language: Language) -> str:
        """A field's text in a language; empty if it is not known in it."""
        value = self.zh.get(name) if language == "zh" else getattr(self, name, "")
        return str(value or "").strip()


class Diagnosis(_Entry):
    """A diagnosis in medical and in the patient's words."""

    medical_term: str
    patient_term: str = ""
    patient_impact: str = ""
    severity_self_assessment: str = ""
    source: str = ""
    trajectory: str = ""

    @property
    def generic(self) -> str:
        """The English term, or the name as it stands."""
        return english(self.medical_term, "diagnosis") or plain(self.medical_term)

    def named(self, language: Language) -> str:
        """The diagnosis as the patient calls it; empty if it has no name in the language."""
        term = self.text("patient_term", language)
        return term or ((chinese(self.medical_term, "diagnosis") or "") if language == "zh" else "")


class Medication(_Entry):
    """A drug and the patient's dealings with it; a critical one is withheld until asked about.

    Attributes:
        taken_with: the generic name of a drug that the patient buys and takes beside it.
        untaken_because: the reason why the patient does not take it, in the patient's words.
    """

    drug: str
    drug_patient_term: str = ""
    indication: str = ""
    adherence: Literal[
        "good", "poor", "never_filled", "ran_out", "self_discontinued", "unknown"
    ] = "unknown"
    adherence_evidence: str = ""
    patient_explanation: str = ""
    taken_with: str = ""
    untaken_because: str = ""
    current_status: Literal["taking", "not_taking", "ran_out", "unknown"] = "unknown"
    critical_flag: bool = False

    @property
    def generic(self) -> str:
        """The generic name, or the name as it stands."""
        return english(self.drug, "drug") or plain(self.drug)

    def named(self, language: Language) -> str:
        """The drug as the patient calls it."""
        term = self.text("drug_patient_term", language)
        if language == "zh":
            return term or chinese(self.drug, "drug") or self.drug
        return term or self.drug

    def is_named_by(self, name: str) -> bool:
        """True if a generic name means this drug, such as insulin glargine for insulin."""
        first, second = set(self.generic.split()), set(name.split())
        return bool(first and second) and (first <= second or second <= first)


class WarningSign(_Entry):
    """A sign that the patient should act on."""

    medical_condition: str = ""
    condition: str = ""
    patient_signal: str = ""
    action: str = ""
    urgency_level: int = 3
    contributing_factor: str = ""
    critical_flag: bool = False


class LabValue(_Entry):
    """A value of a laboratory test."""

    charttime: str
    value: float
    flag: str = ""


class LabTrend(_Entry):
    """The course of a laboratory test."""

    item_name: str
    itemid: int | None = None
    unit: str = ""
    recent_values: tuple[LabValue, ...] = ()
    value_min: float | None = None
    value_max: float | None = None
    trend_direction: str = ""


class Symptom(_Entry):
    """A symptom by onset, provocation, quality, radiation, severity and timing."""

    symptom: str = ""
    onset: str = ""
    provocation: str = ""
    quality: str = ""
    radiation: str = ""
    severity: str = ""
    timing: str = ""
    associated: str = ""
    patient_words: str = ""


class MemoryPersona(_Entry):
    """The patient's manner."""

    health_literacy: Level = "medium"
    anxiety_level: Level = "medium"
    info_completeness: Literal["full", "partial", "critical_withheld"] = "full"
    self_diagnosis_tendency: str = "low"
    overall_adherence: str = "unknown"


class PatientMemory(_Entry):
    """All that a patient knows; the published form."""

    subject_id: int
    anchor_hadm_id: int | None = None
    diagnoses: tuple[Diagnosis, ...] = ()
    medications: tuple[Medication, ...] = ()
    warning_signs: tuple[WarningSign, ...] = ()
    lab_trends: tuple[LabTrend, ...] = ()
    symptom_log: tuple[Symptom, ...] = ()
    open_questions: tuple[Any, ...] = ()
    social_history: str = ""
    functional_status: str = ""
    persona: MemoryPersona = MemoryPersona()

    @property
    def withheld(self) -> tuple[Medication, ...]:
        """The drugs that the patient does not speak of unasked."""
        if self.persona.info_completeness != "critical_withheld":
            return ()
        return tuple(each for each in self.medications if each.critical_flag)


def read_memory(path: Path) -> PatientMemory:
    """Reads a memory's YAML file.

    Raises:
        UserError: the file is not a memory.
    """
    try:
        return PatientMemory.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise UserError(f"{path} is not a patient memory: {error}") from error


def memory_file(folder: Path, subject_id: int) -> Path:
    """The file of a patient's memory in a folder, named as published."""
    return folder / f"PHM_{subject_id}.yaml"


def folder_memories(folder: Path) -> dict[int, PatientMemory]:
    """The memories of a folder by subject_id.

    Raises:
        UserError: there is no such folder, it holds no memory, or a file is not one.
    """
    files = sorted(folder.glob("PHM_*.yaml"))
    if not files:
        raise UserError(
            f"{folder} contains no memory of a patient (a file named PHM_SUBJECT.yaml)."
        )
    return {memory.subject_id: memory for memory in map(read_memory, files)}


def write_memory(memory: PatientMemory, path: Path) -> None:
    """Writes a memory as a YAML file that only its owner may read."""
    data = memory.model_dump(mode="json")
    text = yaml.dump(data, Dumper=_DUMPER, allow_unicode=True, sort_keys=False)
    write_whole(path, text.encode())
