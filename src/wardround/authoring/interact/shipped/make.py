"""Makes the shipped task file from the tasks as they are written by hand."""

import tomllib
from collections.abc import Iterable, Iterator
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from wardround.benchmarks.interact.open_databases import SHIPPED
from wardround.benchmarks.interact.tasks import (
    Category,
    Conditions,
    InteractHidden,
    InteractPublic,
    InteractTask,
    Subtask,
    interact_task,
)
from wardround.core.errors import UserError
from wardround.ehr.knowledge import KnowledgeBase, clinical_knowledge
from wardround.people.clarifying.secret import Ambiguity


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid")


class WrittenAmbiguity(_Written):
    """A point that is unclear; `knowledge` names the entry that is masked."""

    term: str
    kind: str
    fragment: str
    meaning: str
    otherwise: tuple[str, ...]
    critical: bool = True
    knowledge: str = ""


class WrittenRequest(_Written):
    """A request with what grades it."""

    request: str
    gold: str
    test: str = ""
    order: bool = False
    distinct: bool = False
    decimals: int | None = None
    uses: tuple[str, ...] = ()


class WrittenFollowUp(WrittenRequest):
    """A follow-up; of the first request's category unless it names one."""

    kind: str
    category: Category | None = None


class WrittenTask(WrittenRequest):
    """A task; `uses` are the entries of the knowledge base that it needs."""

    id: str
    category: Category
    clear: str
    ambiguities: tuple[WrittenAmbiguity, ...]
    follow_up: WrittenFollowUp


def written_tasks() -> Iterator[WrittenTask]:
    """The tasks of all files, in the order of the files' names."""
    folder = files("wardround.authoring.interact.shipped") / "suite"
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        if file.name.endswith(".toml"):
            for found in tomllib.loads(file.read_text("utf-8"))["tasks"]:
                yield WrittenTask.model_validate(found)


def made_tasks() -> tuple[InteractTask, ...]:
    """The tasks of the shipped suite.

    Raises:
        UserError: A task names knowledge that there is not, or a fragment that is not in its gold.
    """
    base = clinical_knowledge()
    return tuple(_task(one, base) for one in written_tasks())


def _task(found: WrittenTask, base: KnowledgeBase) -> InteractTask:
    category = found.follow_up.category or found.category
    hidden = InteractHidden(
        clear=found.clear,
        first=_subtask(found, found.category, base),
        second=_subtask(found.follow_up, category, base, found.follow_up.kind),
        ambiguities=_as_filed(_ambiguity(one, found, base) for one in found.ambiguities),
    )
    return interact_task(found.id, InteractPublic(found.request, SHIPPED), hidden)


def _subtask(
    found: WrittenRequest, category: Category, base: KnowledgeBase, kind: str = ""
) -> Subtask:
    return Subtask(
        found.request,
        category,
        (found.gold.strip(),),
        (found.test.strip(),) if found.test else (),
        Conditions(found.order, found.distinct, found.decimals),
        kind,
        tuple(_id(name, base) for name in found.uses),
    )


def _ambiguity(found: WrittenAmbiguity, task: WrittenTask, base: KnowledgeBase) -> Ambiguity:
    if found.fragment not in task.gold:
        raise UserError(f"Task {task.id}: {found.term!r} has a fragment that is not in the gold.")
    return Ambiguity(
        found.term,
        found.kind,
        (found.fragment,),
        found.critical,
        _id(found.knowledge, base) if found.knowledge else None,
        found.meaning,
        found.otherwise,
    )


def _as_filed(found: Iterable[Ambiguity]) -> tuple[Ambiguity, ...]:
    """In the order in which a task file keeps them: those of intent, the others, masks."""
    return tuple(sorted(found, key=lambda one: (one.knowledge is not None, not one.critical)))


def _id(name: str, base: KnowledgeBase) -> int:
    entry = base.named(name)
    if entry is None:
        raise UserError(f"The knowledge base has no entry {name!r}; mend the task that names it.")
    return entry.id
