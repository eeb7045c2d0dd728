"""BIRD-Interact tasks: a public part and a hidden part."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from wardround.core.task import Task
from wardround.ehr.knowledge import KnowledgeBase, gap_kinds
from wardround.people.clarifying.kinds import in_order, names
from wardround.people.clarifying.secret import Ambiguity
from wardround.scoring.soft_results import Conditions

Category: TypeAlias = Literal["BI", "DM"]

STAGES = ("first", "second")


@dataclass(frozen=True, slots=True)
class Subtask:
    """A request with its gold and tests.

    Attributes:
        request: the request in words.
        category: a question (BI) or a change (DM).
        gold: the statements that carry it out.
        tests: Python programs that check the state after the agent's statements; without any,
            the results of gold and agent are compared.
        follow_up: the type of a follow-up (Table 8); "" for the first request.
        knowledge: ids of the knowledge-base entries that the request needs.
    """

    request: str
    category: Category
    gold: tuple[str, ...]
    tests: tuple[str, ...] = ()
    conditions: Conditions = field(default_factory=Conditions)
    follow_up: str = ""
    knowledge: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class InteractPublic:
    """The public part of a task.

    Attributes:
        request: the ambiguous request.
        database: the database's name.
    """

    request: str
    database: str


@dataclass(frozen=True, slots=True)
class InteractHidden:
    """The hidden part of a task, for the user and the scorer only.

    Attributes:
        clear: the first request without ambiguities; "" if the file has none.
        first: the first request, with its gold.
        second: the follow-up, asked after the first request is solved; None if there is none.
        ambiguities: the ambiguities of the first request.
        before: statements that prepare the database for the task.
        after: statements that clean up; not run, since each trial has its own database.
    """

    clear: str
    first: Subtask
    second: Subtask | None
    ambiguities: tuple[Ambiguity, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def requests(self) -> dict[str, Subtask]:
        """The requests by stage."""
        return {"first": self.first, **({"second": self.second} if self.second else {})}

    @property
    def budgeted(self) -> int:
        """The number of ambiguities that count for budget and patience (m_amb, 4.1).

        Critical and knowledge ambiguities count; the others leave the intent clear.
        """
        return sum(point.critical or point.knowledge is not None for point in self.ambiguities)

    @property
    def masked(self) -> frozenset[int]:
        """Ids of the knowledge-base entries that the agent cannot see."""
        return frozenset(
            point.knowledge for point in self.ambiguities if point.knowledge is not None
        )


InteractTask: TypeAlias = Task[InteractPublic, InteractHidden]


def interact_task(id: str, public: InteractPublic, hidden: InteractHidden) -> InteractTask:
    """Makes a task with its labels; several types are comma separated, empty labels left out."""
    present = {point.kind for point in hidden.ambiguities}
    labels = {
        "category": hidden.first.category,
        "ambiguities": ", ".join(in_order(present)),
        "knowledge": ", ".join(in_order(present & set(names("knowledge")))),
        "follow_up": hidden.second.follow_up if hidden.second else "",
        "database": public.database,
    }
    return Task(id, public, hidden, {name: value for name, value in labels.items() if value})


def with_gaps_named(task: InteractTask, bases: Mapping[str, KnowledgeBase]) -> InteractTask:
    """Classifies a task's masked knowledge as one-shot or chain, unless its file does.

    Args:
        task: the task as loaded.
        bases: each database's knowledge base, unmasked.
    """
    base = bases.get(task.public.database, KnowledgeBase({}))
    kinds = gap_kinds(base, task.hidden.first.knowledge)
    ambiguities = tuple(
        point if point.kind in names("knowledge") else replace(point, kind=kind)
        for point in task.hidden.ambiguities
        for kind in [kinds.get(point.knowledge, point.kind)]
    )
    return interact_task(task.id, task.public, replace(task.hidden, ambiguities=ambiguities))
