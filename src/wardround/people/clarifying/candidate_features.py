"""Features of the possible subjects of a question, and of refusing it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log

from wardround.ehr.text.segments import sentences
from wardround.people.clarifying.candidates import Candidate, candidates
from wardround.people.clarifying.further_fragments import FURTHER_ASPECTS
from wardround.people.clarifying.question_classifier import REFUSE, UNCLEAR, QuestionClassifier
from wardround.people.clarifying.question_features import TaskWords, task_words, wording
from wardround.people.clarifying.secret import Labelled, Secret
from wardround.people.clarifying.similarity import text_vector
from wardround.people.clarifying.word_fit import (
    AskedWords,
    WordFit,
    word_fit,
    words_of_candidate,
    words_of_text,
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
    known = candidates(secret)
    words = [words_of_candidate(candidate) for candidate in known]
    aspects = _aspects(probabilities)
    fits = [
        word_fit(asked, candidate, candidate_words)
        for candidate, candidate_words in zip(known, words, strict=True)
    ]
    shares = Counter(candidate.aspects[0] for candidate in known)
    rows = tuple(
        (
            *_aspect_features(candidate, aspects, fit, shares[candidate.aspects[0]]),
            *fit.row(fits),
        )
        for candidate, fit in zip(known, fits, strict=True)
    )
    everything = frozenset().union(words_of_text(secret.request), *words)
    best = max((row[0] for row in rows), default=log(_LEAST))
    existing = {aspect for candidate in known for aspect in candidate.aspects}
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
    """Returns the last sentence, which asks; what comes before it explains why."""
    parts = sentences(question, "en")
    return parts[-1].of(question) if parts else ""


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
    found = {
        kind: share
        for kind, share in probabilities.items()
        if kind != UNCLEAR and not kind.startswith(REFUSE)
    }
    total = sum(found.values()) + 1e-9
    return {aspect: share / total for aspect, share in found.items()}


def _log(share: float) -> float:
    return log(max(share, _LEAST))
