"""A user without a model: form and words of a question choose, templates answer."""

from collections.abc import Collection

from wardround.people.clarifying.intent_classifier import choose
from wardround.people.clarifying.model import Answer, Secret
from wardround.people.clarifying.question_text import heard
from wardround.people.clarifying.reply_check import checked
from wardround.people.clarifying.template_replies import reply_to


class ModelFree:
    """A user who needs no model and answers the same question always the same.

    Args:
        secret: What the user knows.
    """

    def __init__(self, secret: Secret) -> None:
        self._secret = secret

    async def clarify(self, question: str, seen: Collection[str]) -> Answer:
        """The answer to one question; see `Clarifier`."""
        question = heard(question)
        choice = choose(question, self._secret)
        reply = reply_to(choice, question, self._secret)
        return checked(reply, choice, question, self._secret, seen)
