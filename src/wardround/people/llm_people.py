"""People played by a language model: the user, and the validator that judges it."""

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict

from wardround.core.capabilities import Validation
from wardround.core.errors import InfraError, MalformedAnswerError
from wardround.core.trajectory import Event, Noted, Said
from wardround.models.messages import Message
from wardround.models.model import Model
from wardround.people.person import Utterance, to_utterance
from wardround.people.verification import Check, Note, verified_message


def transcript(events: Iterable[Event], speakers: Iterable[str] = ("user", "agent")) -> str:
    """Formats the speakers' messages, a paragraph each.

    Tool calls are left out: a person does not see them, so they must not affect the verdict on
    what the person said.

    >>> print(transcript([Said("user", "How many?"), Said("agent", "Twelve.")]))
    User: How many?
    <BLANKLINE>
    Agent: Twelve.
    """
    included = set(speakers)
    messages = (event for event in events if isinstance(event, Said) and event.speaker in included)
    return "\n\n".join(f"{event.speaker.capitalize()}: {event.text}" for event in messages)


GREETING = "Hello, what are you looking for?"
TRIES = 3


class LLMUser:
    """A simulated user (Lee et al. 2025, A.3).

    Args:
        model: speaks for the user, bound to the role "user"; the paper samples at temperature 1.
        system: the system prompt, with the instruction and the rules filled in.
        check: how messages are verified before they are sent; None sends them unverified.
    """

    def __init__(self, model: Model, system: str, check: Check | None = None) -> None:
        self._model = model
        self._check = check
        # Providers expect a first message from the other side; the agent never sent the greeting,
        # so the verifier does not see it.
        self._messages = [Message("system", system), Message("user", GREETING)]
        self._talk: list[Said] = []

    async def open(self) -> Utterance:
        """Returns the first message.

        Raises:
            InfraError: the provider failed, or the model keeps writing nothing.
        """
        return await self._speak()

    async def reply(self, message: str) -> Utterance:
        """Returns the reply to a message of the agent.

        Raises:
            InfraError: the provider failed, or the model keeps writing nothing.
        """
        self._messages.append(Message("user", message))
        self._talk.append(Said("agent", message))
        return await self._speak()

    async def _speak(self) -> Utterance:
        text = await self._candidate()
        if self._check is not None:
            text = await verified_message(transcript(self._talk), text, self._check)
        self._messages.append(Message("assistant", text))
        self._talk.append(Said("user", text))
        return to_utterance(text)

    async def _candidate(self) -> str:
        """Asks for a message until it is not empty, since agents cannot be sent an empty one."""
        for _ in range(TRIES):
            reply = await self._model.chat(self._messages)
            if text := reply.text.strip():
                return text
        raise InfraError(f"The user's model {self._model.name} wrote nothing {TRIES} times over.")


class Finding(BaseModel):
    """The validator's answer; `broken_rule` and `evidence` are empty when there is no error."""

    model_config = ConfigDict(defer_build=True)

    explanation: str
    broken_rule: str
    evidence: str
    result: Literal["user_error", "no_error"]


async def validate(model: Model, prompt: str, note: Note) -> Validation:
    """Judges a finished conversation.

    Args:
        model: the judge, bound at temperature 0 to the role "validator".
        prompt: the rules, the conversation, the gold and the criteria.
        note: records the finding in full, with its evidence.

    Returns:
        "valid", "user_error" with the reason and the rule, or "undecided" if the model gives no
        valid finding even after repairs.

    Raises:
        InfraError: the provider failed.
    """
    try:
        finding = await model.structured([Message("user", prompt)], Finding)
    except MalformedAnswerError as error:
        return Validation("undecided", f"the validator gave no valid finding: {error}")
    note(Noted("validation", finding.model_dump()))
    if finding.result == "no_error":
        return Validation("valid", finding.explanation)
    return Validation("user_error", _lesson(finding))


def _lesson(finding: Finding) -> str:
    if not finding.broken_rule:
        return finding.explanation
    return f"{finding.explanation} Broken rule: {finding.broken_rule}"
