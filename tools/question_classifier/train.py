"""Trains the classifier of clarifying questions and writes its weights.

Run from the repository's root: `python -m tools.question_classifier.train`, which also prints
cross-validation figures; with `--check` it prints them only.
"""

import sys
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from random import Random

import numpy as np

from tools.classifier_training import fit_softmax
from tools.question_classifier.examples import (
    ROOT,
    SOURCES,
    Example,
    Line,
    classes_of,
    example_wording,
    frequencies,
    line_wording,
    read_examples,
    read_lines,
)
from tools.question_classifier.fitting import Case, Matrix, fit_ranking
from wardround.people.clarifying.candidate_features import compare
from wardround.people.clarifying.candidates import candidates
from wardround.people.clarifying.model_free import Ranking
from wardround.people.clarifying.questions.classifier import (
    REFUSE,
    SCALE,
    QuestionClassifier,
    sample,
)
from wardround.people.clarifying.questions.features import features
from wardround.people.clarifying.questions.text import expand_shorthand

WEIGHTS = ROOT / "src/wardround/people/clarifying/questions/classifier.npz"
FOLDS = 5
# The name of the digest of training files in the weights' file.
LINES_KEY = "digest"
# The smallest number of wordings with a feature.
LEAST = 3
CLASS_PENALTY, RANKING_PENALTY = 0.02, 0.002
# Weight of questions made from ambiguous terms, which outnumber the others.
NAMING_WEIGHT = 0.1


def main(check: bool) -> None:
    """Prints cross-validation figures and, unless `check`, trains on all questions."""
    lines, examples = list(read_lines()), read_examples()
    comparisons = _held_out_comparisons(lines, examples)
    if not check:
        classifier = train_classifier(lines, examples)
        ranking = _train_ranking(list(range(len(examples))), examples, comparisons)
        _write(classifier, ranking)
    _print_figures(examples, comparisons)


def digest() -> str:
    """Returns the digest of all training files."""
    return sha256(b"".join(path.read_bytes() for path in SOURCES)).hexdigest()


def train_classifier(lines: list[Line], examples: list[Example]) -> QuestionClassifier:
    """Trains the classifier of wordings."""
    counts = frequencies(lines)
    classes = tuple(sorted({name for line in lines for name in line.classes} | {"line"}))
    reasons = tuple(name for name in classes if name.startswith(REFUSE))
    labelled = [(line_wording(line, counts), line.classes) for line in lines]
    labelled += [
        (example_wording(example, counts), known)
        for example in examples
        if example.source != "terms"
        if (known := tuple(set(classes_of(example, reasons)) & set(classes)))
    ]
    by_feature = Counter(feature for each, _ in labelled for feature in set(features(each)))
    rarity = {
        name: float(np.log(1 + len(labelled) / count))
        for name, count in by_feature.items()
        if count >= LEAST
    }
    samples = [sample(each, rarity) for each, _ in labelled]
    allowed = [own for _, own in labelled]
    return QuestionClassifier(
        fit_softmax(samples, allowed, classes, SCALE, CLASS_PENALTY), rarity, counts, len(lines)
    )


@dataclass(frozen=True)
class Compared:
    """Features of a question's candidates, by a classifier not trained on it."""

    candidates: Matrix
    refusal: Matrix
    right: Matrix


def _held_out_comparisons(lines: list[Line], examples: list[Example]) -> list[Compared]:
    folds = _folds(examples)
    by_place: dict[int, Compared] = {}
    for fold in range(FOLDS):
        rest = [example for example, own in zip(examples, folds, strict=True) if own != fold]
        classifier = train_classifier(lines, rest)
        for place, example in enumerate(examples):
            if folds[place] == fold:
                by_place[place] = _compared(example, classifier)
    return [by_place[place] for place in range(len(examples))]


def _compared(example: Example, classifier: QuestionClassifier) -> Compared:
    comparison = compare(expand_shorthand(example.question), example.secret, classifier)
    count = len(candidates(example.secret))
    right = [float(place in example.right) for place in range(count + 1)]
    rows, refusal = np.array(comparison.candidates), np.array(comparison.refusal)
    return Compared(rows, refusal, np.array(right))


def _train_ranking(
    places: list[int], examples: list[Example], comparisons: list[Compared]
) -> Ranking:
    cases = [
        Case(
            comparisons[place].candidates,
            comparisons[place].refusal,
            comparisons[place].right,
            NAMING_WEIGHT if examples[place].source == "terms" else 1.0,
        )
        for place in places
        if examples[place].right
    ]
    own, refusal = fit_ranking(cases, RANKING_PENALTY)
    return Ranking(own.astype(np.float32), refusal.astype(np.float32))


def _print_figures(examples: list[Example], comparisons: list[Compared]) -> None:
    folds = _folds(examples)
    right, refused, asked = (
        Counter[tuple[str, str]](),
        Counter[tuple[str, str]](),
        Counter[tuple[str, str]](),
    )
    for fold in range(FOLDS):
        ranking = _train_ranking(
            [p for p, f in enumerate(folds) if f != fold], examples, comparisons
        )
        for place, example in enumerate(examples):
            if folds[place] == fold:
                best = _best(ranking, comparisons[place])
                group = (example.source, example.kind)
                asked[group] += 1
                right[group] += best in example.right
                refused[group] += best == len(candidates(example.secret))
    for group in sorted(asked):
        shares = (100 * count[group] / asked[group] for count in (right, refused))
        print(*group, "right {:.1f} %, refused {:.1f} %".format(*shares))


def _best(ranking: Ranking, compared: Compared) -> int:
    scores = np.append(compared.candidates @ ranking.candidates, compared.refusal @ ranking.refusal)
    return int(scores.argmax())


def _folds(examples: list[Example]) -> list[int]:
    """Returns the fold of each example; questions about the same task share a fold."""
    requests = sorted({example.secret.request for example in examples})
    Random(1).shuffle(requests)
    place = {request: number % FOLDS for number, request in enumerate(requests)}
    return [place[example.secret.request] for example in examples]


def _write(classifier: QuestionClassifier, ranking: Ranking) -> None:
    linear = classifier.classifier
    stems = sorted(classifier.frequencies)
    np.savez_compressed(
        WEIGHTS,
        classes=np.array(linear.labels),
        features=np.array(list(linear.index)),
        rarity=np.array([classifier.rarity[name] for name in linear.index], np.float16),
        weights=linear.weights.astype(np.float16),
        stems=np.array(stems),
        frequencies=np.array([classifier.frequencies[stem] for stem in stems], np.int32),
        lines=np.array(classifier.lines),
        digest=np.array(digest()),
        candidate_weights=ranking.candidates,
        refusal_weights=ranking.refusal,
    )


if __name__ == "__main__":
    main("--check" in sys.argv)
