"""A patient who speaks from a memory without a model, the same way each time, in two languages."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Literal

from wardround.core.packaged_data import read_toml
from wardround.ehr.terms.chinese import chinese, english
from wardround.people.patient.answers import PatientSpeech
from wardround.people.patient.memory import Language, Medication, PatientMemory, Symptom

Literacy = Literal["high", "medium", "low"]
_LISTED = 6  # drugs of a list
_PAIN = ("pain", "ache", "痛", "疼")


class ScriptedPatient:
    """Answers each patient tool from the memory.

    A withheld fact is told once its drug is asked about, and stays told: then it is among what the
    patient lists. Numbers are the memory's own, whatever the literacy.

    Args:
        memory: all that the patient knows.
        language: the language of the session.
        literacy: the patient's health literacy; with a low one drugs have their everyday names.
    """

    def __init__(self, memory: PatientMemory, language: Language, literacy: Literacy) -> None:
        self._memory = memory
        self._language = language
        self._literacy = literacy
        self._words = _wordings(language)
        self._told: set[str] = set()

    async def answer(self, tool: str, arguments: Mapping[str, Any]) -> PatientSpeech:
        """The answer to a call of a patient tool."""
        match tool.rpartition(".")[2]:
            case "get_medication_adherence":
                drug = str(arguments.get("drug") or "").strip()
                return self._about_drug(drug) if drug else self._list()
            case "get_pain_assessment":
                return self._symptoms(painful=True)
            case "get_symptom_history":
                return self._symptoms(painful=False)
            case "get_social_history":
                return self._life("social_history")
            case "get_functional_status":
                return self._life("functional_status")
            case _:
                return self._speech([self._words["unknown"]], outcome="unknown")

    def _about_drug(self, drug: str) -> PatientSpeech:
        wanted = _generic(drug)
        for medication in self._memory.medications:
            if _generic(medication.drug) == wanted:
                self._told.add(wanted)
                said = medication.text("patient_explanation", self._language)
                words = said or self._adherence(medication)
                return self._speech([words], facts=(f"drug:{wanted}",))
        shown = (chinese(drug, "drug") if self._language == "zh" else None) or drug
        return self._speech([self._words["not_mine"].format(drug=shown)], outcome="unknown")

    def _adherence(self, medication: Medication) -> str:
        if medication.current_status in ("not_taking", "ran_out"):
            form = "stopped"
        else:
            form = "takes" if medication.adherence in ("good", "unknown") else "misses"
        return self._words[form].format(drug=self._name(medication))

    def _list(self) -> PatientSpeech:
        """What the patient takes, without what is withheld and was not asked about."""
        taken = [
            each
            for each in self._memory.medications
            if each.current_status == "taking"
            and (not self._memory.withholds(each) or _generic(each.drug) in self._told)
        ]
        if not taken:
            return self._speech([self._words["nothing_taken"]])
        listed = self._words["list"].format(drugs=self._joined(map(self._name, taken[:_LISTED])))
        return self._speech([listed], facts=tuple(f"drug:{_generic(m.drug)}" for m in taken))

    def _symptoms(self, *, painful: bool) -> PatientSpeech:
        log = [each for each in self._memory.symptom_log if not painful or _is_pain(each)]
        if not log:
            return self._speech([self._words["no_pain" if painful else "no_symptom"]])
        said = list(self._described(log[0]))
        return self._speech(said, facts=(f"symptom:{log[0].symptom}",))

    def _described(self, symptom: Symptom) -> Iterable[str]:
        words = symptom.text("patient_words", self._language)
        if words:
            yield words
        for part in ("onset", "severity"):
            text = symptom.text(part, self._language)
            if text:
                yield self._words[part].format(text=text)

    def _life(self, field: str) -> PatientSpeech:
        text = self._memory.text(field, self._language)
        if not text:
            return self._speech([self._words["unknown"]], outcome="unknown")
        own = text.startswith("I ") or self._language == "zh"
        said = text if own else self._words["life"].format(text=text.rstrip(".") + ".")
        return self._speech([said], facts=(field,))

    def _speech(
        self, said: list[str], *, facts: tuple[str, ...] = (), outcome: str = "told"
    ) -> PatientSpeech:
        """An answer of two sentences or more, the last one by the patient's mood."""
        mood = "anxious" if self._memory.persona.anxiety_level == "high" else "calm"
        space = "" if self._language == "zh" else " "
        return PatientSpeech(space.join([*said, self._words[mood]]), facts, outcome)

    def _name(self, medication: Medication) -> str:
        """A drug's name: in Chinese, in everyday words, or as it is ordered."""
        term = medication.text("drug_patient_term", self._language)
        if self._language == "zh":
            return term or chinese(medication.drug, "drug") or medication.drug
        return term if term and self._literacy == "low" else medication.drug

    def _joined(self, names: Iterable[str]) -> str:
        listed = list(names)
        if len(listed) < 2:
            return "".join(listed)
        return self._words["comma"].join(listed[:-1]) + self._words["and"] + listed[-1]


def _generic(drug: str) -> str:
    return english(drug, "drug") or drug.casefold()


def _is_pain(symptom: Symptom) -> bool:
    return any(word in f"{symptom.symptom} {symptom.patient_words}" for word in _PAIN)


@cache
def _wordings(language: Language) -> dict[str, str]:
    words: dict[str, str] = read_toml(__package__, "wordings.toml")[language]
    return words
