"""Classifies a question without a model: about an ambiguity, a fragment of the gold, or neither."""

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from wardround.people.clarifying.candidate_features import Comparison, compare
from wardround.people.clarifying.candidates import candidates
from wardround.people.clarifying.question_classifier import load_weights, question_classifier
from wardround.people.clarifying.question_text import expand_shorthand
from wardround.people.clarifying.secret import Choice, Refused, Secret

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
    known = candidates(secret)
    scores = _ranking().scores(_compared(question, secret))
    best = scores.index(max(scores))
    return known[best].choice if best < len(known) else Refused()


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
