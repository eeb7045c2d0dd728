"""A user without a model: a classifier chooses, templates answer."""

from collections.abc import Collection

from wardround.people.clarifying.intent_classifier import classify_intent, is_content_free
from wardround.people.clarifying.leak_filter import checked_answer
from wardround.people.clarifying.question_text import normalized_question
from wardround.people.clarifying.secret import Answer, Refused, Secret
from wardround.people.clarifying.template_replies import repeated_request, reply_to


class ModelFree:
    """A deterministic user without a model.

    Args:
        secret: The user's secret.
        seed: The trial's seed, which decides the wording.
    """

    def __init__(self, secret: Secret, seed: int = 0) -> None:
        self._secret = secret
        self._seed = seed

    async def clarify(self, question: str, seen: Collection[str]) -> Answer:
        """Answers a question; see `Clarifier`."""
        question = normalized_question(question)
        if is_content_free(question, self._secret):
            return Answer(repeated_request(question, self._secret, self._seed), Refused())
        choice = classify_intent(question, self._secret)
        reply = reply_to(choice, question, self._secret, self._seed)
        return checked_answer(reply, choice, question, self._secret, seen, self._seed)
