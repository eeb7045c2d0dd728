"""A patient played by a language model, shown only what may be told, and guarded."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from rapidfuzz import fuzz

from wardround.core.packaged_data import read_toml
from wardround.ehr.terms.chinese import plain
from wardround.ehr.text.cues import negations
from wardround.ehr.text.language import Language
from wardround.ehr.text.mentions import mentions
from wardround.ehr.text.segments import sentences, texts
from wardround.models.messages import Message
from wardround.models.model import Model
from wardround.people.patient.answers import PatientSpeech
from wardround.people.patient.guard import Rule, broken_rules
from wardround.people.patient.memory import Level, PatientMemory
from wardround.people.patient.scripted import ScriptedPatient
from wardround.people.patient.support import (
    Facts,
    hints,
    speaks_as_machine,
    tellable,
    unsupported,
)

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_WORD, _HAN = re.compile(r"[a-z]{4,}"), re.compile(r"[\u4e00-\u9fff]+")
_SHARE = 0.5  # of a statement's words, to be found again
_SAME_WORD = 75  # similarity of two forms of a word, of 100

TRIES = 3
FALLBACK = "fallback"


class ModelPatient:
    """Rewords the scripted patient's facts; a withheld fact is not in any request before its time.

    An answer that breaks a rule is requested again: it must be in the session's language and 2 to 5
    sentences long, hold the facts, and name no withheld drug and no other numbers or drugs. No
    clause of it may state what the memory lacks, hint at something untold, or speak as a program.
    After the last try the script answers, with the outcome `fallback` and the broken rules.

    Args:
        model: speaks for the patient, bound to the role "patient".
        memory: the patient's memory.
        language: the language of the answers.
        literacy: the patient's health literacy.
    """

    def __init__(
        self, model: Model, memory: PatientMemory, language: Language, literacy: Level
    ) -> None:
        self._model = model
        self._memory = memory
        self._language: Language = language
        self._literacy = literacy
        self._script = ScriptedPatient(memory, language, literacy)
        self._talk: list[Message] = []

    async def answer(self, subject: str, arguments: Mapping[str, Any]) -> PatientSpeech:
        """Answers a question.

        Raises:
            InfraError: the provider failed.
        """
        plan = await self._script.answer(subject, arguments)
        question = Message("user", self._question(subject, arguments))
        known = " ".join(
            [question.text, *(message.text for message in self._talk), *self._grounds(plan)]
        )
        messages = [Message("system", self._system(plan)), *self._talk, question]
        speech = await self._spoken(messages, plan, known, question.text)
        self._talk += [question, Message("assistant", speech.text)]
        return speech

    async def _spoken(
        self, messages: list[Message], plan: PatientSpeech, known: str, question: str
    ) -> PatientSpeech:
        """The model's answer, or the script's if every try broke a rule."""
        broken: tuple[Rule, ...] = ()
        for _ in range(TRIES):
            text = self._completed((await self._model.chat(messages)).text.strip())
            broken = (*self._broken(text, plan, known), *self._beyond(text, plan, question))
            if not broken:
                return replace(plan, text=text)
            rules = " ".join(self._wording("rules")[rule] for rule in broken)
            again = self._wording("again").format(rules=rules)
            messages = [*messages, Message("assistant", text or "-"), Message("user", again)]
        return replace(plan, outcome=FALLBACK, broken=broken)

    def _completed(self, text: str) -> str:
        """A text of a single sentence with the patient's feeling, so that it is long enough."""
        if len(sentences(text, self._language)) != 1:
            return text
        return f"{text}{' ' if self._language == 'en' else ''}{self._script.feeling}"

    def _broken(self, text: str, plan: PatientSpeech, known: str) -> Iterator[Rule]:
        yield from broken_rules(text, self._language, self._script.withheld)
        if not set(numbers(text)) <= set(numbers(known)):
            yield "number"
        if not drugs(text) <= drugs(known):
            yield "drug"
        if not self._holds(text, plan):
            yield "fact"

    def _beyond(self, text: str, plan: PatientSpeech, question: str) -> Iterator[Rule]:
        """The rules on what an answer must not say beside the facts."""
        facts = Facts(" | ".join(self._grounds(plan)), self._language)
        if next(unsupported(text, facts, question), None):
            yield "invented"
        if hints(text, facts):
            yield "hint"
        if speaks_as_machine(text, facts):
            yield "machine"

    def _grounds(self, plan: PatientSpeech) -> list[str]:
        """The texts that an answer may rest on."""
        tellable_facts = tellable(self._memory, self._script.withheld, self._language)
        return [plan.text, *plan.statements, *tellable_facts]

    def _holds(self, text: str, plan: PatientSpeech) -> bool:
        """True if a text tells the plan's facts, or denies knowledge where it has none."""
        if not plan.statements:
            return denies(text, self._language)
        return all(holds(text, statement, self._language) for statement in plan.statements)

    def _system(self, plan: PatientSpeech) -> str:
        wording = self._wording
        facts = "\n".join(f"- {each}" for each in plan.statements) or wording("nothing")
        literacy = wording("literacy")[self._literacy]
        anxiety = wording("anxiety")[self._memory.persona.anxiety_level]
        text: str = wording("system").format(facts=facts, literacy=literacy, anxiety=anxiety)
        return text

    def _question(self, subject: str, arguments: Mapping[str, Any]) -> str:
        drug, query = (str(arguments.get(name) or "").strip() for name in ("drug", "query"))
        if drug:
            asked: str = self._wording("drug").format(drug=drug)
            return f"{asked} {query}".strip()
        return query or self._wording("question")[subject]

    def _wording(self, name: str) -> Any:
        return read_toml(__package__, "prompts.toml")[self._language][name]


def holds(text: str, statement: str, language: Language) -> bool:
    """True if a text tells what a statement tells.

    It does if it has the statement's numbers and drugs, at least half of its words, and denies
    something where the statement does. The check is strict: a free rewording can fail it.

    >>> holds("The pain started 2 days ago.", "It started 2 days ago, with pain.", "en")
    True
    >>> holds("The pain never started.", "It started 2 days ago, with pain.", "en")
    False
    """
    if not set(numbers(statement)) <= set(numbers(text)) or not drugs(statement) <= drugs(text):
        return False
    units = _units(statement, language)
    parts = texts(text, sentences(text, language))
    near = [part for part in parts if _occurring(units, part, language)]
    near_text = " ".join(near)
    share = len(_occurring(units, near_text, language)) >= _SHARE * len(units)
    return share and denies(near_text, language) == denies(statement, language)


def denies(text: str, language: Language) -> bool:
    """True if a text has a negation.

    >>> denies("I don't know.", "en"), denies("不知道。", "zh"), denies("I know.", "en")
    (True, True, False)
    """
    return bool(negations(text, language))


def numbers(text: str) -> list[str]:
    """The numbers of a text, as written in digits."""
    return _NUMBER.findall(text)


def drugs(text: str) -> set[str]:
    """The generic names of the drugs that a text names, in either language."""
    return {mention.name for mention in mentions(text, "drug")}


def _units(text: str, language: Language) -> list[str]:
    """The numbers and content words of a text; of a Chinese one, its pairs of letters."""
    return list(dict.fromkeys([*numbers(text), *_pieces(text, language)]))


def _pieces(text: str, language: Language) -> Iterator[str]:
    if language == "en":
        yield from _WORD.findall(plain(text))
        return
    for run in _HAN.findall(text):
        yield from (run[at : at + 2] for at in range(len(run) - 1))


def _occurring(units: Iterable[str], text: str, language: Language) -> list[str]:
    """The units that occur in a text, in any form of the word."""
    if language == "zh":
        return [unit for unit in units if unit in text]
    words = _units(text, "en")
    return [unit for unit in units if any(fuzz.ratio(unit, word) >= _SAME_WORD for word in words)]
