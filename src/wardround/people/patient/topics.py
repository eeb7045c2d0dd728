"""The topic of a question to a patient, by a small classifier learned from labelled questions."""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Literal, TypeAlias, get_args

from wardround.core.packaged_data import read_rows
from wardround.people.patient.letter_classifier import fitted, sample
from wardround.people.text_classifier import TextClassifier

Topic: TypeAlias = Literal[
    "onset", "provocation", "quality", "radiation", "severity", "timing", "complaint",
    "medications", "diagnoses", "social", "function", "other", "more",
]  # fmt: skip
TOPICS: tuple[Topic, ...] = get_args(Topic)
SLOTS: tuple[Topic, ...] = TOPICS[:6]
# The topics that may be asked about a subject; the first is meant if there is no question.
TOPICS_OF: Mapping[str, tuple[Topic, ...]] = {
    "symptom_history": ("complaint", *SLOTS, *TOPICS[7:12]),
    "pain_assessment": ("severity", *SLOTS, "complaint", "medications", "other"),
    "medication_adherence": ("medications", "diagnoses", "social", "other"),
    "social_history": ("social", "function", "medications", "diagnoses", "other"),
    "functional_status": ("function", "social", "medications", "other"),
}
# On eight folds of the labelled questions, the likeliest topic is right for 80%; for 88%, the right
# one is among these.
_NEAR = 0.15  # of a score
_MOST = 3


def topics(subject: str, question: str, *, going_on: bool = False) -> tuple[Topic, ...]:
    """The topics that a question on a subject may be about, the likeliest first.

    A question that may be about either of two topics is answered on both: a patient who is asked
    how often it happens tells both the times and the number.

    Args:
        subject: the subject, such as `social_history`.
        question: the question; "" for none.
        going_on: the patient has not told all of a list, and may be asked to go on.

    >>> topics("symptom_history", "When did it start?")
    ('onset',)
    """
    allowed = TOPICS_OF[subject]
    if not question.strip():
        return ("more",) if going_on else allowed[:1]
    if going_on:
        allowed = (*allowed, "more")
    scores = _scores(question)
    ranked = sorted(allowed, key=lambda name: -scores[name])
    if ranked[0] == "more":
        return ("more",)
    least = scores[ranked[0]] - _NEAR
    return tuple(name for name in ranked[:_MOST] if scores[name] >= least and name != "more")


@lru_cache(maxsize=1024)
def _scores(question: str) -> dict[Topic, float]:
    return _classifier().scores(sample(question))


@cache
def _classifier() -> TextClassifier[Topic]:
    rows = list(read_rows(__package__, "questions.tsv"))
    return fitted([question for _, question in rows], [name for name, _ in rows], TOPICS)
