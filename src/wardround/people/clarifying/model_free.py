"""A user without a model: a classifier chooses, templates answer."""

from collections.abc import Collection

from wardround.people.clarifying.intent_classifier import classify_intent
from wardround.people.clarifying.model import Answer, Secret
from wardround.people.clarifying.question_text import normalized_question
from wardround.people.clarifying.reply_check import checked_answer
from wardround.people.clarifying.template_replies import reply_to


class ModelFree:
    """A deterministic user without a model.

    Args:
        secret: The user's secret.
    """

    def __init__(self, secret: Secret) -> None:
        self._secret = secret

    async def clarify(self, question: str, seen: Collection[str]) -> Answer:
        """Answers a question; see `Clarifier`."""
        question = normalized_question(question)
        choice = classify_intent(question, self._secret)
        reply = reply_to(choice, question, self._secret)
        return checked_answer(reply, choice, question, self._secret, seen)
