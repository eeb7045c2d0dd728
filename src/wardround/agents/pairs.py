"""Questions with their SQL, as agents learn from them: read from a published file."""

from pathlib import Path
from typing import NamedTuple

from wardround.benchmarks.ehrsql.tasks import NULL, load_tasks
from wardround.core.errors import UserError


class Pair(NamedTuple):
    """A question and its SQL; None where the records cannot answer it."""

    question: str
    sql: str | None


def load_pairs(path: Path) -> tuple[Pair, ...]:
    """The labelled questions of EHRSQL 1.5 or EHRSQL 2024, in the file's order.

    Raises:
        UserError: nothing can be read there, or no question has a label.
    """
    tasks = load_tasks(path).tasks
    labelled = [(task.public.question, task.hidden.gold) for task in tasks if task.hidden.gold]
    if not labelled:
        raise UserError(f"{path} has no labels to learn from; name a file or folder that has.")
    return tuple(Pair(question, None if gold == NULL else gold) for question, gold in labelled)
