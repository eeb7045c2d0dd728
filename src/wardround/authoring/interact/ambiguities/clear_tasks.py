"""Clear tasks, the source of ambiguous ones: a request and SQL that carries it out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, Field

from wardround.benchmarks.ehrsql.preprocessing import runnable
from wardround.benchmarks.interact.declaration import CURRENT_TIME
from wardround.benchmarks.interact.tasks import Kind, PublishedSubtask, Subtask
from wardround.benchmarks.kit.published_files import FileRecord, parse_records, validated
from wardround.benchmarks.kit.record_fields import Named, Texts
from wardround.core.errors import UserError
from wardround.core.task import Defect


@dataclass(frozen=True, slots=True)
class ClearTask:
    """A task without ambiguity.

    Attributes:
        id: its id.
        database: the database's name.
        first: the full request with its gold and tests.
    """

    id: str
    database: str
    first: Subtask


class _Record(PublishedSubtask):
    """A record in BIRD-Interact's form; `_renamed` converts records of EHRSQL."""

    id: Named = Field(validation_alias=AliasChoices("instance_id", "id"))
    selected_database: str = ""
    query: Named
    sol_sql: Annotated[Texts, Field(min_length=1)]
    category: Kind = "BI"


def read_clear(path: Path, database: str) -> tuple[ClearTask, ...]:
    """Reads clear tasks from JSON Lines, or from a JSON array as in EHRSQL 1.5.

    EHRSQL's unanswerable questions are skipped.

    Args:
        path: the file.
        database: the database of tasks that name none.

    Raises:
        UserError: the file is missing, or a task in it is invalid.
    """
    if not path.is_file():
        raise UserError(f"The file of clear tasks {path} does not exist; check --from.")
    tasks: dict[str, ClearTask] = {}
    for record in parse_records(path.read_bytes(), str(path)):
        if isinstance(record, FileRecord) and record.content.get("is_impossible"):
            continue
        task = _task(record, database)
        if isinstance(task, Defect):
            raise UserError(f"{task.where}: {task.reason}; fix it.")
        if task.id in tasks:
            raise UserError(f"{record.where}: duplicate id {task.id}; give the task another.")
        tasks[task.id] = task
    if not tasks:
        raise UserError(f"{path} contains no clear task; check --from.")
    return tuple(tasks.values())


def _task(record: FileRecord | Defect, database: str) -> ClearTask | Defect:
    if isinstance(record, Defect):
        return record
    valid = validated(FileRecord(record.where, _renamed(record.content)), _Record)
    if isinstance(valid, Defect):
        return valid
    first = valid.subtask(valid.query.strip(), valid.category)
    gold = tuple(statement.strip() for statement in first.gold)
    return ClearTask(valid.id, valid.selected_database or database, replace(first, gold=gold))


def _renamed(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Converts a record of EHRSQL, whose `query` is SQL, and fills its placeholders."""
    if "question" not in record or not isinstance(record.get("query"), str):
        return record
    sql = runnable(record["query"], record.get("current_time") or CURRENT_TIME)
    return {**record, "query": record["question"], "sol_sql": sql}
