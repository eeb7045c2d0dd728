"""Asks language models for other words of a text, a translation back, and a comparison."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from wardround.authoring.assist import prompts
from wardround.authoring.assist.rewording.fidelity import Refusal, named_terms
from wardround.benchmarks.assist.sessions import Language
from wardround.core.errors import MalformedAnswerError
from wardround.core.seeds import derive_seed
from wardround.core.trajectory import Requested
from wardround.models import LanguageModel, Message
from wardround.models.model import Schema
from wardround.models.prompts import fill

WRITER, CHECKER = "writer", "checker"


# The names of the schemas and their docstrings are sent to the model: recordings are found by them.
class Wording(BaseModel):
    """A text in other words."""

    text: str


class Translation(BaseModel):
    """A text in English."""

    english: str


class Comparison(BaseModel):
    """A verdict on two versions of a text, after a list of what each has."""

    first: str
    second: str
    difference: str
    same: bool


@dataclass(frozen=True, slots=True)
class Speech:
    """The prompts of one speaker's texts.

    Attributes:
        reword: for other words, by language.
        translate: for the translation back.
        compare: for the comparison.
    """

    reword: Mapping[Language, str]
    translate: str
    compare: str


QUESTION = Speech({"en": "reword_en.md", "zh": "reword_zh.md"}, "translate.md", "compare.md")
ANSWER = Speech(
    {"en": "patient_en.md", "zh": "patient_zh.md"}, "translate_answer.md", "compare_answer.md"
)


@dataclass(frozen=True, slots=True)
class Request:
    """A request for other words of a text.

    Attributes:
        name: the session and the text, for the seed.
        language: the language of the text.
        old: the text of the rules by language; the other language has its twin.
        manner: how the speaker talks; "" for any way.
    """

    name: str
    language: Language
    old: Mapping[Language, str]
    manner: str = ""


@dataclass(frozen=True, slots=True)
class Rewriter:
    """The models that reword texts; a malformed answer is None.

    Attributes:
        writer: the model that writes wordings and translates them back.
        checker: the model that compares versions of a text.
        seed: the seed of the requests.
        record: called with each request.
    """

    writer: LanguageModel
    checker: LanguageModel
    seed: int
    record: Callable[[Requested], None]

    async def wording(
        self, request: Request, speech: Speech, refused: Sequence[Refusal] = ()
    ) -> str | None:
        """A text in other words, without blanks around it.

        Args:
            request: the text and what it must keep.
            speech: the prompts of its speaker.
            refused: the reasons why earlier wordings were refused.
        """
        text = request.old[request.language]
        lines = [f"Text: {text}"]
        if named := named_terms(text):
            lines.append(f"Names to keep: {', '.join(named)}")
        if request.manner:
            lines.append(f"Manner: {request.manner}")
        for reason, words in dict.fromkeys(refused):
            lines.append(f"Refused before: {reason}{f' ({words})' if words else ''}.")
        name, prompt = f"{request.name} {len(refused)}", speech.reword[request.language]
        answer = await self._asked(name, self.writer, WRITER, prompt, lines, Wording)
        return " ".join(answer.text.split()) if answer else None

    async def english(self, name: str, chinese: str, speech: Speech) -> str | None:
        """A Chinese text translated back, without sight of the English one."""
        lines = [f"Chinese: {chinese}"]
        if named := named_terms(chinese):
            lines.append(f"Names: {', '.join(f'{zh} = {en}' for zh, en in named.items())}")
        answer = await self._asked(name, self.writer, WRITER, speech.translate, lines, Translation)
        return answer.english.strip() if answer else None

    async def same(self, name: str, versions: Sequence[str], speech: Speech) -> bool | None:
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
