"""Trains the classifiers of instructions' clauses and conditions and writes their weights.

Run from the repository's root: `python -m tools.clause_classifier.train`, which also prints how
many lines are classified rightly while they are held out; `--check` writes nothing.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tools.classifier_training import fit_softmax
from wardround.people.clause_classifier import SCALE, sample
from wardround.people.text_classifier import TextClassifier

HERE = Path(__file__).parent
WEIGHTS = HERE.parents[1] / "src/wardround/people/clause_classifier.npz"
NAMES = ("clauses", "conditions")
FOLDS = 10
# Features in fewer lines are left out.
LEAST = 2
PENALTY = 0.05

Line: TypeAlias = tuple[str, str]


def main(check: bool) -> None:
    """Prints figures of held-out lines, and trains on all of them."""
    stored: dict[str, Any] = {}
    for name in NAMES:
        lines = read_lines(name)
        _print_figures(name, lines)
        trained = train_classifier(lines)
        stored[f"{name}_classes"] = np.array(trained.labels)
        stored[f"{name}_features"] = np.array(list(trained.index))
        stored[f"{name}_weights"] = trained.weights.astype(np.float16)
    if not check:
        np.savez_compressed(WEIGHTS, **stored)


def read_lines(name: str) -> list[Line]:
    """Reads the labelled lines, pairs of class and text."""
    text = (HERE / f"{name}.tsv").read_text(encoding="utf-8")
    pairs = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return [(label, words) for label, words in pairs]


def train_classifier(lines: Sequence[Line]) -> TextClassifier[str]:
    """Fits a classifier."""
    classes = tuple(sorted({label for label, _ in lines}))
    samples = [sample(text) for _, text in lines]
    known = [(label,) for label, _ in lines]
    return fit_softmax(samples, known, classes, SCALE, PENALTY, steps=200, least=LEAST)


def _likeliest(classifier: TextClassifier[str], text: str) -> str:
    shares = classifier.probabilities(sample(text))
    return max(shares, key=lambda name: shares[name])


def _print_figures(name: str, lines: Sequence[Line]) -> None:
    wrong = []
    for fold in range(FOLDS):
        trained = train_classifier([line for n, line in enumerate(lines) if n % FOLDS != fold])
        held_out = lines[fold::FOLDS]
        wrong += [(label, _likeliest(trained, text), text) for label, text in held_out]
    misses = [case for case in wrong if case[0] != case[1]]
    print(f"{name}: {len(lines) - len(misses)} of {len(lines)} held-out lines")
    for label, guess, text in misses:
        print(f"  {label} -> {guess}: {text}")


if __name__ == "__main__":
    main("--check" in sys.argv[1:])
