"""BIRD-Interact task files: one in the published form, or one beside its ground truth."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

from wardround.benchmarks.interact.published import PublishedTask, joined
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.benchmarks.kit.published_files import (
    FileRecord,
    parse_records,
    read_file,
    suite_of,
    validated,
    with_tasks,
)
from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite

Records: TypeAlias = Sequence[FileRecord | Defect]


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
    path, beside = _found(source.expanduser())
    truth = truth.expanduser() if truth else beside
    return with_tasks(_suite(_read(path), _read(truth) if truth else (), str(path)), path)


def parse_tasks(content: bytes, source: str, truth: bytes = b"") -> Suite:
    """Reads tasks; broken records become defects.

    Args:
        content: The published form, as JSON Lines or an array.
        source: What defects call it.
        truth: Records with ground truth, joined by `instance_id`.
    """
    truths = parse_records(truth, f"{source}'s ground truth")
    return _suite(parse_records(content, source), truths, source)


def _found(source: Path) -> tuple[Path, Path | None]:
    """The task file, and the ground truth that lies beside it in a folder."""
    if not source.exists():
        raise UserError(f"The task file {source} does not exist; check --tasks.")
    if not source.is_dir():
        return source, None
    with_id = [(path, first) for path in sorted(source.glob("*.jsonl")) if (first := _first(path))]
    tasks = [path for path, first in with_id if "amb_user_query" in first]
    truths = [path for path, first in with_id if "amb_user_query" not in first]
    if len(tasks) != 1 or len(truths) > 1:
        raise UserError(
            f"{source} holds {len(tasks)} task files and {len(truths)} files of ground truth, "
            "not one of the first and at most one of the second; name the task file."
        )
    return tasks[0], truths[0] if truths else None


def _first(path: Path) -> dict[str, Any] | None:
    """The first record of a file whose records have an `instance_id`."""
    records = (record.content for record in _read(path) if isinstance(record, FileRecord))
    return next((content for content in records if "instance_id" in content), None)


def _read(path: Path) -> Records:
    return parse_records(read_file(path), str(path))


def _suite(records: Records, truth: Records, source: str) -> Suite:
    truths, defects = _by_id(truth)
    suite = suite_of(records, partial(_task, truths=truths), source)
    strangers = _strangers(records, truths)
    return Suite(suite.tasks, (*defects, *suite.defects, *strangers), source)


def _by_id(truth: Records) -> tuple[dict[str, FileRecord], list[Defect]]:
    found: dict[str, FileRecord] = {}
    defects: list[Defect] = []
    for record in truth:
        if isinstance(record, Defect):
            defects.append(record)
        elif (id := _id(record)) is None:
            defects.append(Defect(record.where, "instance_id: Input should be a valid string"))
        elif id in found:
            defects.append(Defect(record.where, f"instance_id: {id} was used before"))
        else:
            found[id] = record
    return found, defects


def _id(record: FileRecord) -> str | None:
    found = record.content.get("instance_id")
    return found if isinstance(found, str) else None


def _strangers(records: Records, truths: Mapping[str, FileRecord]) -> Iterator[Defect]:
    asked = {_id(record) for record in records if isinstance(record, FileRecord)}
    for id, record in truths.items():
        if id not in asked:
            yield Defect(record.where, f"instance_id: {id} is no task's")


def _task(record: FileRecord, truths: Mapping[str, FileRecord]) -> InteractTask | Defect:
    truth = truths.get(_id(record) or "")
    if truth is not None:
        where = f"{record.where} (with {truth.where})"
        record = FileRecord(where, joined(record.content, truth.content))
    found = validated(record, PublishedTask)
    return found if isinstance(found, Defect) else found.as_task()
