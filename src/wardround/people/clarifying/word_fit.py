"""The fit of a question's words and a candidate's."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wardround.people.clarifying.candidates import Candidate
from wardround.people.clarifying.question_classifier import QuestionClassifier
from wardround.people.clarifying.question_features import stem
from wardround.people.clarifying.secret import Labelled
from wardround.people.clarifying.similarity import best_similarity, text_vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WORD = re.compile(r"[a-z]+|\d+(?:\.\d+)?")
_QUOTED = re.compile("[\"'`\u201c\u2018]([^\"'`\u201d\u2019]{2,60})[\"'`\u201d\u2019]")


def words_of_text(text: str) -> frozenset[str]:
    """Returns the words and numbers of a text, in lower case."""
    return frozenset(_WORD.findall(text.lower()))


def words_of_candidate(candidate: Candidate) -> frozenset[str]:
    """Returns the words of all texts of a candidate."""
    return words_of_text(" ".join((*candidate.texts, candidate.words)))


class AskedWords:
    """The words of a question, weighted by how little they are expected in one."""

    def __init__(self, question: str, classifier: QuestionClassifier) -> None:
        self.text = question.lower()
        self.words = _WORD.findall(self.text)
        self.quoted = [frozenset(words_of_text(text)) for text in _QUOTED.findall(question)]
        self.vector = text_vector(" ".join(self.words))
        self._surprise = classifier.surprise
        self._total = self.weight(self.words)
        self._informative = self._weighted(self.words)

    def weight(self, words: Iterable[str]) -> float:
        """Returns how little some words are expected in a question, in all."""
        return sum(self._surprise(stem(word)) for word in words) + 1e-6

    def coverage(self, words: Iterable[str]) -> float:
        """Returns the weighted share of the question that is similar to some words."""
        known = frozenset(words)
        surprises = (
            self._surprise(stem(word)) * best_similarity(word, known) for word in self.words
        )
        return sum(surprises) / self._total

    def exact(self, words: Iterable[str]) -> float:
        """Returns the weighted share of the question that is forms of some words."""
        known = frozenset(words)
        return self.weight(w for w in self.words if best_similarity(w, known) >= 1) / self._total

    def unmatched(self, words: Iterable[str]) -> float:
        """Returns the weight of the words that are similar to none of some words."""
        known = frozenset(words)
        return self.weight(word for word in self.words if best_similarity(word, known) < 0.5)

    def informative_similarity(self, words: Iterable[str]) -> float:
        """Returns the similarity to some words, where rare words weigh more."""
        return float(self._informative @ self._weighted(words))

    def _weighted(self, words: Iterable[str]) -> "NDArray[np.float32]":
        import numpy as np

        known = [word for word in sorted(words) if not word[0].isdigit()]
        if not known:
            return np.zeros_like(self.vector)
        weights = np.array([self._surprise(stem(word)) for word in known], np.float32) ** 2
        mean = weights @ np.stack([text_vector(word) for word in known])
        vector: NDArray[np.float32] = mean / max(float(np.linalg.norm(mean)), 1e-6)
        return vector

    def covered(self, words: Iterable[str]) -> float:
        """Returns the weighted share of some words that is in the question."""
        known, spoken = frozenset(words), frozenset(self.words)
        surprises = (self._surprise(stem(word)) * best_similarity(word, spoken) for word in known)
        return sum(surprises) / self.weight(known)


@dataclass(frozen=True)
class WordFit:
    """The fit of a question's words and a candidate's: shares, similarities and 0 or 1."""

    coverage: float
    exact: float
    covered: float
    similarity: float
    words_similarity: float
    term: float
    term_exact: float
    quoted: float
    whole_term: float
    numbers: float
    informative: float

    def row(self, fits: Sequence["WordFit"]) -> tuple[float, ...]:
        """Returns all figures, and the first ones beside the average candidate's."""
        count = len(fits)
        return (
            self.coverage,
            self.exact,
            self.similarity,
            self.coverage - sum(fit.coverage for fit in fits) / count,
            self.exact - sum(fit.exact for fit in fits) / count,
            self.similarity - sum(fit.similarity for fit in fits) / count,
            self.term_exact - max(fit.term_exact for fit in fits),
            self.covered,
            self.words_similarity,
            self.term,
            self.term_exact,
            self.quoted,
            self.whole_term,
            self.numbers,
            self.informative,
            self.informative - sum(fit.informative for fit in fits) / count,
            self.informative - max(fit.informative for fit in fits),
            self.coverage - max(fit.coverage for fit in fits),
        )


def word_fit(asked: AskedWords, candidate: Candidate, words: frozenset[str]) -> WordFit:
    """Compares a question with a candidate, whose words are given."""
    term = candidate.choice.ambiguity.term if isinstance(candidate.choice, Labelled) else ""
    term_words = words_of_text(term)
    numbers = {word for word in asked.words if word[0].isdigit()}
    its_numbers = {word for word in words if word[0].isdigit()}
    similar = (float(text_vector(text) @ asked.vector) for text in candidate.texts)
    return WordFit(
        asked.coverage(words),
        asked.exact(words),
        asked.covered(words),
        max(similar, default=0.0),
        float(text_vector(candidate.words) @ asked.vector) if candidate.words else 0.0,
        asked.covered(term_words) if term_words else 0.0,
        asked.exact(term_words) if term_words else 0.0,
        float(any(term_words == quoted for quoted in asked.quoted)),
        float(bool(term) and term.lower() in asked.text),
        len(numbers & its_numbers) / max(1, len(numbers)),
        asked.informative_similarity(words),
    )
