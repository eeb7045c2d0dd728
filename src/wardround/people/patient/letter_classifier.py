"""Classifiers of sentences to and by a patient, over their letters and an embedding."""

from collections.abc import Sequence

from wardround.ehr.terms.chinese import plain
from wardround.people.text_classifier import (
    Label,
    Sample,
    Scale,
    TextClassifier,
    fit_ridge,
    letter_runs,
)

_RIDGE = 0.3
_EMBEDDING = 0.2  # share of the embedding beside the letters
_SCALE = Scale((1 - _EMBEDDING) ** 0.5, _EMBEDDING**0.5)


def fitted(
    texts: Sequence[str], classes: Sequence[str], labels: tuple[Label, ...]
) -> TextClassifier[Label]:
    """A classifier learned from texts and their classes."""
    samples = [sample(text) for text in texts]
    return fit_ridge(samples, [(name,) for name in classes], labels, _SCALE, _RIDGE)


def sample(text: str) -> Sample:
    """The letters of a text in runs, and its words."""
    counts = letter_runs(text, "?？.。")
    return Sample({name: count**0.5 for name, count in counts.items()}, plain(text))
