"""Finds and joins a task file and the file beside it that holds its ground truth."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from wardround.benchmarks.kit.published_files import FileRecord, parse_records, read_file
from wardround.core.errors import UserError
from wardround.core.task import Defect

Records: TypeAlias = Sequence[FileRecord | Defect]


def read_records(path: Path) -> Records:
    """The records of a file.

    Raises:
        UserError: there is no such file.
    """
    return parse_records(read_file(path), str(path))


def find_files(source: Path, id_field: str, task_field: str) -> tuple[Path, Path | None]:
    """The task file, and the ground truth that lies beside it in a folder.

    Args:
        source: the task file, or a folder that holds it.
        id_field: the field that all records have.
        task_field: a field that only tasks have.

    Raises:
        UserError: there is no such file, or the folder holds several.
    """
    if not source.exists():
        raise UserError(f"The task file {source} does not exist; check --tasks.")
    if not source.is_dir():
        return source, None
    first = {path: _first(path, id_field) for path in sorted(source.glob("*.jsonl"))}
    tasks = [path for path, record in first.items() if record and task_field in record]
    truths = [path for path, record in first.items() if record and task_field not in record]
    if len(tasks) != 1 or len(truths) > 1:
        raise UserError(
            f"{source} holds {len(tasks)} task files and {len(truths)} files of ground truth, "
            "not one of the first and at most one of the second; name the task file."
        )
    return tasks[0], truths[0] if truths else None


def records_by_id(
    records: Records, id_field: str
) -> tuple[dict[str, FileRecord], tuple[Defect, ...]]:
    """Records of ground truth by id, and what is wrong with the others."""
    found: dict[str, FileRecord] = {}
    defects: list[Defect] = []
    for record in records:
        if isinstance(record, Defect):
            defects.append(record)
        elif (id := record_id(record, id_field)) is None:
            defects.append(Defect(record.where, f"{id_field}: Input should be a valid string"))
        elif id in found:
            defects.append(Defect(record.where, f"{id_field}: {id} was used before"))
        else:
            found[id] = record
    return found, tuple(defects)


def record_id(record: FileRecord, id_field: str) -> str | None:
    """A record's id; None if it has none."""
    found = record.content.get(id_field)
    return found if isinstance(found, str) else None


def without_task(
    records: Records, truths: Mapping[str, FileRecord], id_field: str
) -> Iterator[Defect]:
    """A defect for each record of ground truth that belongs to no task."""
    known = {record_id(record, id_field) for record in records if isinstance(record, FileRecord)}
    for id, record in truths.items():
        if id not in known:
            yield Defect(record.where, f"{id_field}: {id} is no task's")


def _first(path: Path, id_field: str) -> dict[str, Any] | None:
    """The first record of a file that has an id."""
    records = (record.content for record in read_records(path) if isinstance(record, FileRecord))
    return next((content for content in records if id_field in content), None)
