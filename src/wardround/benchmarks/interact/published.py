"""Published task files: found, read, and joined with their ground truth by task id."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from wardround.benchmarks.kit.published_files import FileRecord, parse_records, read_file
from wardround.core.errors import UserError
from wardround.core.task import Defect

Records: TypeAlias = Sequence[FileRecord | Defect]
Content: TypeAlias = Mapping[str, Any]
# The field by which records of both files are joined, one that only tasks have, and one whose
# object is joined in the same way.
ID, _REQUEST, _FOLLOW_UP = "instance_id", "amb_user_query", "follow_up"


def with_truth(record: FileRecord, truths: Mapping[str, FileRecord]) -> FileRecord:
    """A record whose empty fields are filled from its ground truth, if there is one."""
    truth = truths.get(record_id(record) or "")
    if truth is None:
        return record
    where = f"{record.where} (with {truth.where})"
    return FileRecord(where, joined(record.content, truth.content, _FOLLOW_UP))


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


def find_files(source: Path) -> tuple[Path, Path | None]:
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
    records = (record.content for record in read_records(path) if isinstance(record, FileRecord))
    return next((content for content in records if ID in content), None)


def read_records(path: Path) -> Records:
    """The records of a file; those that cannot be read are defects."""
    return parse_records(read_file(path), str(path))


def truths_by_id(records: Records) -> tuple[dict[str, FileRecord], tuple[Defect, ...]]:
    """The records of ground truth by id; those without an id and duplicates are defects."""
    by_id: dict[str, FileRecord] = {}
    defects: list[Defect] = []
    for record in records:
        if isinstance(record, Defect):
            defects.append(record)
        elif (id := record_id(record)) is None:
            defects.append(Defect(record.where, f"{ID}: Input should be a valid string"))
        elif id in by_id:
            defects.append(Defect(record.where, f"{ID}: {id} was used before"))
        else:
            by_id[id] = record
    return by_id, tuple(defects)


def record_id(record: FileRecord) -> str | None:
    """The task id of a record; None if it has none."""
    value = record.content.get(ID)
    return value if isinstance(value, str) else None
