"""Classifies questions by the form of the query, by the event it is about, and as a whole.

Form and event are classified apart, so that a form learned with one event applies to others.
Features are the words of a question, their pairs, and its values, times and numbers.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from wardround.agents.parser.log_linear import Floats, LogLinearModel, fit
from wardround.agents.parser.question_reader import Reading, time_role

_PUNCTUATION = frozenset(".,?!;:\"'`")


def features(reading: Reading) -> tuple[str, ...]:
    """The distinct features of a question, sorted."""
    masked = [word for word in reading.masked if word not in _PUNCTUATION]
    generic = ["<value>" if _is_value(word) else word for word in masked]
    names = {*_word_features(masked), *_word_features(generic), *_finding_features(reading)}
    return tuple(sorted(names))


def without_domains(features: Sequence[str]) -> tuple[str, ...]:
    """The features that do not depend on the domains of the values."""
    return tuple(
        feature
        for feature in features
        if not ("<" in feature and "." in feature) and feature[0] != "v"
    )


def _is_value(word: str) -> bool:
    return word.startswith("<") and "." in word


def _word_features(masked: Sequence[str]) -> Iterator[str]:
    yield from (f"w {word}" for word in masked)
    yield from (f"p {first} {second}" for first, second in pairwise(["^", *masked, "$"]))
    words = [word for word in masked if not word.startswith("<")]
    yield from (f"s {first} {second}" for first, second in zip(words, words[2:], strict=False))


def _finding_features(reading: Reading) -> Iterator[str]:
    for mention in reading.mentions:
        yield from (f"v {domain.name}" for domain in mention.values)
    yield f"n {len(reading.mentions)}"
    for time in reading.times:
        inside = (word.text for word in reading.words[time.first : time.last])
        yield from (f"i {word}" for word in inside if word.isalpha())
    yield from (f"# {number.value}" for number in reading.numbers)
    roles = [time_role(time.filter) for time in reading.times]
    yield from (f"t {role} {roles.count(role)}" for role in roles)


if TYPE_CHECKING:
    from wardround.agents.parser.sql.canonical import KindDescription

# Weight of the whole-kind classifier in the ensemble.
_WHOLE_WEIGHT = 0.5

# Prior variance of form- and event-specific weights; smaller values share more strength with rare
# classes.
_PRIOR_VARIANCE = 0.3

# Class-weight exponent: weight = count ** -LEVEL.
_LEVEL = 0.7


class KindScores(NamedTuple):
    """Log probabilities of each kind, by its form, by its event and as a whole."""

    form: Floats
    event: Floats
    whole: Floats

    @property
    def total(self) -> Floats:
        """The scores of the ensemble."""
        total: Floats = self.form + self.event + _WHOLE_WEIGHT * self.whole
        return total


class KindClassifier(NamedTuple):
    """An ensemble that classifies questions.

    Attributes:
        form, event, whole: Models of the form, the event and the whole kind.
        answerable: A model of whether records can answer the question: class 1 if they can.
        forms, events: The form and event of each kind, by number.
    """

    form: LogLinearModel
    event: LogLinearModel
    whole: LogLinearModel
    answerable: LogLinearModel
    forms: tuple[int, ...]
    events: tuple[int, ...]

    def scores(self, features: Sequence[str]) -> KindScores:
        """The scores of all kinds for a question."""
        form = self.form.log_probabilities(without_domains(features))[list(self.forms)]
        event = self.event.log_probabilities(features)[list(self.events)]
        return KindScores(form, event, self.whole.log_probabilities(features))

    def answerable_log_odds(self, features: Sequence[str]) -> float:
        """The log odds that records can answer the question."""
        no, yes = self.answerable.log_probabilities(features)
        return float(yes - no)


def fit_classifier(
    descriptions: "Sequence[KindDescription]",
    features: Sequence[Sequence[str]],
    kinds: Sequence[int | None],
) -> KindClassifier:
    """Fit the ensemble.

    Args:
        descriptions: The kinds, by number.
        features: The features of each question.
        kinds: The kind of each question; None where records cannot answer it.
    """
    forms, form_of = _numbered([description.form for description in descriptions])
    events, event_of = _numbered([description.event for description in descriptions])
    known = [at for at, kind in enumerate(kinds) if kind is not None]
    gold = [kind for kind in kinds if kind is not None]
    weights = _class_weights(gold)
    inputs = [features[at] for at in known]
    generic = [without_domains(item) for item in inputs]
    attributes = [(*item.form, *item.event, str(kind)) for kind, item in enumerate(descriptions)]
    return KindClassifier(
        fit(generic, [form_of[kind] for kind in gold], forms, weights, _PRIOR_VARIANCE),
        fit(inputs, [event_of[kind] for kind in gold], events, weights, _PRIOR_VARIANCE),
        fit(inputs, gold, attributes, weights, _PRIOR_VARIANCE / 2),
        _fit_answerable(features, kinds),
        tuple(form_of),
        tuple(event_of),
    )


def _class_weights(gold: Sequence[int]) -> list[float]:
    counts = Counter(gold)
    weights = np.asarray([counts[kind] ** -_LEVEL for kind in gold])
    normalized: list[float] = (weights / weights.mean()).tolist()
    return normalized


def _fit_answerable(
    features: Sequence[Sequence[str]], kinds: Sequence[int | None]
) -> LogLinearModel:
    labels = [int(kind is not None) for kind in kinds]
    share = sum(labels) / max(len(labels), 1)
    weights = [(1 - share if label else share) * 2 for label in labels]
    return fit(features, labels, [("no",), ("yes",)], weights, prior_variance=1.0)


def _numbered(
    attributes: Sequence[tuple[str, ...]],
) -> tuple[list[tuple[str, ...]], list[int]]:
    """The distinct attributes, and the number of each."""
    distinct = list(dict.fromkeys(attributes))
    numbers = {item: at for at, item in enumerate(distinct)}
    return distinct, [numbers[attribute] for attribute in attributes]
