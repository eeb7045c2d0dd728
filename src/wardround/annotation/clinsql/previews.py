"""Scores of a rubric for chosen verdicts on its leaves, in all gradings."""

from collections.abc import Iterator

from wardround.annotation.views import RubricPreview
from wardround.benchmarks.clinsql.declaration import ALGORITHM, BENCHMARK, PAPER_17, STRICT
from wardround.benchmarks.clinsql.scorer import FILE_LEAF
from wardround.scoring.rubrics.folds import fold
from wardround.scoring.rubrics.tree import RubricNode


def previews(root: RubricNode, passed: frozenset[str], *, ran: bool) -> Iterator[RubricPreview]:
    """The root's score in each grading.

    Args:
        root: The rubric.
        passed: Ids of the leaves that are met.
        ran: True if the query gave rows; `strict` scores 0 otherwise.
    """
    for grading in BENCHMARK.gradings:
        leaves = {leaf.id: float(leaf.id in passed) for leaf in root.leaves()}
        if grading.name == PAPER_17 and FILE_LEAF in leaves:
            leaves[FILE_LEAF] = 1.0
        scores = fold(root, leaves, "algorithm" if grading.name == ALGORITHM else "published")
        score = 0.0 if grading.name == STRICT and not ran else scores[root.id]
        yield RubricPreview(grading.name, score, grading.summary)
