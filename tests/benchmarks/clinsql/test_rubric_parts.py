"""Both rubrics of a question for readers: every leaf with the item of its verdicts."""

from collections.abc import Iterator

from wardround.benchmarks.clinsql.benchmark import CohortBenchmark
from wardround.benchmarks.clinsql.items.item import leaf_items
from wardround.benchmarks.clinsql.tasks import shipped_tasks
from wardround.core.conversation import RubricPart


def leaves(part: RubricPart) -> Iterator[RubricPart]:
    if not part.parts:
        yield part
    for inner in part.parts:
        yield from leaves(inner)


def test_every_leaf_is_shown_with_its_item() -> None:
    for task in shipped_tasks().tasks:
        parts = CohortBenchmark.rubrics(task)
        assert [part.text for part in parts] == ["SQL rubric", "Results rubric"]
        shown = [leaf for part in parts for leaf in leaves(part)]
        assert [leaf.item for leaf in shown] == leaf_items(task.hidden)
        assert all(leaf.text for leaf in shown)
