"""The patient of a session: memory, and what the patient says of symptoms, life and drugs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall, Slot
from wardround.authoring.assist.facts.functions import Function, computed
from wardround.authoring.assist.facts.sources import UNPLACED, Computed, Told
from wardround.authoring.assist.facts.told_words import Part, told_lines, told_words
from wardround.benchmarks.assist.sessions import LANGUAGES, LITERACIES, Language, Literacy
from wardround.ehr.terms.chinese import chinese, english, plain
from wardround.ehr.text.segments import sentences, texts
from wardround.people.patient.life import line_words
from wardround.people.patient.memory import Medication, PatientMemory, Symptom
from wardround.people.patient.scripted import ScriptedPatient

BOUGHT = "bought without a prescription"  # the indication of a drug that no chart has
ADHERENCE = "patient.get_medication_adherence"
_SYMPTOMS = "patient.get_symptom_history"
_PAIN = "patient.get_pain_assessment"
_SOCIAL = "patient.get_social_history"
_FUNCTION = "patient.get_functional_status"
# The manners of the two published personas: health literacy and anxiety.
_MANNERS = (
    {"health_literacy": "low", "anxiety_level": "high"},
    {"health_literacy": "high", "anxiety_level": "low"},
)
# Words of diagnoses under which a patient gives no reliable history.
_CLOUDED = ("dementia", "alzheimer", "encephalopathy", "delirium", "confusion", "altered mental",
            "coma", "aphasia")  # fmt: skip
# Words of complaints that a patient feels for a while, and of those that hurt.
_FELT = ("pain", "headache", "breath", "cough", "swelling", "nausea", "weakness", "wheezing",
         "palpitations", "diarrhea", "redness", "vomiting")  # fmt: skip
_HURTS = ("pain", "headache")
_DETAILS: tuple[Part, ...] = ("timing", "severity", "provocation")
_LIFE: tuple[Part, ...] = ("home", "tobacco", "alcohol")
# A purpose that only says what the drug does, and the diseases that call for it.
_CIRCULAR = "long-term anticoagulation"
_CLOTTING = ("atrial fibrillation", "pulmonary embolism", "deep vein thrombosis",
             "prior venous thrombosis", "mechanical valve")  # fmt: skip


def with_manner(memory: PatientMemory) -> PatientMemory:
    """A memory of a made patient with one of the published manners, the same in all sessions."""
    manner = _MANNERS[memory.subject_id % len(_MANNERS)]
    return memory.model_copy(update={"persona": memory.persona.model_copy(update=manner)})


def persona_of(memory: PatientMemory) -> Mapping[str, str]:
    """The persona that a memory plays, as a session's settings name it."""
    persona = memory.persona
    takes_all = all(each.adherence in ("good", "unknown") for each in memory.medications)
    return {
        "health_literacy": persona.health_literacy,
        "adherence": "good" if takes_all else "poor",
        "anxiety_level": persona.anxiety_level,
        "info_completeness": persona.info_completeness,
    }


def with_symptom_details(memory: PatientMemory, random: Random) -> PatientMemory:
    """A memory whose chief complaint has times, a severity and what changes it.

    The notes of the synthetic hospital tell none of these, so nothing in the chart is against them.
    """
    first, *others = memory.symptom_log or (None,)
    if first is None or first.severity or not _is_felt(first.symptom):
        return memory
    drawn = {str(part): random.choice(told_lines(part)) for part in _DETAILS}
    zh = {str(part): told_words(line, part, "zh") for part, line in drawn.items()}
    drawn["patient_words"] = f"I have {first.symptom}. I have it {drawn['timing']}."
    zh["patient_words"] = f"我{chinese(first.symptom, 'complaint')}，{zh['timing']}。"
    detailed = first.model_copy(update={**drawn, "zh": {**first.zh, **zh}})
    return memory.model_copy(update={"symptom_log": (detailed, *others)})


def with_purposes(memory: PatientMemory) -> PatientMemory:
    """A memory whose anticoagulants are for the patient's own disease, if the memory has it."""
    known = {english(each.medical_term, "diagnosis"): each.medical_term
             for each in memory.diagnoses}  # fmt: skip
    disease = next((known[name] for name in _CLOTTING if name in known), "")
    if not disease:
        return memory
    medications = tuple(
        each.model_copy(update={"indication": disease}) if _is_circular(each) else each
        for each in memory.medications
    )
    return memory.model_copy(update={"medications": medications})


def _is_circular(medication: Medication) -> bool:
    return english(medication.indication, "diagnosis") == _CIRCULAR


def home_drugs(memory: PatientMemory) -> list[str]:
    """The generic names of the drugs of a memory that have a Chinese name and are named once."""
    names = [each.generic for each in memory.medications if each.indication != BOUGHT]
    return [name for name in names if names.count(name) == 1 and chinese(name, "drug")]


def treated_diseases(memory: PatientMemory) -> frozenset[str]:
    """The diseases that the home drugs of a memory are for, by their English names."""
    names = (english(each.indication, "diagnosis") for each in memory.medications)
    return frozenset(name for name in names if name)


def patient_findings(memory: PatientMemory) -> list[Finding]:
    """The patient's findings: symptoms, pain, life, function and each home drug."""
    return [each for tool in _TOLD for each in tool_findings(memory, tool)]


def tool_findings(memory: PatientMemory, tool: str) -> list[Finding]:
    """The patient's findings of one tool."""
    return list(_TOLD[tool](memory)) if can_tell(memory) else []


def can_tell(memory: PatientMemory) -> bool:
    """True for a patient with no diagnosis under which a history is not to be relied on.

    >>> from wardround.people.patient.memory import Diagnosis
    >>> can_tell(PatientMemory(subject_id=1, diagnoses=(Diagnosis(medical_term="Delirium"),)))
    False
    """
    terms = " ".join(each.medical_term.casefold() for each in memory.diagnoses)
    return not any(word in terms for word in _CLOUDED)


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
                literacy: patients[language, literacy].speak(_subject(call), call.arguments).text
                for literacy in LITERACIES
            }
            for language in LANGUAGES
        }
        for call in calls
    ]


def _is_felt(complaint: str) -> bool:
    """True for a complaint that a patient feels for a while in all its parts, with a Chinese name.

    Nobody has a low urine output several times a day.
    """
    parts = complaint.split(", ")
    is_whole = all(any(word in part for word in _FELT) for part in parts)
    return is_whole and bool(chinese(complaint, "complaint"))


def _symptoms(memory: PatientMemory) -> Iterator[Finding]:
    """The chief complaint as the patient tells it."""
    return _felt(memory, "symptoms", _SYMPTOMS)


def _pain(memory: PatientMemory) -> Iterator[Finding]:
    """The chief complaint if it hurts."""
    return _felt(memory, "pain", _PAIN)


def _felt(memory: PatientMemory, kind: str, tool: str) -> Iterator[Finding]:
    first: Symptom | None = next(iter(memory.symptom_log), None)
    if not first or not first.severity or not chinese(first.symptom, "complaint"):
        return
    if kind == "pain" and not any(word in first.symptom for word in _HURTS):
        return
    call, said = PlannedCall(tool, {}), _Said(memory, PlannedCall(tool, {}))
    slots = {
        "symptom": said.slot("complaint", first.symptom, first.symptom),
        "timing": said.slot("timing", first.timing, first.timing),
        "severity": said.slot("severity", first.severity, first.severity),
        "provocation": said.slot("provocation", first.provocation, first.provocation),
    }
    asked = {"symptoms": ("symptom", "timing", "severity"), "pain": ("severity", "provocation")}
    yield from said.finding(kind, call, {name: slots[name] for name in asked[kind]})


def _life(memory: PatientMemory) -> Iterator[Finding]:
    """The patient's home, work, smoking and drinking."""
    text = memory.social_history
    lines = [plain(line).rstrip(".") for line in texts(text, sentences(text, "en"))]
    parts = {part: next((e for e in lines if e in told_lines(part)), "") for part in _LIFE}
    said = _Said(memory, PlannedCall(_SOCIAL, {}))
    slots: dict[str, Slot | None] = {
        part: said.slot(part, line, _spoken_part(line)) for part, line in parts.items()
    }
    tobacco = parts["tobacco"]
    slots["smoking"] = said.function("smoking", tobacco, _spoken_part(tobacco))
    yield from said.finding("social", said.call, slots)


def _function(memory: PatientMemory) -> Iterator[Finding]:
    """The patient's walking, the help that the patient needs, and the function that follows."""
    line = plain(memory.functional_status).strip().rstrip(".")
    walking, _, help = (line, "", line) if line in told_lines("help") else line.partition(", ")
    said = _Said(memory, PlannedCall(_FUNCTION, {}))
    slots = {
        "walking": said.slot("walking", walking, _spoken_part(walking)),
        "help": said.slot("help", help, _spoken_part(help)),
        "dependence": said.function("dependence", help, _spoken_part(help)),
    }
    if walking in told_lines("walking") and help in told_lines("help"):
        yield from said.finding("function", said.call, slots)


def _home_drugs(memory: PatientMemory) -> Iterator[Finding]:
    """The findings on how the patient takes each home drug."""
    own_drugs = home_drugs(memory)
    for each in memory.medications:
        if each.generic in own_drugs and each.adherence != "unknown" and not _is_circular(each):
            yield from _adherence(memory, each)


def _adherence(memory: PatientMemory, medication: Medication) -> Iterator[Finding]:
    drug = medication.generic
    said = _Said(memory, PlannedCall(ADHERENCE, {"drug": drug}))
    state, purpose = medication.adherence, english(medication.indication, "diagnosis") or ""
    slots = {
        "drug": said.slot("drug", drug, ""),
        "state": said.slot("text", state, ""),
        "taking": said.function("taking", state, ""),
        "indication": said.slot("diagnosis", purpose, purpose),
    }
    if reason := medication.untaken_because:
        slots["why"] = said.slot("reason", reason, reason)
    kind = "adherence"
    if other := medication.taken_with:
        kind, slots = "other_drug", {**slots, "other": said.slot("drug", other, other)}
    for finding in said.finding(kind, said.call, slots):
        yield replace(finding, entity=Entity("drug", drug))


# The findings of each tool that asks the patient.
_TOLD: Mapping[str, Callable[[PatientMemory], Iterator[Finding]]] = {
    _SYMPTOMS: _symptoms,
    _PAIN: _pain,
    _SOCIAL: _life,
    _FUNCTION: _function,
    ADHERENCE: _home_drugs,
}


class _Said:
    """Values in the patient's answer to a question, each with the sentence that tells it."""

    def __init__(self, memory: PatientMemory, call: PlannedCall) -> None:
        self.call = call
        speech = ScriptedPatient(memory, "en", "high").speak(_subject(call), call.arguments)
        self._statements = speech.statements

    def told(self, value: str, words: str) -> Told | None:
        """The value, told by the first sentence with some words; None if no sentence has them."""
        sentences = (each for each in self._statements if words.casefold() in each.casefold())
        quote = next(sentences, "")
        return Told(UNPLACED, UNPLACED, quote, value) if quote and value else None

    def slot(self, wording: Any, value: str, words: str) -> Slot | None:
        source = self.told(value, words)
        return Slot(wording, source) if source else None

    def function(self, function: Function, value: str, words: str) -> Slot | None:
        source = self.told(value, words)
        if not source:
            return None
        return Slot("words", Computed(function, (source,), computed(function, [value])))

    def finding(
        self, kind: str, call: PlannedCall, slots: Mapping[str, Slot | None]
    ) -> Iterator[Finding]:
        if all(slots.values()):
            yield Finding(kind, Entity("patient"), call, {n: s for n, s in slots.items() if s})


def _subject(call: PlannedCall) -> str:
    """The topic of a patient tool, such as "social_history"."""
    return call.tool.removeprefix("patient.get_")


def _spoken_part(line: str) -> str:
    """The words of a known line that the patient's own sentence has."""
    return line_words(line) or line.partition(" ")[2] or line
