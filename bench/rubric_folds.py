"""Measures folding rubric trees: 8,000 trees of the published size, parsed beforehand."""

from time import perf_counter

from bench.figures import Figure, figure
from wardround.scoring.rubrics.folds import fold
from wardround.scoring.rubrics.tree import RubricNode

TREES, ROUNDS = 8000, 3
SECTIONS, LEAVES = 4, 3  # 12 leaves; published SQL trees have 12.3 on average


def measure() -> list[Figure]:
    """The seconds of the fastest of three rounds."""
    trees = [_tree(number) for number in range(TREES)]
    verdicts = [
        {leaf.id: float((number + at) % 5 > 0) for at, leaf in enumerate(tree.leaves())}
        for number, tree in enumerate(trees)
    ]
    seconds = min(_round(trees, verdicts) for _ in range(ROUNDS))
    name = f"Folding {TREES:,} rubric trees of {SECTIONS * LEAVES} leaves"
    return [figure(name, seconds, "s", "goal: at most 1")]


def _round(trees: list[RubricNode], verdicts: list[dict[str, float]]) -> float:
    started = perf_counter()
    for tree, leaves in zip(trees, verdicts, strict=True):
        fold(tree, leaves, "published")
    return perf_counter() - started


def _tree(number: int) -> RubricNode:
    sections = tuple(
        RubricNode(
            f"section-{at}",
            weight=1 + at % 3,
            sequential=(number + at) % 4 == 0,
            children=tuple(
                RubricNode(f"leaf-{at}-{leaf}", "A requirement.", critical=leaf == 0)
                for leaf in range(LEAVES)
            ),
        )
        for at in range(SECTIONS)
    )
    return RubricNode("root", "Rubric", children=sections)
