"""Task files in the published form, with ground truth in the same or a second file."""

from collections.abc import Mapping, Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, TypeAlias

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
from wardround.benchmarks.kit.published_files import (
    FileRecord,
    parse_records,
    read_file,
    suite_of,
    validated,
    with_tasks,
)
from wardround.benchmarks.kit.record_fields import Ids, Many, Named, OneId, Part, Record, Texts
from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite
from wardround.people.clarifying.kinds import ambiguity_kind, follow_up_kind
from wardround.people.clarifying.secret import Ambiguity
from wardround.scoring.soft_results import Conditions

Records: TypeAlias = Sequence[FileRecord | Defect]
Content: TypeAlias = Mapping[str, Any]
# The field by which records of both files are joined, one that only tasks have, and one whose
# object is joined in the same way.
_ID, _REQUEST, _FOLLOW_UP = "instance_id", "amb_user_query", "follow_up"


def load_tasks(source: Path, truth: Path | None = None) -> Suite:
    """Reads a task file.

    Args:
        source: a file of JSON Lines, or a folder with one. A second file of the folder whose
            records lack the request is the ground truth.
        truth: the ground-truth file, if it is not in the folder.

    Raises:
        UserError: a file is missing, or there is no readable task.
    """
    path, gold_path = _find_files(source.expanduser())
    truth = truth.expanduser() if truth else gold_path
    truths = _read_records(truth) if truth else ()
    return with_tasks(_suite(_read_records(path), truths, str(path)), path)


def parse_tasks(content: bytes, source: str, truth: bytes = b"") -> Suite:
    """Reads tasks; broken records become defects.

    Args:
        content: JSON Lines or an array.
        source: the name used in defects.
        truth: the ground truth, in the same format; b"" if there is none.
    """
    truths = parse_records(truth, f"{source}'s ground truth")
    return _suite(parse_records(content, source), truths, source)


def shipped_suite() -> Suite:
    """Reads the tasks shipped with wardround, which run on the synthetic hospital."""
    file = files("wardround.benchmarks.interact") / "suite" / "tasks.jsonl"
    return parse_tasks(file.read_bytes(), "the shipped suite")


def _suite(records: Records, truth: Records, source: str) -> Suite:
    truths, defects = _by_id(truth)
    suite = suite_of(records, partial(_task, truths=truths), source)
    known = {_id(record) for record in records if isinstance(record, FileRecord)}
    orphans = (
        Defect(record.where, f"{_ID}: {id} is no task's")
        for id, record in truths.items()
        if id not in known
    )
    return Suite(suite.tasks, (*defects, *suite.defects, *orphans), source)


def _task(record: FileRecord, truths: Mapping[str, FileRecord]) -> InteractTask | Defect:
    truth = truths.get(_id(record) or "")
    if truth is not None:
        where = f"{record.where} (with {truth.where})"
        record = FileRecord(where, joined(record.content, truth.content, _FOLLOW_UP))
    published = validated(record, PublishedTask)
    return published if isinstance(published, Defect) else published.as_task()


def joined(public: Content, truth: Content, nested: str = "") -> dict[str, Any]:
    """Fills a public record's empty fields from its ground truth.

    >>> joined({"gold": [], "then": {"gold": ""}}, {"gold": [2], "then": {"gold": 3}}, "then")
    {'gold': [2], 'then': {'gold': 3}}
    """
    empty: tuple[Any, ...] = (None, "", [], {})
    filled = {name: truth[name] for name in truth if public.get(name) in empty}
    inner, inner_truth = public.get(nested), truth.get(nested)
    if isinstance(inner, dict) and isinstance(inner_truth, dict):
        filled[nested] = joined(inner, inner_truth)
    return {**public, **filled}


def _find_files(source: Path) -> tuple[Path, Path | None]:
    """The task file of a folder, and its file of ground truth if there is one.

    Raises:
        UserError: there is no such file, or the folder holds several.
    """
    if not source.exists():
        raise UserError(f"The task file {source} does not exist; check --tasks.")
    if not source.is_dir():
        return source, None
    first = {path: _first(path) for path in sorted(source.glob("*.jsonl"))}
    tasks = [path for path, record in first.items() if record and _REQUEST in record]
    truths = [path for path, record in first.items() if record and _REQUEST not in record]
    if len(tasks) != 1 or len(truths) > 1:
        raise UserError(
            f"{source} holds {len(tasks)} task files and {len(truths)} files of ground truth, "
            "not one of the first and at most one of the second; name the task file."
        )
    return tasks[0], truths[0] if truths else None


def _first(path: Path) -> Content | None:
    """The first record of a file that has an id."""
    records = (record.content for record in _read_records(path) if isinstance(record, FileRecord))
    return next((content for content in records if _ID in content), None)


def _read_records(path: Path) -> Records:
    return parse_records(read_file(path), str(path))


def _by_id(records: Records) -> tuple[dict[str, FileRecord], tuple[Defect, ...]]:
    """The records of ground truth by id; those without an id and duplicates are defects."""
    by_id: dict[str, FileRecord] = {}
    defects: list[Defect] = []
    for record in records:
        if isinstance(record, Defect):
            defects.append(record)
        elif (id := _id(record)) is None:
            defects.append(Defect(record.where, f"{_ID}: Input should be a valid string"))
        elif id in by_id:
            defects.append(Defect(record.where, f"{_ID}: {id} was used before"))
        else:
            by_id[id] = record
    return by_id, tuple(defects)


def _id(record: FileRecord) -> str | None:
    value = record.content.get(_ID)
    return value if isinstance(value, str) else None


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
