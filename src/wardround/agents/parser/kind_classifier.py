"""Which kind a question is: what is done with the records, what they are of, and both at once.

Form and event are decided apart, so that a form learnt of one event holds for another.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from wardround.agents.parser.canonical import Description
from wardround.agents.parser.features import general
from wardround.agents.parser.log_linear import Floats, Model, fit

# How much the model of whole kinds says beside those of forms and events.
_WHOLE = 0.5

# How far forms, and events, are apart beside what they share: the less, the more is learnt of those
# that are rare from those that are frequent.
_APART = 0.3

# How far questions of frequent kinds count less, so that a kind seen once is learnt as well.
_LEVEL = 0.7


class Likely(NamedTuple):
    """How likely each kind is by its form, by its event and as a whole, as logarithms."""

    form: Floats
    event: Floats
    whole: Floats

    @property
    def scores(self) -> Floats:
        """All three together."""
        scores: Floats = self.form + self.event + _WHOLE * self.whole
        return scores


class Decider(NamedTuple):
    """Models of the kinds of questions.

    Attributes:
        form, event, whole: What says which form, which event and which kind a question is of.
        forms, events: The form and event of each kind, by number.
        answerable: What says whether records can answer a question: 1 where they can.
    """

    form: Model
    event: Model
    whole: Model
    answerable: Model
    forms: tuple[int, ...]
    events: tuple[int, ...]

    def kinds(self, features: Sequence[str]) -> Likely:
        """How far each kind fits the question."""
        form = self.form.log_likelihoods(general(features))[list(self.forms)]
        event = self.event.log_likelihoods(features)[list(self.events)]
        return Likely(form, event, self.whole.log_likelihoods(features))

    def odds(self, features: Sequence[str]) -> float:
        """The logarithm of the odds that records can answer the question."""
        no, yes = self.answerable.log_likelihoods(features)
        return float(yes - no)


def decider(
    descriptions: Sequence[Description],
    features: Sequence[Sequence[str]],
    kinds: Sequence[int | None],
) -> Decider:
    """Models that decide the kind of a question.

    Args:
        descriptions: The kinds.
        features: What each question is like.
        kinds: The kind of each; None where records cannot answer it.
    """
    forms, of_form = _numbered([description.form for description in descriptions])
    events, of_event = _numbered([description.event for description in descriptions])
    known = [at for at, kind in enumerate(kinds) if kind is not None]
    gold = [kind for kind in kinds if kind is not None]
    counted = Counter(gold)
    weights = np.asarray([counted[kind] ** -_LEVEL for kind in gold])
    weights /= weights.mean()
    those = [features[at] for at in known]
    numbers = [(str(kind),) for kind in range(len(descriptions))]
    both = [(*one.form, *one.event, *own) for one, own in zip(descriptions, numbers, strict=True)]
    plain = [general(one) for one in those]
    whole = fit(those, gold, both, weights.tolist(), own=_APART / 2)
    return Decider(
        fit(plain, [of_form[kind] for kind in gold], forms, weights.tolist(), own=_APART),
        fit(those, [of_event[kind] for kind in gold], events, weights.tolist(), own=_APART),
        whole,
        _answerable(features, kinds),
        tuple(of_form),
        tuple(of_event),
    )


def _answerable(features: Sequence[Sequence[str]], kinds: Sequence[int | None]) -> Model:
    labels = [int(kind is not None) for kind in kinds]
    share = sum(labels) / max(len(labels), 1)
    weights = [(1 - share if label else share) * 2 for label in labels]
    return fit(features, labels, [("no",), ("yes",)], weights, own=1.0)


def _numbered(
    attributes: Sequence[tuple[str, ...]],
) -> tuple[list[tuple[str, ...]], list[int]]:
    """The distinct ones, and the number of each."""
    distinct = list(dict.fromkeys(attributes))
    numbers = {one: at for at, one in enumerate(distinct)}
    return distinct, [numbers[one] for one in attributes]
