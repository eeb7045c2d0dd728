"""Classifies a question without a model, by patterns, shared words and embeddings."""

import re
from typing import TYPE_CHECKING

from wardround.people.clarifying.candidates import Candidate, candidates
from wardround.people.clarifying.hidden import hidden
from wardround.people.clarifying.packaged import packaged, pattern
from wardround.people.clarifying.question_text import expand_shorthand
from wardround.people.clarifying.refusal_rules import is_small_talk, must_refuse, unknown_word_share
from wardround.people.clarifying.secret import Choice, Labelled, Refused, Secret
from wardround.people.clarifying.similarity import matches_any, similarities
from wardround.people.patterns import content_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
# Characters around a term in which to look for words that ask for its meaning.
_NEARBY = 25
_QUOTE = "[\"'`*\u201c\u201d\u2018\u2019]"

# Feature weights; a candidate that scores below `_LEAST` is not chosen.
_SURE_FORM = 1.0
_MENTIONED = 0.5
_FORM = 0.37
_NAMED = 0.8
_TERM = 0.45
_NUMBERS = 0.35
_ABOUT = 0.5
_MEANING = 1.15
# Penalty for words that match neither the request nor any candidate.
_UNKNOWN_WORDS = 1.4
# Prior of labelled ambiguities.
_LABELLED = 0.05
_LEAST = 0.36


def classify_intent(question: str, secret: Secret) -> Choice:
    """Chooses the action for a question: an ambiguity, a fragment of the gold, or a refusal.

    Args:
        question: The agent's question.
        secret: The user's secret.
    """
    known = candidates(secret)
    if (
        must_refuse(_without_quoted_terms(question, secret))
        or not known
        or is_small_talk(question, secret)
    ):
        return Refused()
    text = expand_shorthand(_with_initials_expanded(question, secret))
    scores = candidate_scores(text, known) - _UNKNOWN_WORDS * unknown_word_share(text, secret)
    best = int(scores.argmax())
    return known[best].choice if scores[best] >= _LEAST else Refused()


def _without_quoted_terms(question: str, secret: Secret) -> str:
    """Replaces ambiguous terms and names of new objects, which are no reason to refuse.

    A term of a single word, such as "table", is only replaced where it is quoted.
    """
    for ambiguity in secret.ambiguities:
        term = _term_pattern(ambiguity.term)
        quoted = rf"\b{term}\b" if r"\W+" in term else rf"{_QUOTE}{term}{_QUOTE}"
        question = re.sub(quoted, "that", question, flags=re.I)
    for name in sorted(hidden(secret).created):
        question = re.sub(rf"\b{re.escape(name)}\b", "the new list", question, flags=re.I)
    return question


def _with_initials_expanded(question: str, secret: Secret) -> str:
    """Expands initials of ambiguous terms of three words and more."""
    for ambiguity in secret.ambiguities:
        initials = "".join(re.findall(r"\b[A-Za-z]", ambiguity.term)).upper()
        if len(initials) > 2:
            question = re.sub(rf"\b{initials}\b", ambiguity.term, question)
    return question


def candidate_scores(question: str, known: tuple[Candidate, ...]) -> "NDArray[np.float32]":
    """Scores each candidate for a question, shape (candidates,)."""
    signs = [
        _form(question, candidate)
        + _TERM * _term(question, candidate)
        + _NAMED * _named(question, candidate)
        + _NUMBERS * _numbers(question, candidate)
        + _LABELLED * isinstance(candidate.choice, Labelled)
        + _ABOUT * max(similarities(question, _descriptions(candidate)))
        for candidate in known
    ]
    meaning = similarities(question, [" ".join(candidate.texts) for candidate in known])
    import numpy as np

    return np.asarray(signs, dtype=np.float32) + _MEANING * meaning


def _descriptions(candidate: Candidate) -> list[str]:
    """Returns the descriptions of a candidate's aspects."""
    return [packaged("aspects")[aspect]["about"] for aspect in candidate.aspects]


def _form(question: str, candidate: Candidate) -> float:
    """Scores the question's phrasing against the patterns of the candidate's aspects.

    A question for a meaning fits any word, so it counts less.
    """
    sure = {a for a in candidate.aspects if pattern("aspects", a, "sure").search(question)}
    if sure - {"meaning"}:
        return _SURE_FORM
    if any(pattern("aspects", a, "sure").search(question) for a in candidate.mentioned):
        return _MENTIONED
    asked = any(pattern("aspects", a, "asks").search(question) for a in candidate.aspects)
    return _FORM * bool(sure or asked)


def _term(question: str, candidate: Candidate) -> float:
    """Returns the share of the ambiguity's term in the question; 0 for implementation aspects."""
    if "meaning" not in candidate.aspects:
        return 0.0
    asked, words = content_words(question), content_words(candidate.texts[0])
    return sum(matches_any(word, asked) for word in words) / max(len(words), 1)


def _numbers(question: str, candidate: Candidate) -> float:
    """Returns the share of the question's numbers that the candidate has."""
    asked = set(_NUMBER.findall(question))
    return len(asked & set(_NUMBER.findall(" ".join(candidate.texts)))) / max(len(asked), 1)


def _named(question: str, candidate: Candidate) -> float:
    """Scores 1 if the question quotes the ambiguity's term or asks for its meaning, else 0.

    Longer terms score slightly more, since a shorter one may be part of a longer one.
    """
    if not isinstance(candidate.choice, Labelled):
        return 0.0
    term = _term_pattern(candidate.choice.ambiguity.term)
    quoted = re.search(rf"{_QUOTE}\W*{term}\W*{_QUOTE}", question, re.I)
    if quoted or ("meaning" in candidate.aspects and _is_asked_for_meaning(question, term)):
        return 1 + len(term) / 100
    return 0.0


def _is_asked_for_meaning(question: str, term: str) -> bool:
    """True if words like "mean" are near a term."""
    found = re.finditer(rf"\b{term}(?:e?s)?\b", question, re.I)
    around = (question[max(0, m.start() - _NEARBY) : m.end() + _NEARBY] for m in found)
    return any(pattern("aspects", "meaning", "sure").search(words) for words in around)


def _term_pattern(term: str) -> str:
    """Returns a pattern for a term's words with any separators."""
    return r"\W+".join(map(re.escape, re.findall(r"\w+", term))) or r"(?!)"
