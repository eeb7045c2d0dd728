"""A deterministic patient who answers from a memory, in English and Chinese."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wardround.core.packaged_data import read_toml
from wardround.ehr.terms.chinese import chinese, english, mentions, plain
from wardround.people.patient.answers import PatientSpeech
from wardround.people.patient.guard import MOST_SENTENCES, sentences
from wardround.people.patient.memory import Language, Level, Medication, PatientMemory
from wardround.people.patient.topics import SLOTS, topic

_ADHERENCE = "patient.get_medication_adherence"
_NAMES = 5  # drugs or diagnoses named in an answer
_LAST = {"en": " and ", "zh": "和"}
_BETWEEN = {"en": ", ", "zh": "、"}
_STATUS = {"ran_out": "ran_out", "not_taking": "self_discontinued", "taking": "good"}


class ScriptedPatient:
    """Tells what the memory holds about the question's drug or topic, and no more.

    A withheld drug is spoken of once it was asked about by name, and from then on.

    Args:
        memory: the patient's memory.
        language: the language of the answers.
        literacy: the wording; numbers are the same in each.
    """

    def __init__(self, memory: PatientMemory, language: Language, literacy: Level) -> None:
        self._memory = memory
        self._literacy = literacy
        self._language: Language = language
        self._told: set[str] = set()

    @property
    def withheld(self) -> tuple[Medication, ...]:
        """The drugs that are still withheld."""
        return tuple(each for each in self._memory.withheld if _fact(each) not in self._told)

    @property
    def feeling(self) -> str:
        """The sentence that shows the patient's anxiety."""
        text: str = self._wording("feeling")[self._memory.persona.anxiety_level]
        return text

    async def answer(self, tool: str, arguments: Mapping[str, Any]) -> PatientSpeech:
        """Answers by the drugs that the call names, else by its topic."""
        facts = dict(self._facts(tool, arguments))
        words = [text for texts in facts.values() for text in texts][: MOST_SENTENCES - 1]
        known = tuple(fact for fact in facts if fact)
        statements = tuple(words) if known else ()
        if not known:
            words = words or [self._say("unknown")]
        elif self._told.issuperset(known):
            words[0] = _joined(self._wording("repeated"), words[0], self._language)
        self._told.update(known)
        words.append(self.feeling)
        space = " " if self._language == "en" else ""
        outcome = "told" if known else "unknown"
        return PatientSpeech(space.join(words), known, outcome, statements)

    def _facts(
        self, tool: str, arguments: Mapping[str, Any]
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The facts that a call asks about, with their sentences; an unknown drug has no key."""
        question = str(arguments.get("query") or "")
        if names := _named(arguments):
            yield from self._about_drugs(names)
            return
        subject = topic(tool, question)
        match subject:
            case "medications":
                told = self._medications()
            case "diagnoses":
                names = [each.named(self._language) for each in self._memory.diagnoses]
                told = self._list("diagnoses", names)
            case "social":
                told = self._life("social_history")
            case "function":
                told = self._life("functional_status")
            case "other":
                told = ()
            case "complaint":
                told = self._complaint()
            case _:
                told = self._slot(subject)
                if subject == "severity" and tool.endswith("pain_assessment") and not question:
                    yield from ((slot, self._slot(slot)) for slot in SLOTS[:3] if self._slot(slot))
        if told:
            yield subject, told

    def _about_drugs(self, names: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        for name in names:
            drugs = [each for each in self._memory.medications if each.is_named_by(name)]
            for drug in drugs:
                yield _fact(drug), self._about(drug)
            if not drugs:
                yield "", (self._say("unknown_drug", drug=_spoken(name, self._language)),)

    def _about(self, drug: Medication) -> tuple[str, ...]:
        if own := drug.text("patient_explanation", self._language):
            return sentences(own)
        known = drug.adherence != "unknown"
        manner = drug.adherence if known else _STATUS.get(drug.current_status, "not_known")
        return (self._say(manner, drug=self._name(drug)),)

    def _medications(self) -> tuple[str, ...]:
        hidden = self.withheld
        taking = [
            self._name(each)
            for each in self._memory.medications
            if each.current_status != "not_taking" and each not in hidden
        ]
        return self._list("medications", taking) or (self._say("no_medications"),)

    def _name(self, drug: Medication) -> str:
        """A drug as it is ordered at a high literacy in English, else in the patient's words."""
        ordered = self._language == "en" and self._literacy == "high"
        return drug.drug if ordered else drug.named(self._language)

    def _complaint(self) -> tuple[str, ...]:
        first = next(iter(self._memory.symptom_log), None)
        if first is None:
            names = [each.named(self._language) for each in self._memory.diagnoses[:1]]
            return self._list("diagnoses", names)
        if own := first.text("patient_words", self._language):
            return (*sentences(own)[:2], *self._slot("onset"), *self._slot("severity"))
        return tuple(
            text for slot in ("complaint", "onset", "associated") for text in self._slot(slot)
        )

    def _slot(self, slot: str) -> tuple[str, ...]:
        """The sentences about a slot of the symptoms."""
        field = "symptom" if slot == "complaint" else slot
        values = (each.text(field, self._language) for each in self._memory.symptom_log)
        return tuple(self._say(slot, **{field: value.rstrip(".。")}) for value in values if value)

    def _life(self, field: str) -> tuple[str, ...]:
        """A text about the patient's life; one in a note's words is introduced."""
        text = self._memory.text(field, self._language)
        if text and self._language == "en" and not text.startswith(("I ", "My ")):
            text = self._wording("life").format(text=text)
        return sentences(text)

    def _list(self, wording: str, names: Iterable[str]) -> tuple[str, ...]:
        listed = [name.rstrip(".。") for name in dict.fromkeys(names) if name][:_NAMES]
        if not listed:
            return ()
        most = _BETWEEN[self._language].join(listed[:-1])
        text = _LAST[self._language].join(each for each in (most, listed[-1]) if each)
        return (self._say(wording, names=text),)

    def _say(self, name: str, **values: str) -> str:
        text: str = self._wording(name)[self._literacy].format(**values)
        return text[0].upper() + text[1:]

    def _wording(self, name: str) -> Any:
        return read_toml(__package__, "wordings.toml")[self._language][name]


def _fact(drug: Medication) -> str:
    return f"drug:{drug.generic}"


def _named(arguments: Mapping[str, Any]) -> list[str]:
    """The generic names of the drugs that a call is about; the argument `drug` goes first."""
    drug = str(arguments.get("drug") or "").strip()
    if drug:
        return [english(drug, "drug") or plain(drug)]
    found = mentions(str(arguments.get("query") or ""), "drug")
    return list(dict.fromkeys(each.english for each in found))


def _spoken(name: str, language: Language) -> str:
    return (chinese(name, "drug") or name) if language == "zh" else name


def _joined(opening: str, text: str, language: Language) -> str:
    return re.sub(r"\s+", " ", f"{opening} {text}") if language == "en" else opening + text
