"""Chooses without a model what a question is about: by its form, its words and their meaning."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from wardround.ehr.values.embedders import Embedder, WordLlamaEmbedder
from wardround.people.clarifying.candidates import Candidate, candidates
from wardround.people.clarifying.hearing import in_words
from wardround.people.clarifying.model import Choice, Labelled, Refused, Secret
from wardround.people.clarifying.packaged import packaged, packaged_lines, pattern
from wardround.people.clarifying.refusing import must_refuse
from wardround.people.patterns import content_words

_ALIKE = 85
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_QUOTE = "[\"'`*\u201c\u201d\u2018\u2019]"

# What the signs of a fit count for; a fit of less than `_LEAST` is none.
_SURE_FORM = 1.0
_HEARD = 0.5
_FORM = 0.25
_NAMED = 0.8
_TERM = 0.3
_NUMBERS = 0.3
_ABOUT = 0.4
_MEANING = 0.8
# A labelled ambiguity is there to be found.
_LABELLED = 0.04
_LEAST = 0.25
# A question is off the point that is this much more like a theme of small talk than the task.
_ASIDE = 0.28
_AHEAD = 0.1


def choose(question: str, secret: Secret) -> Choice:
    """What a question is about: an ambiguity, a piece of the gold, or nothing to be told.

    Args:
        question: What the agent asks.
        secret: What the user knows.
    """
    known = candidates(secret)
    if must_refuse(_without_terms(question, secret)) or not known or _is_aside(question, secret):
        return Refused()
    scores = scored(in_words(question), known)
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


def _is_aside(question: str, secret: Secret) -> bool:
    """Whether a question is about nothing that a request to a database could be about."""
    known = [" ".join(one.texts) for one in candidates(secret)]
    aside = max(_alike(question, packaged_lines("asides.txt")))
    return bool(aside > max(_ASIDE, *_alike(question, [secret.request, *known]) + _AHEAD))


def scored(question: str, known: tuple[Candidate, ...]) -> NDArray[np.float32]:
    """How well each candidate fits a question, shape (candidates,)."""
    signs = [
        _form(question, one)
        + _TERM * _term(question, one)
        + _NAMED * _named(question, one)
        + _NUMBERS * _numbers(question, one)
        + _LABELLED * isinstance(one.choice, Labelled)
        + _ABOUT * max(_alike(question, [packaged("aspects")[a]["about"] for a in one.aspects]))
        for one in known
    ]
    alike = _alike(question, [" ".join(one.texts) for one in known])
    return np.asarray(signs, dtype=np.float32) + _MEANING * alike


def _form(question: str, candidate: Candidate) -> float:
    """What it counts for that the question sounds like one about an aspect of the candidate.

    What is meant can be asked of any word, so that alone is half a sign.
    """
    sure = {one for one in candidate.aspects if pattern("aspects", one, "sure").search(question)}
    if sure - {"meaning"}:
        return _SURE_FORM
    if any(pattern("aspects", one, "sure").search(question) for one in candidate.heard):
        return _HEARD
    asked = any(pattern("aspects", one, "asks").search(question) for one in candidate.aspects)
    return _FORM * bool(sure or asked)


def _term(question: str, candidate: Candidate) -> float:
    """The share of an ambiguity's term in the question; how things are done is told by form."""
    if "meaning" not in candidate.aspects:
        return 0.0
    asked, words = content_words(question), content_words(candidate.texts[0])
    return sum(any(_same(one, other) for other in asked) for one in words) / max(len(words), 1)


def _numbers(question: str, candidate: Candidate) -> float:
    """The share of the question's numbers that the candidate has."""
    asked = set(_NUMBER.findall(question))
    return len(asked & set(_NUMBER.findall(" ".join(candidate.texts)))) / max(len(asked), 1)


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


def _same(one: str, other: str) -> bool:
    stem = min(len(one), len(other), 5)
    if stem >= 4 and one[:stem] == other[:stem]:
        return True
    return one == other or (stem >= 5 and fuzz.ratio(one, other) >= _ALIKE)


def _alike(question: str, texts: Sequence[str]) -> NDArray[np.float32]:
    """How alike in meaning a question is to each of some texts, shape (texts,)."""
    asked = _vector(" ".join(re.findall(r"\w+", question)))
    return np.asarray([np.dot(_vector(text), asked) for text in texts], dtype=np.float32)


@lru_cache(maxsize=8192)
def _vector(text: str) -> NDArray[np.float32]:
    vector: NDArray[np.float32] = _embedder().encode([text])[0]
    return vector


@cache
def _embedder() -> Embedder:
    return WordLlamaEmbedder()
