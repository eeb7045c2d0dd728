"""Features of the possible subjects of a question: how well each fits, and how little any does."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log

from wardround.people.clarifying.candidates import Candidate, candidates
from wardround.people.clarifying.question_classifier import REFUSE, UNCLEAR, QuestionClassifier
from wardround.people.clarifying.question_features import TaskWords, stem, task_words, wording
from wardround.people.clarifying.secret import Labelled, Secret
from wardround.people.clarifying.similarity import best_similarity, text_vector

_WORD = re.compile(r"[a-z]+|\d+(?:\.\d+)?")
_QUOTED = re.compile("[\"'`\u201c\u2018]([^\"'`\u201d\u2019]{2,60})[\"'`\u201d\u2019]")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
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
    asked = _Asked(question, classifier)
    known = candidates(secret)
    words = [_words_of(candidate) for candidate in known]
    aspects = _aspects(probabilities)
    fits = [_fit(asked, candidate, own) for candidate, own in zip(known, words, strict=True)]
    shares = Counter(candidate.aspects[0] for candidate in known)
    rows = tuple(
        (
            *_aspect_features(candidate, aspects, fit, shares[candidate.aspects[0]]),
            *fit.row(fits),
        )
        for candidate, fit in zip(known, fits, strict=True)
    )
    everything = frozenset().union(_words(secret.request), *words)
    best = max((row[0] for row in rows), default=log(_LEAST))
    existing = {aspect for candidate in known for aspect in candidate.aspects}
    refusal = (
        *_reasons(probabilities),
        sum(share for aspect, share in aspects.items() if aspect not in existing),
        best,
        asked.coverage(everything),
        asked.coverage(_words(secret.request)),
        asked.covered(_words(secret.request)),
        float(text_vector(secret.request) @ asked.vector),
        float(text_vector(form.rest) @ text_vector(secret.request)),
        asked.unmatched(everything),
        max((fit.coverage for fit in fits), default=0.0),
        max((fit.exact for fit in fits), default=0.0),
        max((fit.similarity for fit in fits), default=0.0),
        log(len(asked.words) + 1),
        float("?" in question),
        1.0,
    )
    return Comparison(rows, refusal, probabilities[UNCLEAR])


def _last_sentence(question: str) -> str:
    """Returns the last sentence, which asks; what comes before it explains why."""
    return _SENTENCE.split(question.strip())[-1]


def _averaged(first: Mapping[str, float], second: Mapping[str, float]) -> dict[str, float]:
    return {kind: (share + second[kind]) / 2 for kind, share in first.items()}


@lru_cache(maxsize=256)
def words_of_task(secret: Secret) -> TaskWords:
    """Returns the stems of a task's terms, request and candidates."""
    known = candidates(secret)
    texts = [text for candidate in known for text in (*candidate.texts, candidate.words)]
    return task_words(
        (ambiguity.term for ambiguity in secret.ambiguities), (secret.request, *texts)
    )


class _Asked:
    """The words of a question, weighted by how little they are expected in one."""

    def __init__(self, question: str, classifier: QuestionClassifier) -> None:
        self.text = question.lower()
        self.words = _WORD.findall(self.text)
        self.quoted = [frozenset(_words(text)) for text in _QUOTED.findall(question)]
        self.vector = text_vector(" ".join(self.words))
        self._surprise = classifier.surprise
        self._total = self.weight(self.words)

    def weight(self, words: Iterable[str]) -> float:
        return sum(self._surprise(stem(word)) for word in words) + 1e-6

    def coverage(self, words: Iterable[str]) -> float:
        """Returns the weighted share of the question that is similar to some words."""
        known = tuple(words)
        found = (self._surprise(stem(word)) * best_similarity(word, known) for word in self.words)
        return sum(found) / self._total

    def exact(self, words: Iterable[str]) -> float:
        """Returns the weighted share of the question that is forms of some words."""
        known = tuple(words)
        return self.weight(w for w in self.words if best_similarity(w, known) >= 1) / self._total

    def unmatched(self, words: Iterable[str]) -> float:
        """Returns the weight of the words that are similar to none of some words."""
        known = tuple(words)
        return self.weight(word for word in self.words if best_similarity(word, known) < 0.5)

    def covered(self, words: Iterable[str]) -> float:
        """Returns the weighted share of some words that is in the question."""
        known = tuple(words)
        own = tuple(self.words)
        found = (self._surprise(stem(word)) * best_similarity(word, own) for word in known)
        return sum(found) / self.weight(known)


@dataclass(frozen=True)
class _Fit:
    """How well the words of a question fit a candidate."""

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

    def row(self, fits: Sequence["_Fit"]) -> tuple[float, ...]:
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
        )


def _fit(asked: _Asked, candidate: Candidate, words: frozenset[str]) -> _Fit:
    term = candidate.choice.ambiguity.term if isinstance(candidate.choice, Labelled) else ""
    own = _words(term)
    numbers = {word for word in asked.words if word[0].isdigit()}
    its_numbers = {word for word in words if word[0].isdigit()}
    similar = (float(text_vector(text) @ asked.vector) for text in candidate.texts)
    return _Fit(
        asked.coverage(words),
        asked.exact(words),
        asked.covered(words),
        max(similar, default=0.0),
        float(text_vector(candidate.words) @ asked.vector) if candidate.words else 0.0,
        asked.covered(own) if own else 0.0,
        asked.exact(own) if own else 0.0,
        float(any(own == quoted for quoted in asked.quoted)),
        float(bool(term) and term.lower() in asked.text),
        len(numbers & its_numbers) / max(1, len(numbers)),
    )


def _aspect_features(
    candidate: Candidate, aspects: Mapping[str, float], fit: _Fit, sharing: int
) -> tuple[float, ...]:
    """Returns how likely the question is about a candidate's aspects."""
    own = max(_log(aspects.get(aspect, 0.0)) for aspect in candidate.aspects)
    mentioned = max((_log(aspects.get(aspect, 0.0)) for aspect in candidate.mentioned), default=own)
    labelled = float(isinstance(candidate.choice, Labelled))
    meaning = aspects.get("meaning", 0.0)
    return (
        own,
        _log(aspects.get(candidate.aspects[0], 0.0)),
        max(own, mentioned),
        labelled,
        labelled * own,
        labelled * _log(meaning),
        meaning * fit.term,
        meaning * fit.term_exact,
        meaning * fit.whole_term,
        meaning * fit.quoted,
        exp(own) * fit.exact,
        log(sharing),
        float(not candidate.words),
    )


def _reasons(probabilities: Mapping[str, float]) -> tuple[float, ...]:
    reasons = [share for kind, share in probabilities.items() if kind.startswith(REFUSE)]
    refused = sum(reasons)
    return (log((refused + 1e-3) / (1 - refused + 1e-3)), *map(_log, reasons))


def _aspects(probabilities: Mapping[str, float]) -> dict[str, float]:
    """Returns the probabilities of aspects, given that the question is about one."""
    found = {
        kind: share
        for kind, share in probabilities.items()
        if kind != UNCLEAR and not kind.startswith(REFUSE)
    }
    total = sum(found.values()) + 1e-9
    return {aspect: share / total for aspect, share in found.items()}


def _log(share: float) -> float:
    return log(max(share, _LEAST))


def _words_of(candidate: Candidate) -> frozenset[str]:
    return _words(" ".join((*candidate.texts, candidate.words)))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))
