"""BIRD-Interact task files: one in the published form, or one beside its ground truth."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

import orjson
from pydantic import ValidationError

from wardround.benchmarks.interact.published import PublishedTask, joined
from wardround.benchmarks.interact.record_writer import record
from wardround.benchmarks.interact.tasks import InteractTask
from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite


@dataclass(frozen=True, slots=True)
class Line:
    """A record of a file, and where it stands."""

    where: str
    record: dict[str, Any]


Lines: TypeAlias = Sequence[Line | Defect]


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
    suite = _suite(_read(path), _read(truth) if truth else (), str(path))
    if not suite.tasks:
        first = f": {suite.defects[0].where}: {suite.defects[0].reason}" if suite.defects else ""
        raise UserError(f"{path} holds no task that can be read{first}; check the file.")
    return suite


def parse_tasks(content: bytes, source: str, truth: bytes = b"") -> Suite:
    """Reads tasks; what is broken is told, the rest is kept.

    Args:
        content: JSON Lines in the published form.
        source: What defects call it.
        truth: Records with ground truth, joined by `instance_id`.
    """
    return _suite(_lines(content, source), _lines(truth, f"{source}'s ground truth"), source)


def dump_tasks(tasks: Iterable[InteractTask]) -> bytes:
    """Tasks in the published form with their ground truth, which `parse_tasks` reads back."""
    return b"".join(orjson.dumps(record(task)) + b"\n" for task in tasks)


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
    records = (line.record for line in _read(path) if isinstance(line, Line))
    return next((found for found in records if "instance_id" in found), None)


def _read(path: Path) -> Lines:
    if not path.is_file():
        raise UserError(f"The file {path} does not exist; check the path.")
    return _lines(path.read_bytes(), str(path))


def _lines(content: bytes, source: str) -> Lines:
    return [
        _line(line, f"{source}, line {number}")
        for number, line in enumerate(content.splitlines(), start=1)
        if line.strip()
    ]


def _line(line: bytes, where: str) -> Line | Defect:
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return Defect(where, f"not valid JSON ({error})")
    return Line(where, found) if isinstance(found, dict) else Defect(where, "not a JSON object")


def _suite(lines: Lines, truth: Lines, source: str) -> Suite:
    truths, defects = _by_id(truth)
    tasks: dict[str, InteractTask] = {}
    for line in lines:
        found = _task(line, truths) if isinstance(line, Line) else line
        if isinstance(found, Defect):
            defects.append(found)
        elif found.id in tasks:
            where = line.where
            defects.append(Defect(where, f"instance_id: {found.id} was used before"))
        else:
            tasks[found.id] = found
    defects.extend(_strangers(lines, truths))
    return Suite(tuple(tasks.values()), tuple(defects), source)


def _by_id(truth: Lines) -> tuple[dict[str, Line], list[Defect]]:
    found: dict[str, Line] = {}
    defects: list[Defect] = []
    for line in truth:
        if isinstance(line, Defect):
            defects.append(line)
        elif (id := _id(line)) is None:
            defects.append(Defect(line.where, "instance_id: Input should be a valid string"))
        elif id in found:
            defects.append(Defect(line.where, f"instance_id: {id} was used before"))
        else:
            found[id] = line
    return found, defects


def _id(line: Line) -> str | None:
    found = line.record.get("instance_id")
    return found if isinstance(found, str) else None


def _strangers(lines: Lines, truths: dict[str, Line]) -> Iterator[Defect]:
    asked = {_id(line) for line in lines if isinstance(line, Line)}
    for id, line in truths.items():
        if id not in asked:
            yield Defect(line.where, f"instance_id: {id} is no task's")


def _task(line: Line, truths: dict[str, Line]) -> InteractTask | Defect:
    truth = truths.get(_id(line) or "")
    whole = joined(line.record, truth.record) if truth else line.record
    where = f"{line.where} (with {truth.where})" if truth else line.where
    try:
        return PublishedTask.model_validate(whole).as_task()
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, problem["loc"])) or "task"
        return Defect(where, f"{field}: {problem['msg']}")
