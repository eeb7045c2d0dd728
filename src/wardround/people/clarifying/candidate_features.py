"""Features of the possible subjects of a question, and of refusing it: above all its words' fit."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log
from typing import TYPE_CHECKING

from wardround.ehr.text.segments import sentences
from wardround.people.clarifying.candidates import Candidate, candidates
from wardround.people.clarifying.further_fragments import FURTHER_ASPECTS
from wardround.people.clarifying.questions.classifier import REFUSE, UNCLEAR, QuestionClassifier
from wardround.people.clarifying.questions.features import TaskWords, stem, task_words, wording
from wardround.people.clarifying.secret import Labelled, Secret
from wardround.people.similarity import best_similarity, text_vector

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
        """Returns the weighted share of the question that consists of forms of some words."""
        known = frozenset(words)
        return self.weight(w for w in self.words if best_similarity(w, known) >= 1) / self._total

    def unmatched(self, words: Iterable[str]) -> float:
        """Returns the weight of the question's words that resemble none of some words."""
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
    """Compares a question with a candidate by its words."""
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


# Least probability of a class, so that its logarithm is bounded.
_LEAST = 1e-4


@dataclass(frozen=True)
class Comparison:
    """A question compared with its task.

    Attributes:
        candidates: A row of features for each candidate.
        refusal: Features of refusing the question.
        unclear: The probability that it asks for nothing in particular.
    """

    candidates: tuple[tuple[float, ...], ...]
    refusal: tuple[float, ...]
    unclear: float


def compare(question: str, secret: Secret, classifier: QuestionClassifier) -> Comparison:
    """Compares a question with the ambiguities and the other fragments of its task."""
    words_known = words_of_task(secret)
    form = wording(question, words_known, classifier.frequencies)
    last = wording(_last_sentence(question), words_known, classifier.frequencies)
    probabilities = _averaged(classifier.probabilities(form), classifier.probabilities(last))
    asked = AskedWords(question, classifier)
    answers = candidates(secret)
    words = [words_of_candidate(candidate) for candidate in answers]
    aspects = _aspects(probabilities)
    fits = [
        word_fit(asked, candidate, candidate_words)
        for candidate, candidate_words in zip(answers, words, strict=True)
    ]
    shares = Counter(candidate.aspects[0] for candidate in answers)
    rows = tuple(
        (
            *_aspect_features(candidate, aspects, fit, shares[candidate.aspects[0]]),
            *fit.row(fits),
        )
        for candidate, fit in zip(answers, fits, strict=True)
    )
    everything = frozenset().union(words_of_text(secret.request), *words)
    best = max((row[0] for row in rows), default=log(_LEAST))
    existing = {aspect for candidate in answers for aspect in candidate.aspects}
    refusal = (
        *_reasons(probabilities),
        sum(share for aspect, share in aspects.items() if aspect not in existing),
        best,
        asked.coverage(everything),
        asked.coverage(words_of_text(secret.request)),
        asked.covered(words_of_text(secret.request)),
        float(text_vector(secret.request) @ asked.vector),
        float(text_vector(form.rest) @ text_vector(secret.request)),
        asked.unmatched(everything),
        max((fit.coverage for fit in fits), default=0.0),
        max((fit.exact for fit in fits), default=0.0),
        max((fit.similarity for fit in fits), default=0.0),
        max((fit.informative for fit in fits), default=0.0),
        log(len(asked.words) + 1),
        float("?" in question),
        1.0,
    )
    return Comparison(rows, refusal, probabilities[UNCLEAR])


def _last_sentence(question: str) -> str:
    """Returns the last sentence, which asks; earlier sentences explain why."""
    parts = sentences(question, "en")
    return parts[-1].of(question) if parts else ""


def _averaged(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, float]:
    return {kind: (share + second[kind]) / 2 for kind, share in first.items()}


@lru_cache(maxsize=256)
def words_of_task(secret: Secret) -> TaskWords:
    """Returns the stems of a task's terms, request and candidates."""
    answers = candidates(secret)
    texts = [text for candidate in answers for text in (*candidate.texts, candidate.words)]
    return task_words(
        (ambiguity.term for ambiguity in secret.ambiguities), (secret.request, *texts)
    )


def _aspect_features(
    candidate: Candidate, aspects: Mapping[str, float], fit: WordFit, sharing: int
) -> tuple[float, ...]:
    """Returns how likely the question is about a candidate's aspects."""
    aspect_score = max(_log(aspects.get(aspect, 0.0)) for aspect in candidate.aspects)
    mentioned = max(
        (_log(aspects.get(aspect, 0.0)) for aspect in candidate.mentioned), default=aspect_score
    )
    labelled = float(isinstance(candidate.choice, Labelled))
    further = float(candidate.aspects[0] in FURTHER_ASPECTS)
    meaning = aspects.get("meaning", 0.0)
    return (
        aspect_score,
        _log(aspects.get(candidate.aspects[0], 0.0)),
        max(aspect_score, mentioned),
        labelled,
        labelled * aspect_score,
        labelled * _log(meaning),
        meaning * fit.term,
        meaning * fit.term_exact,
        meaning * fit.whole_term,
        meaning * fit.quoted,
        exp(aspect_score) * fit.exact,
        log(sharing),
        float(not candidate.words),
        further,
        further * exp(aspect_score),
        labelled * exp(aspect_score),
    )


def _reasons(probabilities: Mapping[str, float]) -> tuple[float, ...]:
    reasons = [share for kind, share in probabilities.items() if kind.startswith(REFUSE)]
    refused = sum(reasons)
    return (log((refused + 1e-3) / (1 - refused + 1e-3)), *map(_log, reasons))


def _aspects(probabilities: Mapping[str, float]) -> dict[str, float]:
    """Returns the probabilities of aspects, given that the question is about one."""
    aspects = {
        kind: share
        for kind, share in probabilities.items()
        if kind != UNCLEAR and not kind.startswith(REFUSE)
    }
    total = sum(aspects.values()) + 1e-9
    return {aspect: share / total for aspect, share in aspects.items()}


def _log(share: float) -> float:
    return log(max(share, _LEAST))
