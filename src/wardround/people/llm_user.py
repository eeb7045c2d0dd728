"""A user played by a language model, with optional verification of each message."""

from wardround.core.errors import InfraError
from wardround.core.trajectory import Said
from wardround.models.messages import Message
from wardround.models.model import Model
from wardround.people.person import Utterance, to_utterance
from wardround.people.transcript import transcript
from wardround.people.verification import Check, verified_message

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
