"""Task files in the published form, with ground truth in the same or a second file."""

from importlib.resources import files
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from wardround.benchmarks.interact.tasks import (
    Category,
    InteractHidden,
    InteractPublic,
    InteractTask,
    Subtask,
    interact_task,
)
from wardround.benchmarks.kit.ground_truth import JoinedForm
from wardround.benchmarks.kit.published_files import FileRecord, validated
from wardround.benchmarks.kit.record_fields import Ids, Many, Named, OneId, Part, Record, Texts
from wardround.core.task import Defect, Suite
from wardround.people.clarifying.kinds import ambiguity_kind, follow_up_kind
from wardround.people.clarifying.secret import Ambiguity
from wardround.scoring.soft_results import Conditions


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


def _task(record: FileRecord) -> InteractTask | Defect:
    published = validated(record, PublishedTask)
    return published if isinstance(published, Defect) else published.as_task()


_FORM = JoinedForm("instance_id", "amb_user_query", "follow_up", _task)
load_tasks = _FORM.load
parse_tasks = _FORM.parse


def shipped_suite() -> Suite:
    """Reads the tasks shipped with wardround, which run on the synthetic hospital."""
    file = files("wardround.benchmarks.interact") / "suite" / "tasks.jsonl"
    return parse_tasks(file.read_bytes(), "the shipped suite")
