"""Phase 3: names and explanations in the patient's words, from terms and templates or a model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from wardround.core.packaged_data import read_toml
from wardround.ehr.terms.chinese import chinese, english
from wardround.ehr.terms.diagnoses import lay_names
from wardround.ehr.text.language import Language
from wardround.models.messages import Message
from wardround.models.model import Model
from wardround.models.prompts import fill
from wardround.people.patient.building.admission import Admission, Measured
from wardround.people.patient.building.extraction import SOCIAL, HomeDrug, history
from wardround.people.patient.guard import is_in
from wardround.people.patient.memory import Diagnosis, Medication, Symptom, WarningSign

_GIVEN_UP = ("never_filled", "self_discontinued")
_NOT_TAKEN = (*_GIVEN_UP, "ran_out")


class WordedDiagnosis(BaseModel):
    """A diagnosis in the patient's words."""

    medical_term: str
    patient_term: str
    patient_term_zh: str = ""
    patient_impact: str = ""


class WordedDrug(BaseModel):
    """A patient's explanation of how a drug is taken."""

    drug: str
    explanation: str = ""
    explanation_zh: str = ""
    withheld: bool = Field(False, description="True if the patient says nothing of it unasked.")


# The description of a schema is part of requests: other words would make recordings stale.
_WORDED: JsonDict = {"description": "What a patient knows, in the patient's words."}


class Worded(BaseModel):
    """A patient's knowledge, in the patient's words."""

    model_config = ConfigDict(json_schema_extra=_WORDED)

    diagnoses: list[WordedDiagnosis] = Field(default_factory=list)
    drugs: list[WordedDrug] = Field(default_factory=list)
    social_history: str = ""
    social_history_zh: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """The patient's words by diagnosis and drug; terms and templates fill gaps."""

    diagnoses: Mapping[str, WordedDiagnosis] = field(default_factory=dict)
    drugs: Mapping[str, WordedDrug] = field(default_factory=dict)
    social: tuple[str, str] = ("", "")


async def worded(record: Admission, drugs: Sequence[HomeDrug], model: Model) -> Words:
    """The words that a model gives; those about anything else than the record are left out.

    Raises:
        InfraError: the provider failed.
        MalformedAnswerError: the model keeps answering in another form.
    """
    terms = conditions(record)
    prompt = fill(
        __package__ or "",
        "prompt.md",
        diagnoses="\n".join(f"- {term}" for term in terms),
        drugs="\n".join(f"- {drug.name}: {drug.evidence or drug.adherence}" for drug in drugs),
        social=record.section(SOCIAL) or "-",
    )
    answer = await model.structured([Message("user", prompt)], Worded)
    named = {drug.name for drug in drugs}
    return Words(
        {each.medical_term: each for each in answer.diagnoses if each.medical_term in terms},
        {each.drug: each for each in answer.drugs if each.drug in named},
        (_if_in(answer.social_history, "en"), _if_in(answer.social_history_zh, "zh")),
    )


def conditions(record: Admission) -> list[str]:
    """The main diagnosis and the past medical history."""
    return list(dict.fromkeys([*record.diagnoses[:1], *history(record)]))


def diagnoses(record: Admission, words: Words) -> Iterator[Diagnosis]:
    """The conditions that a patient knows of."""
    for number, term in enumerate(conditions(record)):
        worded = words.diagnoses.get(term, WordedDiagnosis(medical_term=term, patient_term=""))
        name = _if_in(worded.patient_term_zh, "zh") or chinese(term, "diagnosis")
        yield Diagnosis(
            medical_term=term,
            patient_term=_if_in(worded.patient_term, "en") or lay_term(term),
            patient_impact=_if_in(worded.patient_impact, "en"),
            source="past medical history" if number else "diagnoses of the stay",
            trajectory="stable" if number else "improving",
            zh={"patient_term": name} if name else {},
        )


def medications(drugs: Sequence[HomeDrug], words: Words) -> Iterator[Medication]:
    """The home drugs; one that the patient does not take is critical, as far as no model tells."""
    for drug in drugs:
        explanation = _explanation(drug, words.drugs.get(drug.name))
        worded = words.drugs.get(drug.name)
        name = chinese(drug.name, "drug")
        zh = {"drug_patient_term": name} if name else {}
        yield Medication(
            drug=drug.name,
            drug_patient_term=english(drug.name, "drug") or drug.name.lower(),
            indication=drug.indication,
            adherence=drug.adherence,
            adherence_evidence=drug.evidence,
            patient_explanation=explanation.get("en", ""),
            current_status=_status(drug),
            critical_flag=worded.withheld if worded else drug.adherence in _NOT_TAKEN,
            zh={**zh, "patient_explanation": explanation["zh"]} if explanation.get("zh") else zh,
        )


def warning_signs(values: Sequence[Measured]) -> Iterator[WarningSign]:
    """The signs to act on of values beyond the limits (Du et al. 2026, C)."""
    for rule in sign_rules():
        measured = [each.value for each in values if each.label == rule["label"]]
        low, high = rule.get("below"), rule.get("above")
        if any((low and value < low) or (high and value > high) for value in measured):
            yield WarningSign(
                medical_condition=rule["medical_condition"],
                **rule["en"],
                zh=rule["zh"],
                urgency_level=rule["urgency_level"],
                contributing_factor=rule["label"],
                critical_flag=rule["urgency_level"] == 1,
            )


@cache
def sign_rules() -> tuple[dict[str, Any], ...]:
    """The rules of warning signs: laboratory label, limit, and the patient's words."""
    return tuple(read_toml(__package__, "warning_signs.toml")["sign"])


def symptoms(record: Admission) -> Iterator[Symptom]:
    """The chief complaint as a symptom; the record tells nothing more of it in fixed places."""
    complaint = record.section("Chief Complaint").rstrip(".")
    if complaint:
        name = chinese(complaint, "complaint") or chinese(complaint, "diagnosis")
        yield Symptom(symptom=complaint.lower(), zh={"symptom": name} if name else {})


def lay_term(term: str) -> str:
    """A patient's name of a condition: its lay name, else the title before its first comma.

    >>> lay_term("Myocardial infarction"), lay_term("Diabetes mellitus, type II, uncontrolled")
    ('heart attack', 'diabetes mellitus')
    """
    names = lay_names(term)
    return names[0] if names else term.partition(",")[0].lower()


def _explanation(drug: HomeDrug, worded: WordedDrug | None) -> dict[str, str]:
    """A model's words for how a drug is not taken as prescribed; the script has its own."""
    if drug.adherence == "good":
        return {}
    if worded and _if_in(worded.explanation, "en"):
        return {"en": worded.explanation, "zh": _if_in(worded.explanation_zh, "zh")}
    return {}


def _if_in(text: str, language: Language) -> str:
    """A model's text if it is in a language, else nothing: small models mix them up."""
    return text if is_in(text, language) else ""


def _status(drug: HomeDrug) -> Any:
    if drug.adherence in _GIVEN_UP:
        return "not_taking"
    return "ran_out" if drug.adherence == "ran_out" else "taking"
