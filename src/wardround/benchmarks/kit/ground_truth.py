"""Finds a task file and its separate ground-truth file, and joins them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from wardround.benchmarks.kit.published_files import (
    FileRecord,
    parse_records,
    read_file,
    suite_of,
    with_tasks,
)
from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite, Task

Records: TypeAlias = Sequence[FileRecord | Defect]
Content: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JoinedForm:
    """A published format whose ground truth may be in a second file.

    Attributes:
        id_field: the field of both files by which records are joined.
        task_field: a field that only tasks have.
        nested: the name of a field whose objects are joined in the same way.
        to_task: converts a record with its ground truth to a task.
    """

    id_field: str
    task_field: str
    nested: str
    to_task: Callable[[FileRecord], Task[Any, Any] | Defect]

    def load(self, source: Path, truth: Path | None = None) -> Suite:
        """Reads a task file.

        Args:
            source: a file of JSON Lines, or a folder with one. A second file of the folder whose
                records lack the task field is the ground truth.
            truth: the ground-truth file, if it is not in the folder.

        Raises:
            UserError: a file is missing, or there is no readable task.
        """
        path, beside = find_files(source.expanduser(), self.id_field, self.task_field)
        truth = truth.expanduser() if truth else beside
        truths = read_records(truth) if truth else ()
        return with_tasks(self._suite(read_records(path), truths, str(path)), path)

    def parse(self, content: bytes, source: str, truth: bytes = b"") -> Suite:
        """Reads tasks; broken records become defects.

        Args:
            content: JSON Lines or an array.
            source: the name used in defects.
            truth: the ground truth, in the same format; b"" if there is none.
        """
        truths = parse_records(truth, f"{source}'s ground truth")
        return self._suite(parse_records(content, source), truths, source)

    def _suite(self, records: Records, truth: Records, source: str) -> Suite:
        truths, defects = records_by_id(truth, self.id_field)
        suite = suite_of(records, partial(self._task, truths=truths), source)
        orphans = without_task(records, truths, self.id_field)
        return Suite(suite.tasks, (*defects, *suite.defects, *orphans), source)

    def _task(
        self, record: FileRecord, truths: Mapping[str, FileRecord]
    ) -> Task[Any, Any] | Defect:
        truth = truths.get(record_id(record, self.id_field) or "")
        if truth is not None:
            where = f"{record.where} (with {truth.where})"
            record = FileRecord(where, joined(record.content, truth.content, self.nested))
        return self.to_task(record)


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


def read_records(path: Path) -> Records:
    """Reads the records of a file.

    Raises:
        UserError: there is no such file.
    """
    return parse_records(read_file(path), str(path))


def find_files(source: Path, id_field: str, task_field: str) -> tuple[Path, Path | None]:
    """Finds the task file and the ground-truth file of a folder.

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
    """Indexes ground-truth records by id; records without an id and duplicates become defects."""
    by_id: dict[str, FileRecord] = {}
    defects: list[Defect] = []
    for record in records:
        if isinstance(record, Defect):
            defects.append(record)
        elif (id := record_id(record, id_field)) is None:
            defects.append(Defect(record.where, f"{id_field}: Input should be a valid string"))
        elif id in by_id:
            defects.append(Defect(record.where, f"{id_field}: {id} was used before"))
        else:
            by_id[id] = record
    return by_id, tuple(defects)


def record_id(record: FileRecord, id_field: str) -> str | None:
    """Returns a record's id; None if it has none."""
    value = record.content.get(id_field)
    return value if isinstance(value, str) else None


def without_task(
    records: Records, truths: Mapping[str, FileRecord], id_field: str
) -> Iterator[Defect]:
    """Yields a defect for each ground-truth record without a task."""
    known = {record_id(record, id_field) for record in records if isinstance(record, FileRecord)}
    for id, record in truths.items():
        if id not in known:
            yield Defect(record.where, f"{id_field}: {id} is no task's")


def _first(path: Path, id_field: str) -> Mapping[str, Any] | None:
    """The first record of a file that has an id."""
    records = (record.content for record in read_records(path) if isinstance(record, FileRecord))
    return next((content for content in records if id_field in content), None)
