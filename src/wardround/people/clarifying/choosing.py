"""Chooses without a model what a question is about: by its form, its words and their meaning."""

import re
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from wardround.ehr.values.embedders import Embedder, WordLlamaEmbedder
from wardround.people.clarifying.candidates import Candidate, candidates
from wardround.people.clarifying.model import Choice, Labelled, Refused, Secret
from wardround.people.clarifying.packaged import pattern
from wardround.people.clarifying.refusing import must_refuse
from wardround.people.patterns import content_words

_ALIKE = 85
_QUOTE = "[\"'`*\u201c\u201d\u2018\u2019]"

# What the signs of a fit count for; a fit of less than `_LEAST` is none.
_SURE_FORM = 1.0
_FORM = 0.7
_NAMED = 1.0
_TERM = 0.2
_WORDS = 0.3
_MEANING = 0.6
# A labelled ambiguity is there to be found.
_LABELLED = 0.06
_LEAST = 0.35


def choose(question: str, secret: Secret) -> Choice:
    """What a question is about: an ambiguity, a piece of the gold, or nothing to be told.

    Args:
        question: What the agent asks.
        secret: What the user knows.
    """
    known = candidates(secret)
    if must_refuse(_without_terms(question, secret)) or not known:
        return Refused()
    scores = scored(question, known)
    best = int(np.argmax(scores))
    return known[best].choice if scores[best] >= _LEAST else Refused()


def _without_terms(question: str, secret: Secret) -> str:
    """The question without the words of the request that it takes up: they ask for nothing.

    A term of one word, such as table, is only taken up where it is quoted.
    """
    for ambiguity in secret.ambiguities:
        term = _words_of(ambiguity.term)
        said = rf"\b{term}\b" if r"\W+" in term else rf"{_QUOTE}{term}{_QUOTE}"
        question = re.sub(said, "that", question, flags=re.I)
    return question


def scored(question: str, known: tuple[Candidate, ...]) -> NDArray[np.float32]:
    """How well each candidate fits a question, shape (candidates,)."""
    alike = _alike(question, known)
    rest = [
        _form(question, one)
        + _TERM * _term(question, one)
        + _WORDS * _shared(question, one.texts)
        + _NAMED * _named(question, one)
        + _LABELLED * isinstance(one.choice, Labelled)
        for one in known
    ]
    return np.asarray(rest, dtype=np.float32) + _MEANING * alike


def _form(question: str, candidate: Candidate) -> float:
    """What it counts for that the question sounds like one about an aspect of the candidate.

    What is meant can be asked of any word, so that alone is half a sign.
    """
    if _asked_of(question, candidate, "sure") - {"meaning"}:
        return _SURE_FORM
    asked = _asked_of(question, candidate, "asks")
    return _FORM * (0.5 if asked == {"meaning"} else bool(asked))


def _asked_of(question: str, candidate: Candidate, kind: str) -> set[str]:
    return {a for a in candidate.aspects if pattern("aspects", a, kind).search(question)}


def _term(question: str, candidate: Candidate) -> float:
    """The share of an ambiguity's term in the question; how things are done is told by form."""
    is_meant = "meaning" in candidate.aspects
    return _shared(question, candidate.texts[:1]) if is_meant else 0.0


def _named(question: str, candidate: Candidate) -> float:
    """Whether the question quotes an ambiguity's term, or asks what it means, word for word.

    A longer term counts for a little more, since it may hold a shorter one.
    """
    if not isinstance(candidate.choice, Labelled):
        return 0.0
    term = _words_of(candidate.choice.ambiguity.term)
    quoted = re.search(rf"{_QUOTE}\W*{term}\W*{_QUOTE}", question, re.I)
    asks_meaning = pattern("aspects", "meaning", "sure").search(question)
    said = re.search(rf"\b{term}\b", question, re.I)
    if quoted or ("meaning" in candidate.aspects and asks_meaning and said):
        return 1 + len(term) / 100
    return 0.0


def _words_of(term: str) -> str:
    """A pattern of a term's words, however they are set apart."""
    return r"\W+".join(map(re.escape, re.findall(r"\w+", term))) or r"(?!)"


def _shared(question: str, texts: tuple[str, ...]) -> float:
    """The share of the words of the best of the texts that the question has, typos allowed."""
    asked = content_words(question)
    return max((_share(asked, content_words(text)) for text in texts), default=0.0)


def _share(asked: frozenset[str], words: frozenset[str]) -> float:
    if not words:
        return 0.0
    return sum(any(_same(one, other) for other in asked) for one in words) / len(words)


def _same(one: str, other: str) -> bool:
    stem = min(len(one), len(other), 5)
    if stem >= 4 and one[:stem] == other[:stem]:
        return True
    return one == other or (stem >= 5 and fuzz.ratio(one, other) >= _ALIKE)


def _alike(question: str, known: tuple[Candidate, ...]) -> NDArray[np.float32]:
    asked = _embedder().encode([" ".join(re.findall(r"\w+", question))])[0]
    return np.asarray(
        [float(np.max(_vectors(one.texts) @ asked, initial=0.0)) for one in known],
        dtype=np.float32,
    )


@lru_cache(maxsize=8192)
def _vectors(texts: tuple[str, ...]) -> NDArray[np.float32]:
    return _embedder().encode(list(texts) or [""])


@cache
def _embedder() -> Embedder:
    return WordLlamaEmbedder()
