"""A deterministic patient who answers from a memory, in English and Chinese."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any

from wardround.core.packaged_data import read_toml
from wardround.ehr.terms.chinese import chinese, english
from wardround.ehr.terms.classes import is_swallowed
from wardround.ehr.terms.diagnoses import lay_names
from wardround.ehr.text import segments
from wardround.ehr.text.language import Language
from wardround.ehr.text.mentions import mentions
from wardround.people.patient.answers import PatientSpeech
from wardround.people.patient.guard import LEAST_SENTENCES, MOST_SENTENCES
from wardround.people.patient.life import life
from wardround.people.patient.memory import Level, Medication, PatientMemory, Symptom
from wardround.people.patient.named_terms import (
    SLOTS,
    TOPICS_OF,
    Topic,
    named_diagnoses,
    named_drugs,
    topics,
)

_ABBREVIATION = 5  # letters of a lay name that may be an abbreviation, such as "cad"
_NAMES = 5  # drugs or diagnoses named in an answer
_LAST = {"en": " and ", "zh": "和"}
_BETWEEN = {"en": ", ", "zh": "、"}
_LETTER = ("You ", "Your ")
# A Chinese word between marks, after "I" or not, and a severity in points.
_CHINESE_WORD = re.compile(r"(?:(?<![\u4e00-\u9fff])|(?<=我))(?!我)[\u4e00-\u9fff]+")
_POINTS = re.compile(r"(\d+) out of (\d+)")
_LIFE = {"social": "social_history", "function": "functional_status"}
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
        self._pending: dict[Topic, list[str]] = {}
        self._has_shown_feeling = False

    @property
    def withheld(self) -> tuple[Medication, ...]:
        """The drugs that are still withheld."""
        return tuple(each for each in self._memory.withheld if _fact(each) not in self._told)

    @property
    def feeling(self) -> str:
        """The sentence that shows the patient's anxiety."""
        text: str = self._wording("feeling")[self._memory.persona.anxiety_level]
        return text

    @property
    def _is_anxious(self) -> bool:
        """True for a patient who worries and has not said so yet."""
        anxiety = self._memory.persona.anxiety_level
        return anxiety == "high" and not self._has_shown_feeling

    async def answer(self, subject: str, arguments: Mapping[str, Any]) -> PatientSpeech:
        """Answers by the drugs that are named, else by the topic, or goes on with a list."""
        return self.speak(subject, arguments)

    def speak(self, subject: str, arguments: Mapping[str, Any]) -> PatientSpeech:
        """The answer, which needs nobody else."""
        facts = dict(self._facts(subject, arguments))
        answers = [(fact, text) for fact, texts in facts.items() for text in texts]
        answers = answers[: MOST_SENTENCES - 1]
        words = [text for _, text in answers]
        statements = tuple(text for fact, text in answers if fact)
        known = tuple(dict.fromkeys(fact for fact, _ in answers if fact))
        if not known:
            words = words or [self._say("unknown")]
        elif self._told.issuperset(known):
            words[0] = _joined(self._wording("repeated"), words[0], self._language)
        self._told.update(known)
        if self._pending:
            words.append(self._say("more"))
        elif len(words) < LEAST_SENTENCES or self._is_anxious:
            words.append(self.feeling)
            self._has_shown_feeling = True
        space = " " if self._language == "en" else ""
        outcome = "told" if known else "unknown"
        return PatientSpeech(space.join(words), known, outcome, statements)

    def _facts(
        self, subject: str, arguments: Mapping[str, Any]
    ) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The facts that are asked about, with their sentences; an unknown drug has no key."""
        question = str(arguments.get("query") or "")
        pending, self._pending = self._pending, {}
        named = named_drugs(arguments, self._memory)
        if named.unclear:
            yield "", (self._say("which_drug"),)
            yield "medications", self._medications()
        if named.drugs and self._lives_with(named.drugs):
            yield from self._about_topic("social", subject, question).items()
            return
        if named.drugs or named.unclear:
            yield from self._about_drugs(named.drugs)
            return
        asked = topics(subject, question, going_on=bool(pending))
        if asked == ("more",) or (pending and asked[0] in pending):
            [(topic, names)] = pending.items()
            yield f"{topic} from {names[0]}", self._list(topic, names)
            return
        if "diagnoses" in TOPICS_OF[subject] and named_diagnoses(question, self._memory):
            asked = tuple(dict.fromkeys(("diagnoses", *asked)))
        for topic in asked:
            yield from self._about_topic(topic, subject, question).items()
            if self._pending:
                return

    def _lives_with(self, drugs: Collection[str]) -> bool:
        """True if the social history names these drugs, such as cocaine, and none is a medicine."""
        if any(each.is_named_by(name) for name in drugs for each in self._memory.medications):
            return False
        social = {each.name for each in mentions(self._memory.social_history, "drug")}
        return social.issuperset(drugs)

    def _about_topic(self, topic: Topic, subject: str, question: str) -> dict[str, tuple[str, ...]]:
        """The sentences about a topic by fact; empty if the memory has nothing of it."""
        match topic:
            case "medications":
                sentences = self._medications()
            case "diagnoses":
                sentences = self._diagnoses(question)
            case "social" | "function":
                sentences = life(self._memory, _LIFE[topic], self._language, self._literacy)
            case "other" | "more":
                sentences = ()
            case "complaint":
                sentences = self._complaint()
            case _:
                sentences = self._slot(topic)
                if topic == "severity" and subject == "pain_assessment" and not question:
                    slots = {slot: self._slot(slot) for slot in (*SLOTS[:3], topic)}
                    return {slot: texts for slot, texts in slots.items() if texts}
        return {topic: sentences} if sentences else {}

    def _about_drugs(self, names: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        for name in names:
            drugs = [each for each in self._memory.medications if each.is_named_by(name)]
            for drug in drugs:
                yield _fact(drug), self._about(drug)
            if not drugs:
                yield "", (self._say("unknown_drug", drug=_spoken(name, self._language)),)

    def _about(self, drug: Medication) -> tuple[str, ...]:
        if explanation := drug.text("patient_explanation", self._language):
            return tuple(
                segments.texts(explanation, segments.sentences(explanation, self._language))
            )
        is_known = drug.adherence != "unknown"
        manner = drug.adherence if is_known else _STATUS.get(drug.current_status, "not_known")
        verbs = self._verbs(drug.generic)
        adherence = self._say(manner, drug=self._name(drug), **verbs)
        purpose = self._purpose(drug)
        because = self._because(drug, verbs)
        reason = (self._say("because", reason=because),) if because else ()
        bought = [_spoken(drug.taken_with, self._language)] if drug.taken_with else []
        return adherence, *reason, *purpose, *(self._say("bought", drug=name) for name in bought)

    def _purpose(self, drug: Medication) -> tuple[str, ...]:
        """The sentence on what a drug is for, in words for the condition that people use."""
        condition = english(drug.indication, "diagnosis")
        if not condition:
            return ()
        if self._language == "zh":
            spoken = _spoken_chinese()["purposes"].get(condition, {}).get(self._literacy)
            return (spoken or self._say("purpose", condition=self._chinese_condition(condition)),)
        if self._literacy == "high":
            condition = read_toml(__package__, "wordings.toml")["counted"].get(condition, condition)
            return (self._say("purpose", condition=condition),)
        names = lay_names(condition)
        words = next((name for name in names if len(name) > _ABBREVIATION), condition)
        return (self._say("purpose", condition=words),)

    def _chinese_condition(self, condition: str) -> str:
        """The Chinese words for a condition; few patients say all names as physicians do."""
        lay = None if self._literacy == "high" else _spoken_chinese()["conditions"].get(condition)
        return lay or chinese(condition, "diagnosis") or condition

    def _verbs(self, drug: str) -> dict[str, str]:
        """The Chinese verbs for taking a drug and for missing it."""
        table, taken = _spoken_chinese(), "swallowed" if is_swallowed(drug) else "applied"
        names = {"take": taken, "miss": f"{taken}_missed"}
        return {verb: str(table[name][self._literacy]) for verb, name in names.items()}

    def _because(self, drug: Medication, verbs: Mapping[str, str]) -> str:
        """The reason why a drug is not taken, in Chinese as the patient says it."""
        spoken = _spoken_chinese()["reasons"].get(drug.untaken_because)
        if self._language == "zh" and spoken:
            return str(spoken[self._literacy].format(**verbs))
        return drug.text("untaken_because", self._language)

    def _plain_words(self, text: str) -> str:
        """A text with the Chinese words of patients for those of physicians.

        Only a word that stands between marks is one: 胸痛 is, 劳力性胸痛 is another.
        """
        spoken = _spoken_chinese()["words"]

        def said(word: re.Match[str]) -> str:
            return str(spoken[word[0]][self._literacy]) if word[0] in spoken else word[0]

        return _CHINESE_WORD.sub(said, text)

    def _severity(self, symptom: Symptom) -> str:
        """The sentence on a severity in points, as people say it in Chinese; "" for another."""
        points = _POINTS.fullmatch(symptom.severity) if self._language == "zh" else None
        text = _spoken_chinese()["out_of"][self._literacy]
        return f"{text.format(points=points[1], most=points[2])}。" if points else ""

    def _medications(self) -> tuple[str, ...]:
        """The drugs that are taken, and how, where all are taken alike."""
        hidden = self.withheld
        taking = [
            each
            for each in self._memory.medications
            if each.current_status != "not_taking" and each not in hidden
        ]
        listed = self._list("medications", map(self._name, taking))
        manners = {each.adherence for each in taking} - {"unknown"}
        if len(manners) != 1:
            return listed or (self._say("no_medications"),)
        all_drugs = self._wording("all_drugs")
        return (*listed, self._say(*manners, drug=all_drugs, **self._verbs(all_drugs)))

    def _name(self, drug: Medication) -> str:
        """A drug as people say it: at a high literacy in English by its generic name."""
        is_exact = self._language == "en" and self._literacy == "high"
        return drug.generic if is_exact else drug.named(self._language)

    def _complaint(self) -> tuple[str, ...]:
        first = next(iter(self._memory.symptom_log), None)
        if first is None:
            main = self._diagnoses()[:1]
            self._pending = {}
            return main
        if words := first.text("patient_words", self._language):
            complaint = segments.texts(words, segments.sentences(words, self._language)[:2])
            complaint = [self._plain_words(text) for text in complaint]
            further = ("onset", "severity", "associated")
            return (*complaint, *(text for slot in further for text in self._slot(slot)))
        return tuple(
            text for slot in ("complaint", "onset", "associated") for text in self._slot(slot)
        )

    def _slot(self, slot: str) -> tuple[str, ...]:
        """The sentences about a slot of the symptoms."""
        field = "symptom" if slot == "complaint" else slot
        known = [each for each in self._memory.symptom_log if each.text(field, self._language)]
        told = (self._plain_words(each.text(field, self._language).rstrip(".。")) for each in known)
        sentences = (self._say(slot, **{field: value}) for value in told)
        rated = map(self._severity, known) if slot == "severity" else repeat("")
        return tuple(own or usual for own, usual in zip(rated, sentences, strict=False))

    def _diagnoses(self, question: str = "") -> tuple[str, ...]:
        """The diagnoses; one in the words of a letter is said as the letter says it.

        Diagnoses that the question names come first.
        """
        asked = named_diagnoses(question, self._memory)
        first = sorted(self._memory.diagnoses, key=lambda each: each not in asked)
        names = [each.named(self._language) for each in first]
        letter = [_as_told(name) for name in names if name.startswith(_LETTER)]
        return (
            *letter[:1],
            *self._list("diagnoses", (n for n in names if not n.startswith(_LETTER))),
        )

    def _list(self, wording: Topic, names: Iterable[str]) -> tuple[str, ...]:
        """The first names of a list; the others wait until the patient is asked to go on."""
        unique = [name.rstrip(".。") for name in dict.fromkeys(names) if name]
        listed, rest = unique[:_NAMES], unique[_NAMES:]
        if not listed:
            return ()
        if rest:
            self._pending = {wording: rest}
        most = _BETWEEN[self._language].join(listed[:-1])
        text = _LAST[self._language].join(each for each in (most, listed[-1]) if each)
        return (self._say(wording, names=text),)

    def _say(self, name: str, **values: str) -> str:
        text: str = self._wording(name)[self._literacy].format(**values)
        return text[0].upper() + text[1:]

    def _wording(self, name: str) -> Any:
        return read_toml(__package__, "wordings.toml")[self._language][name]


def _spoken_chinese() -> Mapping[str, Any]:
    return read_toml(__package__, "spoken_chinese.toml")


def _fact(drug: Medication) -> str:
    return f"drug:{drug.generic}"


def _as_told(letter: str) -> str:
    """A sentence of a letter to the patient in the patient's mouth."""
    return (
        re.sub(r"\byour\b", "my", re.sub(r"^You were", "I was", letter))
        .replace("You ", "I ", 1)
        .replace("Your ", "My ", 1)
    )


def _spoken(name: str, language: Language) -> str:
    return (chinese(name, "drug") or name) if language == "zh" else name


def _joined(opening: str, text: str, language: Language) -> str:
    return re.sub(r"\s+", " ", f"{opening} {text}") if language == "en" else opening + text
