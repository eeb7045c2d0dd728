"""A user without a model: a classifier chooses, templates answer."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from wardround.people.clarifying.candidate_features import Comparison, compare
from wardround.people.clarifying.candidates import candidates
from wardround.people.clarifying.leak_filter import checked_answer
from wardround.people.clarifying.questions.classifier import load_weights, question_classifier
from wardround.people.clarifying.questions.text import expand_shorthand, normalized_question
from wardround.people.clarifying.secret import Answer, Choice, Refused, Secret
from wardround.people.clarifying.template_replies import repeated_request, reply_to

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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


@dataclass(frozen=True, eq=False)
class Ranking:
    """Linear scores of candidates and of refusal."""

    candidates: "NDArray[np.float32]"
    refusal: "NDArray[np.float32]"

    def scores(self, comparison: Comparison) -> list[float]:
        """Returns the scores of the candidates, then that of refusal."""
        import numpy as np

        rows = np.asarray(comparison.candidates, np.float32).reshape(-1, len(self.candidates))
        refusal = float(np.asarray(comparison.refusal, np.float32) @ self.refusal)
        return [*(rows @ self.candidates).tolist(), refusal]


def classify_intent(question: str, secret: Secret) -> Choice:
    """Chooses the action for a question: an ambiguity, a fragment of the gold, or a refusal.

    Args:
        question: The agent's question.
        secret: The user's secret.
    """
    answers = candidates(secret)
    scores = _ranking().scores(_compared(question, secret))
    best = scores.index(max(scores))
    return answers[best].choice if best < len(answers) else Refused()


def is_content_free(question: str, secret: Secret) -> bool:
    """True if a question asks for clarification of nothing in particular.

    >>> secret = Secret("Which drugs?", "", ("SELECT drug FROM prescriptions",), ())
    >>> is_content_free("Can you clarify your request?", secret)
    True
    >>> is_content_free("Should the drugs be sorted?", secret)
    False
    """
    return _compared(question, secret).unclear > 0.5


@lru_cache(maxsize=64)
def _compared(question: str, secret: Secret) -> Comparison:
    return compare(expand_shorthand(question), secret, question_classifier())


@lru_cache(maxsize=1)
def _ranking() -> Ranking:
    stored = load_weights()
    return Ranking(stored["candidate_weights"], stored["refusal_weights"])
