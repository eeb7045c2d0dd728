"""The baseline user: a single prompt with the whole gold, a single reply."""

from collections.abc import Collection

from wardround.models.messages import Message
from wardround.models.model import Model
from wardround.people.clarifying.model import Answer, Secret
from wardround.people.clarifying.model_replies import spoken_reply
from wardround.people.clarifying.prompts import baseline_prompt
from wardround.people.clarifying.question_text import normalized_question
from wardround.people.clarifying.reply_check import checked_answer


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
