"""Clarifying users played by a language model, in one stage or two (Huo et al. 2025, 3.3)."""

import re
from collections.abc import Collection, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict
from pydantic.config import JsonDict

from wardround.core.errors import MalformedAnswerError
from wardround.models.messages import Message
from wardround.models.model import Model
from wardround.people.clarifying.fragments import Fragment, fragments
from wardround.people.clarifying.leak_filter import checked_answer
from wardround.people.clarifying.prompts import baseline_prompt, generator_prompt, parser_prompt
from wardround.people.clarifying.questions.text import normalized_question
from wardround.people.clarifying.secret import Answer, Choice, Labelled, Located, Refused, Secret
from wardround.people.clarifying.template_replies import refusal

# The description of a schema is part of requests: other words would make recordings stale.
_DECISION: JsonDict = {
    "description": "What the parser chooses; `number` is that of a list entry, 0 where it is "
    "forbidden."
}


class Decision(BaseModel):
    """The choice of the parser; `number` is that of a list entry, 0 where it is forbidden."""

    model_config = ConfigDict(json_schema_extra=_DECISION)

    thought: str
    action: Literal["ambiguity", "piece", "forbidden"]
    number: int = 0


class FunctionDriven:
    """A two-stage user (Huo et al. 2025, 3.3, N).

    The paper's generator is shown the whole gold. This one is shown the request and the chosen
    fragments only, with other ambiguities redacted, so it cannot leak what it has not seen; a
    refusal needs no model.

    Args:
        secret: The user's secret.
        parser: Chooses; bound at temperature 0 to the role "reader".
        generator: Speaks for the user.
    """

    def __init__(self, secret: Secret, parser: Model, generator: Model) -> None:
        self._secret = secret
        self._parser = parser
        self._generator = generator
        self._fragments = fragments(secret.gold)

    async def clarify(self, question: str, seen: Collection[str]) -> Answer:
        """Answers a question; see `Clarifier`."""
        question = normalized_question(question)
        choice = await self._choice(question)
        reply = await self._reply(choice, question)
        return checked_answer(reply, choice, question, self._secret, seen)

    async def _choice(self, question: str) -> Choice:
        """Returns the parser's choice; a refusal if it names nothing that exists."""
        prompt = parser_prompt(self._secret, self._fragments, question)
        messages = [Message("user", prompt)]
        for _ in range(TRIES):
            try:
                decision = await self._parser.structured(messages, Decision)
            except MalformedAnswerError:
                return Refused()
            choice = chosen(decision, self._secret, self._fragments)
            if choice is not None:
                return choice
            messages += _corrected(decision)
        return Refused()

    async def _reply(self, choice: Choice, question: str) -> str:
        if isinstance(choice, Refused):
            return refusal(question)
        prompt = generator_prompt(self._secret, choice, question)
        return await spoken_reply(self._generator, [Message("user", prompt)])


def chosen(decision: Decision, secret: Secret, pieces: Sequence[Fragment]) -> Choice | None:
    """Resolves a decision; None if its list has no entry of that number."""
    if decision.action == "forbidden":
        return Refused()
    index = decision.number - 1
    if decision.action == "ambiguity":
        ambiguities = secret.ambiguities[index : index + 1] if index >= 0 else ()
        return Labelled(ambiguities[0]) if ambiguities else None
    located = pieces[index : index + 1] if index >= 0 else ()
    return Located(located[0].sql) if located else None


def _corrected(decision: Decision) -> list[Message]:
    objection = f"There is no {decision.action} of number {decision.number}."
    return [
        Message("assistant", decision.model_dump_json()),
        Message("user", f"{objection} Choose again."),
    ]


class Baseline:
    """A single-pass user (Huo et al. 2025, R.2): the model sees the gold and chooses no action.

    Args:
        secret: The user's secret.
        model: Speaks for the user.
    """

    def __init__(self, secret: Secret, model: Model) -> None:
        self._secret = secret
        self._model = model

    async def clarify(self, question: str, seen: Collection[str]) -> Answer:
        """Answers a question; see `Clarifier`."""
        question = normalized_question(question)
        prompt = baseline_prompt(self._secret, question)
        reply = await spoken_reply(self._model, [Message("user", prompt)])
        return checked_answer(reply, None, question, self._secret, seen)


TRIES = 3
_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.S | re.I)
_TAGGED = re.compile(r"<s>(.*?)(?:</s>|\Z)", re.S | re.I)
_SPEAKER = re.compile(r"^\W*(?:user|answer|response|reply)\s*:\s*", re.I)


async def spoken_reply(model: Model, messages: Sequence[Message]) -> str:
    """Returns the user's reply; empty if the model gives none in three tries.

    Raises:
        InfraError: The provider failed.
    """
    for _ in range(TRIES):
        reply = await model.chat(messages)
        if text := spoken_part(reply.text):
            return text
    return ""


def spoken_part(written: str) -> str:
    """Strips thoughts, tags, quotes and the speaker's name.

    >>> spoken_part('<think>age</think> User: <s>"Older than 80."</s>')
    'Older than 80.'
    >>> spoken_part("<think>I cannot")
    ''
    """
    text = _THOUGHT.sub(" ", written)
    if tagged := _TAGGED.findall(text):
        text = next((text_part for text_part in reversed(tagged) if text_part.strip()), "")
    return re.sub(r"</?s>", " ", _SPEAKER.sub("", text.strip())).strip().strip("\"'").strip()
