"""The simulated user that others are compared with: one prompt holds all, one reply is given."""

from collections.abc import Collection

from wardround.models.messages import Message
from wardround.models.model import Model
from wardround.people.clarifying.model import Answer, Secret
from wardround.people.clarifying.model_replies import said
from wardround.people.clarifying.prompts import baseline_prompt
from wardround.people.clarifying.question_text import heard
from wardround.people.clarifying.reply_check import checked


class Baseline:
    """A user played in one step (BIRD-Interact, R.2): the model knows the gold and chooses nothing.

    Args:
        secret: What the user knows.
        model: Speaks for the user.
    """

    def __init__(self, secret: Secret, model: Model) -> None:
        self._secret = secret
        self._model = model

    async def clarify(self, question: str, seen: Collection[str]) -> Answer:
        """The answer to one question; see `Clarifier`."""
        question = heard(question)
        prompt = baseline_prompt(self._secret, question)
        reply = await said(self._model, [Message("user", prompt)])
        return checked(reply, None, question, self._secret, seen)
