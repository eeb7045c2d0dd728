"""Chooses without a model what a question is about: by its form, its words and their meaning."""

import re
from typing import TYPE_CHECKING

from wardround.people.clarifying.candidates import Candidate, candidates
from wardround.people.clarifying.domain_filter import is_aside, strangeness
from wardround.people.clarifying.hidden import hidden
from wardround.people.clarifying.model import Choice, Labelled, Refused, Secret
from wardround.people.clarifying.packaged import packaged, pattern
from wardround.people.clarifying.question_text import in_words
from wardround.people.clarifying.refusal_rules import must_refuse
from wardround.people.clarifying.similarity import alike, among
from wardround.people.patterns import content_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
# So near a term stand the words that ask what it means.
_BESIDE = 25
_QUOTE = "[\"'`*\u201c\u201d\u2018\u2019]"

# What the signs of a fit count for; a fit of less than `_LEAST` is none.
_SURE_FORM = 1.0
_HEARD = 0.5
_FORM = 0.37
_NAMED = 0.8
_TERM = 0.45
_NUMBERS = 0.35
_ABOUT = 0.5
_MEANING = 1.15
# Words that belong to nothing count against all.
_STRANGE = 1.4
# A labelled ambiguity is there to be found.
_LABELLED = 0.05
_LEAST = 0.36


def choose(question: str, secret: Secret) -> Choice:
    """What a question is about: an ambiguity, a piece of the gold, or nothing to be told.

    Args:
        question: What the agent asks.
        secret: What the user knows.
    """
    known = candidates(secret)
    if must_refuse(_without_terms(question, secret)) or not known or is_aside(question, secret):
        return Refused()
    text = in_words(_spelled_out(question, secret))
    scores = scored(text, known) - _STRANGE * strangeness(text, secret)
    best = int(scores.argmax())
    return known[best].choice if scores[best] >= _LEAST else Refused()


def _without_terms(question: str, secret: Secret) -> str:
    """The question without the words of the request that it takes up: they ask for nothing.

    What the request is to make is a new list.
    A term of one word, such as table, is only taken up where it is quoted.
    """
    for ambiguity in secret.ambiguities:
        term = _words_of(ambiguity.term)
        said = rf"\b{term}\b" if r"\W+" in term else rf"{_QUOTE}{term}{_QUOTE}"
        question = re.sub(said, "that", question, flags=re.I)
    for name in sorted(hidden(secret).made):
        question = re.sub(rf"\b{re.escape(name)}\b", "the new list", question, flags=re.I)
    return question


def _spelled_out(question: str, secret: Secret) -> str:
    """The question with terms of three words and more in full, where it has their initials."""
    for ambiguity in secret.ambiguities:
        initials = "".join(re.findall(r"\b[A-Za-z]", ambiguity.term)).upper()
        if len(initials) > 2:
            question = re.sub(rf"\b{initials}\b", ambiguity.term, question)
    return question


def scored(question: str, known: tuple[Candidate, ...]) -> "NDArray[np.float32]":
    """How well each candidate fits a question, shape (candidates,)."""
    signs = [
        _form(question, one)
        + _TERM * _term(question, one)
        + _NAMED * _named(question, one)
        + _NUMBERS * _numbers(question, one)
        + _LABELLED * isinstance(one.choice, Labelled)
        + _ABOUT * max(alike(question, [packaged("aspects")[a]["about"] for a in one.aspects]))
        for one in known
    ]
    meaning = alike(question, [" ".join(one.texts) for one in known])
    import numpy as np

    return np.asarray(signs, dtype=np.float32) + _MEANING * meaning


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
    return sum(among(one, asked) for one in words) / max(len(words), 1)


def _numbers(question: str, candidate: Candidate) -> float:
    """The share of the question's numbers that the candidate has."""
    asked = set(_NUMBER.findall(question))
    return len(asked & set(_NUMBER.findall(" ".join(candidate.texts)))) / max(len(asked), 1)


def _named(question: str, candidate: Candidate) -> float:
    """Whether the question quotes an ambiguity's term, or asks right there what it means.

    A longer term counts for a little more, since it may hold a shorter one.
    """
    if not isinstance(candidate.choice, Labelled):
        return 0.0
    term = _words_of(candidate.choice.ambiguity.term)
    quoted = re.search(rf"{_QUOTE}\W*{term}\W*{_QUOTE}", question, re.I)
    if quoted or ("meaning" in candidate.aspects and _is_asked_what(question, term)):
        return 1 + len(term) / 100
    return 0.0


def _is_asked_what(question: str, term: str) -> bool:
    """Whether words like "mean" stand beside a term."""
    said = re.finditer(rf"\b{term}(?:e?s)?\b", question, re.I)
    around = (question[max(0, one.start() - _BESIDE) : one.end() + _BESIDE] for one in said)
    return any(pattern("aspects", "meaning", "sure").search(words) for words in around)


def _words_of(term: str) -> str:
    """A pattern of a term's words, however they are set apart."""
    return r"\W+".join(map(re.escape, re.findall(r"\w+", term))) or r"(?!)"
