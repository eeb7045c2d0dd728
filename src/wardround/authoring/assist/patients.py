"""The patient of a session: memory, planned discrepancies, and what the patient says."""

from asyncio import run
from collections.abc import Mapping, Sequence
from random import Random
from typing import Literal, TypeAlias, get_args

from wardround.authoring.assist.findings import Entity, Finding, PlannedCall, Slot
from wardround.authoring.assist.sources import UNPLACED, Told
from wardround.benchmarks.assist.tasks import LANGUAGES, LITERACIES, Language, Literacy
from wardround.ehr.terms.chinese import chinese
from wardround.people.patient.memory import Level, Medication, PatientMemory
from wardround.people.patient.scripted import ScriptedPatient

# What only the patient knows of a home drug, and where that leaves it.
Discrepancy: TypeAlias = Literal["never_filled", "ran_out", "self_discontinued"]
_STATUS: Mapping[Discrepancy, Literal["not_taking", "ran_out"]] = {
    "never_filled": "not_taking",
    "ran_out": "ran_out",
    "self_discontinued": "not_taking",
}
_ADHERENCE = "patient.get_medication_adherence"
# The two published personas: health literacy, adherence, anxiety and completeness.
PERSONAS: tuple[Mapping[str, str], ...] = (
    {"health_literacy": "low", "adherence": "poor", "anxiety_level": "high",
     "info_completeness": "critical_withheld"},
    {"health_literacy": "high", "adherence": "good", "anxiety_level": "low",
     "info_completeness": "full"},
)  # fmt: skip


def with_discrepancy(memory: PatientMemory, drug: str, random: Random) -> PatientMemory:
    """A memory in which the patient does not have, or no longer takes, a home drug."""
    state: Discrepancy = random.choice(get_args(Discrepancy))
    change = {
        "adherence": state,
        "adherence_evidence": "",
        "current_status": _STATUS[state],
        "critical_flag": True,
    }
    changed = tuple(
        each.model_copy(update=change) if each.generic == drug else each
        for each in memory.medications
    )
    return memory.model_copy(update={"medications": changed})


def home_drugs(memory: PatientMemory) -> list[str]:
    """The generic names of the drugs of a memory that have a Chinese name and are named once."""
    names = [each.generic for each in memory.medications]
    return [name for name in names if names.count(name) == 1 and chinese(name, "drug")]


def patient_findings(memory: PatientMemory) -> list[Finding]:
    """What the patient says about each home drug, if asked by its name."""
    found = []
    for each in memory.medications:
        if each.generic in home_drugs(memory) and each.adherence != "unknown":
            found.append(_adherence(memory, each))
    return found


def spoken(
    memory: PatientMemory, calls: Sequence[PlannedCall]
) -> list[dict[Language, dict[Literacy, str]]]:
    """The patient's answers to calls in their order, by language and health literacy."""
    patients = {
        (language, literacy): ScriptedPatient(memory, language, literacy)
        for language in LANGUAGES
        for literacy in LITERACIES
    }
    return [
        {
            language: {
                literacy: run(patients[language, literacy].answer(call.tool, call.arguments)).text
                for literacy in LITERACIES
            }
            for language in LANGUAGES
        }
        for call in calls
    ]


def _adherence(memory: PatientMemory, medication: Medication) -> Finding:
    drug = medication.generic
    call = PlannedCall(_ADHERENCE, {"drug": drug})
    level: Level = "high"
    speech = run(ScriptedPatient(memory, "en", level).answer(call.tool, call.arguments))
    quote = speech.statements[0] if speech.statements else ""
    slots = {
        "drug": Slot("drug", Told(UNPLACED, UNPLACED, quote, drug)),
        "state": Slot("text", Told(UNPLACED, UNPLACED, quote, medication.adherence)),
    }
    return Finding("adherence", Entity("drug", drug), call, slots)
