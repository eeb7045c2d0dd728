"""A user played by a language model, each of whose messages may be verified before it is said."""

from wardround.core.errors import InfraError
from wardround.core.trajectory import Said
from wardround.models.messages import Message
from wardround.models.model import Model
from wardround.people.end_token import utter
from wardround.people.person import Utterance
from wardround.people.transcript import transcript
from wardround.people.verification import Check, verified

GREETING = "Hello, what are you looking for?"
TRIES = 3


class LLMUser:
    """A simulated user (paper, A.3).

    Args:
        model: speaks for the user, bound to the role "user"; the paper samples at temperature 1.
        system: the system prompt, with the instruction and the rules filled in.
        check: how messages are verified before they are said; None lets each one through.
    """

    def __init__(self, model: Model, system: str, check: Check | None = None) -> None:
        self._model = model
        self._check = check
        # Providers want somebody else to speak first; the agent never said the greeting,
        # so it is no part of the talk that the verifier sees.
        self._messages = [Message("system", system), Message("user", GREETING)]
        self._talk: list[Said] = []

    async def open(self) -> Utterance:
        """The first thing the user says.

        Raises:
            InfraError: the provider failed, or the model keeps writing nothing.
        """
        return await self._speak()

    async def reply(self, said: str) -> Utterance:
        """What the user answers to what the agent just said.

        Raises:
            InfraError: the provider failed, or the model keeps writing nothing.
        """
        self._messages.append(Message("user", said))
        self._talk.append(Said("agent", said))
        return await self._speak()

    async def _speak(self) -> Utterance:
        text = await self._candidate()
        if self._check is not None:
            text = await verified(transcript(self._talk), text, self._check)
        self._messages.append(Message("assistant", text))
        self._talk.append(Said("user", text))
        return utter(text)

    async def _candidate(self) -> str:
        """A message that is not empty: agents cannot be sent an empty one."""
        for _ in range(TRIES):
            reply = await self._model.chat(self._messages)
            if text := reply.text.strip():
                return text
        raise InfraError(f"The user's model {self._model.name} wrote nothing {TRIES} times over.")
