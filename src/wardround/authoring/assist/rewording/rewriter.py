"""Asks language models for other words of a question, a translation back, and a comparison."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from wardround.authoring.assist import prompts
from wardround.benchmarks.assist.sessions import LANGUAGES, Language, Literacy
from wardround.core.errors import MalformedAnswerError
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Requested
from wardround.models import LanguageModel, Message
from wardround.models.model import Schema
from wardround.models.prompts import fill

WRITER, CHECKER = "writer", "checker"
_NAMES: Mapping[Language, str] = {"en": "English", "zh": "Chinese"}


# The names of the schemas and their docstrings are sent to the model: recordings are found by them.
class Both(BaseModel):
    """A question in both languages."""

    en: str
    zh: str

    def texts(self) -> dict[Language, str]:
        """The question by language, without blanks around it."""
        return {"en": " ".join(self.en.split()), "zh": self.zh.strip()}


class FirstWording(BaseModel):
    """An explicit question in other words."""

    explicit: Both


class TwinWording(BaseModel):
    """An explicit question and its implicit twin in other words."""

    explicit: Both
    implicit: Both


class PatientWording(BaseModel):
    """A patient's answer in other words, for three levels of health literacy."""

    high: Both
    medium: Both
    low: Both

    def texts(self) -> dict[Language, dict[Literacy, str]]:
        """The answer by language and literacy."""
        levels: dict[Literacy, dict[Language, str]] = {
            "high": self.high.texts(),
            "medium": self.medium.texts(),
            "low": self.low.texts(),
        }
        return {each: {level: levels[level][each] for level in levels} for each in LANGUAGES}


class Translation(BaseModel):
    """A question in English."""

    english: str


class Comparison(BaseModel):
    """A verdict on versions of a question."""

    same: bool


@dataclass(frozen=True, slots=True)
class Speech:
    """The prompts of one speaker's texts: for their translation back and their comparison."""

    translate: str
    compare: str


QUESTION = Speech("translate.md", "compare.md")
ANSWER = Speech("translate_answer.md", "compare_answer.md")


@dataclass(frozen=True, slots=True)
class Rewriter:
    """The models that reword questions and answers; a malformed answer is None.

    Attributes:
        writer: the model that writes wordings and translates them back.
        checker: the model that compares versions of a question.
        seed: the seed of the requests.
        record: called with each request.
    """

    writer: LanguageModel
    checker: LanguageModel
    seed: int
    record: Callable[[Requested], None]

    async def wording(
        self,
        name: str,
        explicit: Mapping[Language, str],
        implicit: Mapping[Language, str] | None,
        hidden: Sequence[str],
        refusal: str = "",
    ) -> FirstWording | TwinWording | None:
        """A question, and its implicit twin if it has one, in other words.

        Args:
            name: the session and turn, for the seed.
            explicit: the explicit question.
            implicit: the implicit question; None in the first turn.
            hidden: the names that the implicit question leaves out.
            refusal: the reason why the last wording was refused; "" for the first.
        """
        lines = [f"Explicit, {_NAMES[each]}: {explicit[each]}" for each in LANGUAGES]
        lines += [f"Implicit, {_NAMES[each]}: {implicit[each]}" for each in LANGUAGES if implicit]
        if hidden:
            lines.append(f"The implicit question must not name: {', '.join(hidden)}")
        lines += _refused(refusal)
        schema: type[FirstWording | TwinWording] = TwinWording if implicit else FirstWording
        return await self._asked(name, self.writer, WRITER, "reword.md", lines, schema)

    async def patient_wording(
        self, name: str, answer: Mapping[Language, Mapping[Literacy, str]], refusal: str = ""
    ) -> PatientWording | None:
        """A patient's answer in other words, for each level of health literacy.

        Args:
            name: the session and call, for the seed.
            answer: the answer by language and literacy.
            refusal: the reason why the last wording was refused; "" for the first.
        """
        lines = [
            f"{literacy}, {_NAMES[language]}: {text}"
            for language in LANGUAGES
            for literacy, text in answer[language].items()
        ]
        lines += _refused(refusal)
        return await self._asked(name, self.writer, WRITER, "patient.md", lines, PatientWording)

    async def english(self, name: str, chinese: str, speech: Speech = QUESTION) -> str | None:
        """A Chinese text translated back, without sight of the English one."""
        lines = [f"Chinese: {chinese}"]
        answer = await self._asked(name, self.writer, WRITER, speech.translate, lines, Translation)
        return answer.english.strip() if answer else None

    async def same(
        self, name: str, versions: Sequence[str], speech: Speech = QUESTION
    ) -> bool | None:
        """True if versions of a text say the same."""
        lines = [f"Version {number}: {text}" for number, text in enumerate(versions, start=1)]
        answer = await self._asked(name, self.checker, CHECKER, speech.compare, lines, Comparison)
        return answer.same if answer else None

    async def _asked(
        self,
        name: str,
        model: LanguageModel,
        role: str,
        prompt: str,
        lines: Sequence[str],
        schema: type[Schema],
    ) -> Schema | None:
        text = "\n".join(lines)
        bound = model.bind(role, self.record, derive_seed(self.seed, name, prompt, text))
        messages = [Message("system", fill(prompts.__name__, prompt)), Message("user", text)]
        try:
            return await bound.structured(messages, schema)
        except MalformedAnswerError:
            return None


def _refused(refusal: str) -> list[str]:
    """The line that tells a writer why its last wording was refused."""
    return [f"Your last wording was refused: {refusal}."] if refusal else []
