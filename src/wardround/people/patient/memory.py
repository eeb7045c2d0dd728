"""A patient's memory, in the published form (PHM), with Chinese texts beside the English ones."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Language = Literal["en", "zh"]


class _Part(BaseModel):
    """A part of a memory; unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)
    zh: dict[str, str] = Field(default_factory=dict)

    def text(self, field: str, language: Language) -> str:
        """A field's text in a language; "" if there is none in it."""
        if language == "zh":
            return self.zh.get(field, "")
        value = getattr(self, field)
        return value if isinstance(value, str) else ""


class Medication(_Part):
    """A drug that the patient takes, or should."""

    drug: str
    drug_patient_term: str = ""
    adherence: str = "unknown"
    patient_explanation: str = ""
    current_status: str = "unknown"
    critical_flag: bool = False


class Symptom(_Part):
    """A symptom by onset, provocation, quality, radiation, severity and timing."""

    symptom: str
    onset: str = ""
    provocation: str = ""
    quality: str = ""
    radiation: str = ""
    severity: str = ""
    timing: str = ""
    associated: str = ""
    patient_words: str = ""


class Character(BaseModel):
    """The manner in which a patient speaks."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)
    anxiety_level: str = "low"
    info_completeness: str = "full"


class PatientMemory(_Part):
    """All that a patient can tell.

    A fact is withheld until its drug is asked about if it is critical and the patient is one who
    withholds.
    """

    medications: tuple[Medication, ...] = ()
    symptom_log: tuple[Symptom, ...] = ()
    social_history: str = ""
    functional_status: str = ""
    persona: Character = Character()

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> "PatientMemory":
        """The memory in a session."""
        return cls.model_validate(content)

    def withholds(self, medication: Medication) -> bool:
        """True for a drug of which the patient says nothing unless asked."""
        return medication.critical_flag and self.persona.info_completeness == "critical_withheld"
