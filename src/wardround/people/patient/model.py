"""A patient played by a language model, shown only what may be told, and guarded."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from wardround.core.packaged_data import read_toml
from wardround.models.messages import Message
from wardround.models.model import Model
from wardround.people.patient.answers import PatientSpeech
from wardround.people.patient.guard import faults
from wardround.people.patient.memory import Language, Level, PatientMemory
from wardround.people.patient.scripted import ScriptedPatient

TRIES = 3
FALLBACK = "fallback"
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class ModelPatient:
    """Rewords the scripted patient's facts; a withheld fact is not in any request before its time.

    An answer that breaks a rule is requested again; after the last try the scripted answer is
    given, with the outcome `fallback`.

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

    async def answer(self, tool: str, arguments: Mapping[str, Any]) -> PatientSpeech:
        """Answers a call of a patient tool.

        Raises:
            InfraError: the provider failed.
        """
        plan = await self._script.answer(tool, arguments)
        question = Message("user", self._question(tool, arguments))
        messages = [Message("system", self._system(plan)), *self._talk, question]
        text = await self._spoken(messages, plan)
        speech = PatientSpeech(text, plan.facts, plan.outcome) if text else _fallback(plan)
        self._talk += [question, Message("assistant", speech.text)]
        return speech

    async def _spoken(self, messages: list[Message], plan: PatientSpeech) -> str:
        """The model's answer; empty if every try broke a rule."""
        for _ in range(TRIES):
            text = (await self._model.chat(messages)).text.strip()
            rules = list(self._faults(text, plan))
            if not rules:
                return text
            again = self._wording("again").format(rules=" ".join(rules))
            messages = [*messages, Message("assistant", text or "-"), Message("user", again)]
        return ""

    def _faults(self, text: str, plan: PatientSpeech) -> Iterator[str]:
        yield from faults(text, self._language, self._script.withheld)
        earlier = " ".join(message.text for message in self._talk)
        known = {*_NUMBER.findall(plan.text), *_NUMBER.findall(earlier)}
        if set(_NUMBER.findall(text)) - known:
            yield "Use no other numbers." if self._language == "en" else "不要用别的数字。"

    def _system(self, plan: PatientSpeech) -> str:
        wording = self._wording
        facts = f"- {plan.text}" if plan.facts else wording("nothing")
        literacy = wording("literacy")[self._literacy]
        anxiety = wording("anxiety")[self._memory.persona.anxiety_level]
        text: str = wording("system").format(facts=facts, literacy=literacy, anxiety=anxiety)
        return text

    def _question(self, tool: str, arguments: Mapping[str, Any]) -> str:
        drug, query = (str(arguments.get(name) or "").strip() for name in ("drug", "query"))
        if drug:
            asked: str = self._wording("drug").format(drug=drug)
            return f"{asked} {query}".strip()
        return query or self._wording("question")[tool.removeprefix("patient.get_")]

    def _wording(self, name: str) -> Any:
        return read_toml(__package__, "prompts.toml")[self._language][name]


def _fallback(plan: PatientSpeech) -> PatientSpeech:
    return PatientSpeech(plan.text, plan.facts, FALLBACK)
