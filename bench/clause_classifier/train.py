"""Trains the classifiers of instructions' clauses and conditions and writes their weights.

Run from the repository's root: `python -m bench.clause_classifier.train`, which also prints how
many lines are classified rightly while they are held out; `--check` writes nothing.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from bench.question_classifier.fitting import fit_classes
from wardround.people.clause_classifier import ClauseClassifier, features, vectors

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
        stored[f"{name}_classes"] = np.array(trained.classes)
        stored[f"{name}_features"] = np.array(list(trained.index))
        stored[f"{name}_weights"] = trained.weights.astype(np.float16)
    if not check:
        np.savez_compressed(WEIGHTS, **stored)


def read_lines(name: str) -> list[Line]:
    """Reads the labelled lines, pairs of class and text."""
    text = (HERE / f"{name}.tsv").read_text(encoding="utf-8")
    pairs = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return [(label, words) for label, words in pairs]


def train_classifier(lines: Sequence[Line]) -> ClauseClassifier:
    """Fits a classifier."""
    counts = Counter(feature for _, text in lines for feature in set(features(text)))
    kept = sorted(feature for feature, count in counts.items() if count >= LEAST)
    index = {feature: place for place, feature in enumerate(kept)}
    classes = tuple(sorted({label for label, _ in lines}))
    right = np.array([[label == name for name in classes] for label, _ in lines], np.float32)
    rows = vectors([text for _, text in lines], index)
    return ClauseClassifier(classes, index, fit_classes(rows, right, PENALTY, steps=200))


def _likeliest(classifier: ClauseClassifier, text: str) -> str:
    shares = classifier.probabilities(text)
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
