"""A patient who repeats recorded answers, found by subject and arguments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from wardround.ehr.terms.chinese import english, plain
from wardround.people.patient.answers import PatientSpeech

_UNRECORDED = {
    "en": "(No answer to this question was recorded.)",
    "zh": "（没有记录对这个问题的回答。）",
}
# Arguments that say what is asked about; a question's wording does not.
_TOPICS = ("drug",)


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """An answer with the question that it was given to."""

    subject: str
    arguments: Mapping[str, Any]
    text: str


class ReplayPatient:
    """Repeats recorded answers; each is found by its subject and drug.

    Args:
        recorded: the answers, in order; of several to one question, each is said once, and then
            the last one again.
        language: the language of the session.
    """

    def __init__(self, recorded: Sequence[RecordedAnswer], language: Literal["en", "zh"]) -> None:
        self._recorded = list(recorded)
        self._language = language
        self._said: set[int] = set()

    async def answer(self, subject: str, arguments: Mapping[str, Any]) -> PatientSpeech:
        """The recorded answer to this question, or a sentence that there is none."""
        indexes = [n for n, each in enumerate(self._recorded) if _is_same(each, subject, arguments)]
        if not indexes:
            return PatientSpeech(_UNRECORDED[self._language], outcome="unrecorded")
        index = next((n for n in indexes if n not in self._said), indexes[-1])
        self._said.add(index)
        return PatientSpeech(self._recorded[index].text)


def _is_same(recorded: RecordedAnswer, subject: str, arguments: Mapping[str, Any]) -> bool:
    return recorded.subject == subject and all(
        _topic(recorded.arguments, name) == _topic(arguments, name) for name in _TOPICS
    )


def _topic(arguments: Mapping[str, Any], name: str) -> str:
    value = str(arguments.get(name) or "").strip()
    return english(value, "drug") or plain(value)
