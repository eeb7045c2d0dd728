"""Makes the shipped tasks from handwritten definitions."""

import tomllib
from collections.abc import Iterator
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from wardround.authoring.interact.task_writer import in_file_order
from wardround.benchmarks.interact.open_databases import SHIPPED
from wardround.benchmarks.interact.tasks import (
    Category,
    InteractHidden,
    InteractPublic,
    InteractTask,
    Subtask,
    interact_task,
)
from wardround.core.errors import UserError
from wardround.ehr.knowledge import KnowledgeBase, clinical_knowledge
from wardround.people.clarifying.secret import Ambiguity
from wardround.scoring.soft_results import Conditions


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid")


class WrittenAmbiguity(_Written):
    """An ambiguity; `knowledge` names the masked entry."""

    term: str
    kind: str
    fragment: str
    meaning: str
    otherwise: tuple[str, ...]
    critical: bool = True
    knowledge: str = ""


class WrittenRequest(_Written):
    """A request with its gold and test."""

    request: str
    gold: str
    test: str = ""
    order: bool = False
    distinct: bool = False
    decimals: int | None = None
    uses: tuple[str, ...] = ()


class WrittenFollowUp(WrittenRequest):
    """A follow-up, by default of the first request's category."""

    kind: str
    category: Category | None = None


class WrittenTask(WrittenRequest):
    """A task; `uses` names the knowledge-base entries that it needs."""

    id: str
    category: Category
    clear: str
    ambiguities: tuple[WrittenAmbiguity, ...]
    follow_up: WrittenFollowUp


def written_tasks() -> Iterator[WrittenTask]:
    """Yields the definitions of all files, in order of file names."""
    folder = files(__package__) / "suite"
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            tasks = tomllib.loads(file.read_text("utf-8"))["tasks"]
            yield from map(WrittenTask.model_validate, tasks)


def made_tasks() -> tuple[InteractTask, ...]:
    """Makes the tasks of the shipped suite.

    Raises:
        UserError: a task names an unknown knowledge-base entry, or a fragment that is not in
            its gold.
    """
    base = clinical_knowledge()
    return tuple(_task(task, base) for task in written_tasks())


def _task(task: WrittenTask, base: KnowledgeBase) -> InteractTask:
    follow_up = task.follow_up
    category = follow_up.category or task.category
    hidden = InteractHidden(
        clear=task.clear,
        first=_subtask(task, task.category, base),
        second=_subtask(follow_up, category, base, follow_up.kind),
        ambiguities=in_file_order(_ambiguity(each, task, base) for each in task.ambiguities),
    )
    return interact_task(task.id, InteractPublic(task.request, SHIPPED), hidden)


def _subtask(
    written: WrittenRequest, category: Category, base: KnowledgeBase, kind: str = ""
) -> Subtask:
    return Subtask(
        written.request,
        category,
        (written.gold.strip(),),
        (written.test.strip(),) if written.test else (),
        Conditions(written.order, written.distinct, written.decimals),
        kind,
        tuple(_id(name, base) for name in written.uses),
    )


def _ambiguity(written: WrittenAmbiguity, task: WrittenTask, base: KnowledgeBase) -> Ambiguity:
    if written.fragment not in task.gold:
        raise UserError(f"Task {task.id}: {written.term!r} has a fragment that is not in the gold.")
    return Ambiguity(
        written.term,
        written.kind,
        (written.fragment,),
        written.critical,
        _id(written.knowledge, base) if written.knowledge else None,
        written.meaning,
        written.otherwise,
    )


def _id(name: str, base: KnowledgeBase) -> int:
    entry = base.named(name)
    if entry is None:
        raise UserError(f"The knowledge base has no entry {name!r}; fix the task that names it.")
    return entry.id
