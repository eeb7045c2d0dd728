"""BIRD-Interact's tasks, a public and a hidden part, read from published files."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from wardround.benchmarks.interact.published import (
    ID,
    Records,
    find_files,
    read_records,
    record_id,
    truths_by_id,
    with_truth,
)
from wardround.benchmarks.kit.published_files import (
    FileRecord,
    parse_records,
    suite_of,
    validated,
    with_tasks,
)
from wardround.benchmarks.kit.record_fields import Ids, Many, Named, OneId, Part, Record, Texts
from wardround.core.task import Defect, Suite, Task
from wardround.ehr.knowledge import KnowledgeBase, gap_kinds
from wardround.people.clarifying.kinds import ambiguity_kind, follow_up_kind, in_order, names
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


def _some(texts: tuple[str, ...]) -> tuple[str, ...]:
    if not texts:
        raise PydanticCustomError(
            "empty", "there is none; put the file with the ground truth into the same folder"
        )
    return texts


def _category(value: Any) -> Any:
    known = {"query": "BI", "bi": "BI", "management": "DM", "dm": "DM"}
    category = known.get(value.strip().lower()) if isinstance(value, str) else None
    if category is None:
        raise PydanticCustomError("category", "Input should be Query, Management, BI or DM")
    return category


Gold = Annotated[Texts, AfterValidator(_some)]
Kind = Annotated[Category, BeforeValidator(_category)]


class PublishedConditions(Record):
    """Rules for comparing results; a negative `decimal` means no rounding."""

    decimal: int = -1
    distinct: bool = False
    order: bool = False

    def as_conditions(self) -> Conditions:
        """Converts the record to conditions."""
        decimals = None if self.decimal < 0 else self.decimal
        return Conditions(self.order, self.distinct, decimals)


class PublishedAmbiguity(Record):
    """An ambiguity; wardround adds the optional `meaning` and `other_readings`."""

    term: str
    type: str
    sql_snippet: Texts = ()
    meaning: str = ""
    other_readings: Texts = ()

    def ambiguity(self, *, critical: bool = True, knowledge: int | None = None) -> Ambiguity:
        """Converts the record to an ambiguity."""
        return Ambiguity(
            self.term,
            ambiguity_kind(self.type),
            self.sql_snippet,
            critical,
            knowledge,
            self.meaning,
            self.other_readings,
        )


class PublishedGap(PublishedAmbiguity):
    """A masked entry of the knowledge base."""

    type: str = "knowledge_ambiguity"
    deleted_knowledge: OneId = None


class PublishedAmbiguities(Record):
    """Ambiguities in the words of the request."""

    critical_ambiguity: Many[PublishedAmbiguity] = Field(default_factory=list)
    non_critical_ambiguity: Many[PublishedAmbiguity] = Field(default_factory=list)


class PublishedSubtask(Record):
    """The gold and tests of a request, the first or the follow-up."""

    sol_sql: Gold = Field(default=(), validate_default=True)
    test_cases: Texts = ()
    external_knowledge: Ids = ()
    conditions: Part[PublishedConditions] = PublishedConditions()

    def subtask(self, request: str, category: Category, follow_up: str = "") -> Subtask:
        """Combines the request with its gold and tests."""
        return Subtask(
            request,
            category,
            self.sol_sql,
            self.test_cases,
            self.conditions.as_conditions(),
            follow_up,
            self.external_knowledge,
        )


class PublishedFollowUp(PublishedSubtask):
    """The follow-up; without a category, "DM" if it has test programs and "BI" otherwise."""

    query: Named
    category: Kind | None = None
    type: str = ""

    def second(self) -> Subtask:
        """Combines the follow-up's request with its gold and tests."""
        category = self.category or ("DM" if self.test_cases else "BI")
        return self.subtask(self.query, category, follow_up_kind(self.type))


class PublishedTask(PublishedSubtask):
    """A record of a task file, with its ground truth filled in."""

    instance_id: Named
    selected_database: Named
    amb_user_query: Named
    category: Kind
    query: str | None = None
    user_query_ambiguity: Part[PublishedAmbiguities] = PublishedAmbiguities()
    knowledge_ambiguity: Many[PublishedGap] = Field(default_factory=list)
    preprocess_sql: Texts = ()
    clean_up_sqls: Texts = ()
    clean_up_sql: Texts = ()
    follow_up: Annotated[PublishedFollowUp | None, BeforeValidator(lambda v: v or None)] = None

    def as_task(self) -> InteractTask:
        """Splits the record into a task's public and hidden parts."""
        points, gaps = self.user_query_ambiguity, self.knowledge_ambiguity
        hidden = InteractHidden(
            clear=self.query or "",
            first=self.subtask(self.amb_user_query, self.category),
            second=self.follow_up.second() if self.follow_up else None,
            ambiguities=(
                *(each.ambiguity() for each in points.critical_ambiguity),
                *(each.ambiguity(critical=False) for each in points.non_critical_ambiguity),
                *(each.ambiguity(knowledge=each.deleted_knowledge) for each in gaps),
            ),
            before=self.preprocess_sql,
            after=self.clean_up_sqls or self.clean_up_sql,
        )
        public = InteractPublic(self.amb_user_query, self.selected_database)
        return interact_task(self.instance_id, public, hidden)


def load_tasks(source: Path, truth: Path | None = None) -> Suite:
    """Reads a task file.

    Args:
        source: a file of JSON Lines, or a folder with one. A second file of the folder whose
            records lack the request is the ground truth.
        truth: the ground-truth file, if it is not in the folder.

    Raises:
        UserError: a file is missing, or there is no readable task.
    """
    path, gold_path = find_files(source.expanduser())
    truth = truth.expanduser() if truth else gold_path
    truths = read_records(truth) if truth else ()
    return with_tasks(_suite(read_records(path), truths, str(path)), path)


def parse_tasks(content: bytes, source: str, truth: bytes = b"") -> Suite:
    """Reads tasks; broken records become defects.

    Args:
        content: JSON Lines or an array.
        source: the name used in defects.
        truth: the ground truth, in the same format; b"" if there is none.
    """
    truths = parse_records(truth, f"{source}'s ground truth")
    return _suite(parse_records(content, source), truths, source)


def shipped_tasks() -> Suite:
    """Reads the tasks shipped with wardround, which run on the synthetic hospital."""
    file = files("wardround.benchmarks.interact") / "suite" / "tasks.jsonl"
    return parse_tasks(file.read_bytes(), "the shipped suite")


def _suite(records: Records, truth: Records, source: str) -> Suite:
    truths, defects = truths_by_id(truth)
    suite = suite_of(records, partial(_task, truths=truths), source)
    known = {record_id(record) for record in records if isinstance(record, FileRecord)}
    orphans = (
        Defect(record.where, f"{ID}: {id} is no task's")
        for id, record in truths.items()
        if id not in known
    )
    return Suite(suite.tasks, (*defects, *suite.defects, *orphans), source)


def _task(record: FileRecord, truths: Mapping[str, FileRecord]) -> InteractTask | Defect:
    published = validated(with_truth(record, truths), PublishedTask)
    return published if isinstance(published, Defect) else published.as_task()
