"""Task files in the published form; only here have tasks a second file of ground truth."""

from collections.abc import Iterable, Mapping
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from wardround.benchmarks.interact.tasks import (
    Category,
    Conditions,
    InteractHidden,
    InteractPublic,
    InteractTask,
    Subtask,
    interact_task,
)
from wardround.benchmarks.kit.ground_truth import (
    Records,
    find_files,
    read_records,
    record_id,
    records_by_id,
    without_task,
)
from wardround.benchmarks.kit.published_files import (
    FileRecord,
    parse_records,
    suite_of,
    validated,
    with_tasks,
)
from wardround.core.task import Defect, Suite
from wardround.people.clarifying.kinds import ambiguity_kind, follow_up_kind
from wardround.people.clarifying.secret import Ambiguity

_ID = "instance_id"


def _texts(value: Any) -> Any:
    """A list of texts from a list, from one text or from nothing; blank ones are left out."""
    found = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return [text for text in found if not isinstance(text, str) or text.strip()]


def _ids(value: Any) -> Any:
    """A list of ids from a list, from one id or from -1 or nothing for none."""
    found = value if isinstance(value, list) else [] if value is None else [value]
    return [id for id in found if id != -1]


def _id(value: Any) -> Any:
    found = _ids(value)
    return found[0] if len(found) == 1 else found or None


def _some(texts: tuple[str, ...]) -> tuple[str, ...]:
    if not texts:
        raise PydanticCustomError(
            "empty", "there is none; put the file with the ground truth into the same folder"
        )
    return texts


def _category(value: Any) -> Any:
    known = {"query": "BI", "bi": "BI", "management": "DM", "dm": "DM"}
    found = known.get(value.strip().lower()) if isinstance(value, str) else None
    if found is None:
        raise PydanticCustomError("category", "Input should be Query, Management, BI or DM")
    return found


Texts = Annotated[tuple[str, ...], BeforeValidator(_texts)]
Gold = Annotated[Texts, AfterValidator(_some)]
Ids = Annotated[tuple[int, ...], BeforeValidator(_ids)]
Named = Annotated[str, Field(min_length=1)]
Kind = Annotated[Category, BeforeValidator(_category)]


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore")


class PublishedConditions(_Record):
    """Rules for comparing results; a negative number of decimals is none."""

    decimal: int = -1
    distinct: bool = False
    order: bool = False


class PublishedAmbiguity(_Record):
    """A point that is unclear; `meaning` and `other_readings` are ours and optional."""

    term: str
    type: str
    sql_snippet: Texts = ()
    meaning: str = ""
    other_readings: Texts = ()


class PublishedGap(PublishedAmbiguity):
    """An entry of the knowledge base that is masked."""

    type: str = "knowledge_ambiguity"
    deleted_knowledge: Annotated[int | None, BeforeValidator(_id)] = None


def _list(value: Any) -> Any:
    return [] if value is None else value


def _object(value: Any) -> Any:
    return {} if value is None else value


class PublishedAmbiguities(_Record):
    """Ambiguities in the words of the request."""

    critical_ambiguity: Annotated[list[PublishedAmbiguity], BeforeValidator(_list)] = []
    non_critical_ambiguity: Annotated[list[PublishedAmbiguity], BeforeValidator(_list)] = []


class PublishedSubtask(_Record):
    """The grading of a request, the first or the follow-up."""

    sol_sql: Gold = Field(default=(), validate_default=True)
    test_cases: Texts = ()
    external_knowledge: Ids = ()
    conditions: Annotated[PublishedConditions, BeforeValidator(_object)] = PublishedConditions()

    def subtask(self, request: str, category: Category, follow_up: str = "") -> Subtask:
        """The request with what grades it."""
        decimals = self.conditions.decimal
        return Subtask(
            request,
            category,
            self.sol_sql,
            self.test_cases,
            Conditions(
                self.conditions.order, self.conditions.distinct, None if decimals < 0 else decimals
            ),
            follow_up,
            self.external_knowledge,
        )


class PublishedFollowUp(PublishedSubtask):
    """The follow-up; without a category it is a change if programs check it."""

    query: Named
    category: Kind | None = None
    type: str = ""


class PublishedTask(PublishedSubtask):
    """A record of a task file, with the ground truth in its place."""

    instance_id: Named
    selected_database: Named
    amb_user_query: Named
    category: Kind
    query: str | None = None
    user_query_ambiguity: Annotated[PublishedAmbiguities, BeforeValidator(_object)] = (
        PublishedAmbiguities()
    )
    knowledge_ambiguity: Annotated[list[PublishedGap], BeforeValidator(_list)] = []
    preprocess_sql: Texts = ()
    clean_up_sqls: Texts = ()
    clean_up_sql: Texts = ()
    follow_up: Annotated[PublishedFollowUp | None, BeforeValidator(lambda v: v or None)] = None

    def as_task(self) -> InteractTask:
        """The task, its public and its hidden part apart."""
        request = self.amb_user_query
        hidden = InteractHidden(
            clear=self.query or "",
            first=self.subtask(request, self.category),
            second=_second(self.follow_up) if self.follow_up else None,
            ambiguities=(
                *_ambiguities(self.user_query_ambiguity.critical_ambiguity, critical=True),
                *_ambiguities(self.user_query_ambiguity.non_critical_ambiguity, critical=False),
                *(
                    _ambiguity(ambiguity, True, ambiguity.deleted_knowledge)
                    for ambiguity in self.knowledge_ambiguity
                ),
            ),
            before=self.preprocess_sql,
            after=self.clean_up_sqls or self.clean_up_sql,
        )
        return interact_task(
            self.instance_id, InteractPublic(request, self.selected_database), hidden
        )


def joined(found: Mapping[str, Any], truth: Mapping[str, Any]) -> dict[str, Any]:
    """A public record with its empty fields filled from its ground truth, in the follow-up too."""
    whole = _filled(found, truth)
    public, hidden = found.get("follow_up"), truth.get("follow_up")
    if isinstance(public, dict) and isinstance(hidden, dict):
        whole["follow_up"] = _filled(public, hidden)
    return whole


def _filled(found: Mapping[str, Any], truth: Mapping[str, Any]) -> dict[str, Any]:
    empty: tuple[Any, ...] = (None, "", [], {})
    return {**found, **{name: truth[name] for name in truth if found.get(name) in empty}}


def _second(found: PublishedFollowUp) -> Subtask:
    category = found.category or ("DM" if found.test_cases else "BI")
    return found.subtask(found.query, category, follow_up_kind(found.type))


def _ambiguities(found: Iterable[PublishedAmbiguity], critical: bool) -> Iterable[Ambiguity]:
    return (_ambiguity(ambiguity, critical, None) for ambiguity in found)


def _ambiguity(found: PublishedAmbiguity, critical: bool, knowledge: int | None) -> Ambiguity:
    return Ambiguity(
        found.term,
        ambiguity_kind(found.type),
        found.sql_snippet,
        critical,
        knowledge,
        found.meaning,
        found.other_readings,
    )


def shipped_suite() -> Suite:
    """The tasks that come with wardround, on the synthetic hospital."""
    file = files("wardround.benchmarks.interact") / "suite" / "tasks.jsonl"
    return parse_tasks(file.read_bytes(), "the shipped suite")


def load_tasks(source: Path, truth: Path | None = None) -> Suite:
    """Reads a published task file.

    Args:
        source: A file of JSON Lines, or a folder that holds one, with or without a second file
            of ground truth, which is known by its records: they have an `instance_id` and no
            `amb_user_query`.
        truth: The file of ground truth where it is somewhere else.

    Raises:
        UserError: A file is missing, or there is no task that can be read.
    """
    path, beside = find_files(source.expanduser(), _ID, "amb_user_query")
    truth = truth.expanduser() if truth else beside
    return with_tasks(
        _suite(read_records(path), read_records(truth) if truth else (), str(path)), path
    )


def parse_tasks(content: bytes, source: str, truth: bytes = b"") -> Suite:
    """Reads tasks; broken records become defects.

    Args:
        content: The published form, as JSON Lines or an array.
        source: What defects call it.
        truth: Records with ground truth, joined by `instance_id`.
    """
    truths = parse_records(truth, f"{source}'s ground truth")
    return _suite(parse_records(content, source), truths, source)


def _suite(records: Records, truth: Records, source: str) -> Suite:
    truths, defects = records_by_id(truth, _ID)
    suite = suite_of(records, partial(_task, truths=truths), source)
    strangers = without_task(records, truths, _ID)
    return Suite(suite.tasks, (*defects, *suite.defects, *strangers), source)


def _task(record: FileRecord, truths: Mapping[str, FileRecord]) -> InteractTask | Defect:
    truth = truths.get(record_id(record, _ID) or "")
    if truth is not None:
        where = f"{record.where} (with {truth.where})"
        record = FileRecord(where, joined(record.content, truth.content))
    found = validated(record, PublishedTask)
    return found if isinstance(found, Defect) else found.as_task()
