"""Published questions with their SQL, for agents to learn from."""

from collections.abc import Iterable
from pathlib import Path

from wardround.agents.pairs import Pair
from wardround.benchmarks.ehrsql.tasks import NULL, EhrsqlTask, load_tasks
from wardround.core.errors import UserError


def load_labelled(path: Path) -> tuple[EhrsqlTask, ...]:
    """The labelled questions of EHRSQL 1.5 or EHRSQL 2024, in the file's order.

    Raises:
        UserError: nothing can be read there, or no question has a label.
    """
    labelled = tuple(task for task in load_tasks(path).tasks if task.hidden.gold)
    if not labelled:
        raise UserError(f"{path} has no labels to learn from; name a file or folder that has.")
    return labelled


def pairs_of(tasks: Iterable[EhrsqlTask]) -> tuple[Pair, ...]:
    """Labelled questions as pairs."""
    return tuple(
        Pair(task.public.question, None if task.hidden.gold == NULL else task.hidden.gold)
        for task in tasks
    )


def load_pairs(path: Path) -> tuple[Pair, ...]:
    """The labelled questions of a published file as pairs.

    Raises:
        UserError: as for `load_labelled`.
    """
    return pairs_of(load_labelled(path))
