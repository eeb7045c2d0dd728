"""A patient's answers, and the protocol of whoever gives them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class PatientSpeech:
    """A patient's answer to a question.

    Attributes:
        text: the words.
        facts: the keys of the facts that it tells.
        outcome: how it came about: `told`, `unknown`, `unrecorded`, or `fallback` where a script
            answered for a model.
        statements: the sentences that tell the facts.
        broken: the rules that a model's last try broke, of an answer by `fallback`.
    """

    text: str
    facts: tuple[str, ...] = ()
    outcome: str = "told"
    statements: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()


class Patient(Protocol):
    """The protocol of patients that answer an assistant's questions."""

    async def answer(self, subject: str, arguments: Mapping[str, Any]) -> PatientSpeech:
        """Answers a question.

        Args:
            subject: the topic: `symptom_history`, `pain_assessment`,
                `medication_adherence`, `social_history` or `functional_status`.
            arguments: the question as `query` and a drug as `drug`, each if there is one.
        """
        ...
