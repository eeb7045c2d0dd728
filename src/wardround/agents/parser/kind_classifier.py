"""Classifies questions: by the form of the query, by the event it is about, and as a whole.

Form and event are classified apart, so that a form learned with one event applies to others.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from wardround.agents.parser.canonical import KindDescription
from wardround.agents.parser.features import without_domains
from wardround.agents.parser.log_linear import Floats, LogLinearModel, fit

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
    descriptions: Sequence[KindDescription],
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
    generic = [without_domains(one) for one in inputs]
    attributes = [(*one.form, *one.event, str(kind)) for kind, one in enumerate(descriptions)]
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
    numbers = {one: at for at, one in enumerate(distinct)}
    return distinct, [numbers[one] for one in attributes]
