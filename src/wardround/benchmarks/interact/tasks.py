"""BIRD-Interact tasks: the public part, and apart from it the hidden point."""

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
    """One request with what grades it: hidden from the agent, the follow-up's request too.

    Attributes:
        request: What is asked.
        category: A question (BI) or a change (DM).
        gold: The statements that carry it out.
        tests: Programs in Python that check the state after the agent's statements; without any
            the results of gold and agent are compared.
        follow_up: The type of a follow-up (Table 8); "" for the first.
        knowledge: The ids of the entries of the knowledge base that it is built on.
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
    """The part of a task that the agent may know.

    Attributes:
        request: The ambiguous request.
        database: The database's name, by which settings give its place.
    """

    request: str
    database: str


@dataclass(frozen=True, slots=True)
class InteractHidden:
    """The part of a task for the user and the scorer only.

    Attributes:
        clear: The first request without ambiguities; "" if the file has none.
        first: The first request, as the agent hears it, with its gold.
        second: The follow-up, asked once the first has succeeded; None if there is none.
        ambiguities: Of the first request.
        before: Statements that prepare the database for the task.
        after: Statements that clean up; a trial of its own database needs none.
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
        """The number of ambiguities that budgets and questions count (m_amb, 4.1).

        Critical ones and those of knowledge count; others leave the intent clear.
        """
        return sum(point.critical or point.knowledge is not None for point in self.ambiguities)

    @property
    def masked(self) -> frozenset[int]:
        """The entries of the knowledge base that the agent cannot see."""
        return frozenset(
            point.knowledge for point in self.ambiguities if point.knowledge is not None
        )


InteractTask: TypeAlias = Task[InteractPublic, InteractHidden]


def interact_task(id: str, public: InteractPublic, hidden: InteractHidden) -> InteractTask:
    """A task with its labels; several types are separated by commas, absent ones left out."""
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
    """The task with one-shot gaps and broken chains named, if its file does not.

    Args:
        task: as it was loaded.
        bases: the knowledge of each database, nothing masked.
    """
    base = bases.get(task.public.database, KnowledgeBase({}))
    kinds = gap_kinds(base, task.hidden.first.knowledge)
    ambiguities = tuple(
        point if point.kind in names("knowledge") else replace(point, kind=kind)
        for point in task.hidden.ambiguities
        for kind in [kinds.get(point.knowledge, point.kind)]
    )
    return interact_task(task.id, task.public, replace(task.hidden, ambiguities=ambiguities))
