"""BIRD-Interact task files: one in the published form, or one beside its ground truth."""

from collections.abc import Mapping
from functools import partial
from importlib.resources import files
from pathlib import Path

from wardround.benchmarks.interact.published import PublishedTask, joined
from wardround.benchmarks.interact.tasks import InteractTask
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

_ID = "instance_id"


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
