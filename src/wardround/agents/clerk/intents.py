"""The intents of a question, by a small classifier learned from labelled questions."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Literal, TypeAlias, get_args

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.chinese import plain
from wardround.people.text_classifier import (
    Sample,
    Scale,
    TextClassifier,
    fit_ridge,
    letter_runs,
)

Intent: TypeAlias = Literal[
    "identity", "stays", "diagnoses", "labs", "vitals", "cultures", "orders", "doses", "imaging",
    "notes", "plan", "symptoms", "adherence", "social", "function", "pain", "score", "advice",
    "summary", "medicate", "request", "flag", "other",
]  # fmt: skip
INTENTS: tuple[Intent, ...] = get_args(Intent)
WRITES: tuple[Intent, ...] = ("medicate", "request", "flag")
_RIDGE = 0.4
_TOPIC = 8  # the count of a topic beside that of letters
_EMBEDDING = 0.3  # share of the embedding beside the letters
_SCALE = Scale((1 - _EMBEDDING) ** 0.5, _EMBEDDING**0.5)


@lru_cache(maxsize=1024)
def intent_scores(masked: str) -> Mapping[Intent, float]:
    """The score of each intent of a question whose terms are masked by their kinds.

    >>> scores = intent_scores("when was DRUG last given")
    >>> max(scores, key=scores.__getitem__)
    'doses'
    """
    return _classifier().scores(_sample(masked))


@cache
def _classifier() -> TextClassifier[Intent]:
    rows = [row[:2] for row in read_rows(__package__, "questions.tsv")]
    samples = [_sample(question) for _, question in rows]
    return fit_ridge(samples, [intents.split(";") for intents, _ in rows], INTENTS, _SCALE, _RIDGE)


def _sample(question: str) -> Sample:
    """The letters of a question in runs, and the topics that its words name."""
    topics = Counter({f"#{name}": _TOPIC for name in _topics(question)})
    counts = topics + letter_runs(question, "?.。!")
    return Sample({name: count**0.5 for name, count in counts.items()}, plain(question))


def _topics(question: str) -> list[str]:
    """The intents that words of a question speak for."""
    lower = plain(question)
    return [name for name, pattern in _topic_patterns().items() if pattern.search(lower)]


@cache
def _topic_patterns() -> Mapping[str, re.Pattern[str]]:
    return {
        name: re.compile(
            "|".join(
                [
                    rf"\b(?:{'|'.join(map(re.escape, split_cell(english)))})",
                    *map(re.escape, split_cell(chinese)),
                ]
            )
        )
        for name, english, chinese in read_rows(__package__, "topics.tsv")
    }
