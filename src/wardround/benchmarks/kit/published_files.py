"""Reads published task files: each record with its place in the file, or what is wrong with it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite, Task

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A JSON object of a file, with its location."""

    where: str
    content: dict[str, Any]


def read_file(path: Path) -> bytes:
    """The bytes of a file.

    Raises:
        UserError: there is no such file.
    """
    if not path.is_file():
        raise UserError(f"The file {path} does not exist; check the path.")
    return path.read_bytes()


def read_json(path: Path) -> Any:
    """The JSON value that a file holds.

    Raises:
        UserError: there is no such file, or it is not JSON.
    """
    return parse_json(read_file(path), str(path))


def parse_json(content: bytes, source: str) -> Any:
    """The JSON value of a text.

    Raises:
        UserError: it is not JSON.
    """
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise UserError(f"{source} is not valid JSON ({error}); fix the file.") from None


def parse_records(content: bytes, source: str) -> list[FileRecord | Defect]:
    """The records of a JSON array or of JSON Lines, whichever the content is.

    Raises:
        UserError: the content is an array that is not valid JSON.

    >>> parse_records(b'{"id": 1}', "tasks.jsonl")
    [FileRecord(where='tasks.jsonl, line 1', content={'id': 1})]
    """
    if content.lstrip().startswith(b"["):
        return list(array_records(parse_json(content, source), source))
    lines = enumerate(content.splitlines(), start=1)
    return [_line(line, f"{source}, line {number}") for number, line in lines if line.strip()]


def array_records(
    items: Iterable[Any], source: str, noun: str = "task"
) -> Iterator[FileRecord | Defect]:
    """The records of a JSON array.

    Args:
        items: the array.
        source: the name of the file.
        noun: what the items are, to say where one stands: "tasks.json, question 3".
    """
    for number, item in enumerate(items, start=1):
        yield _record(item, f"{source}, {noun} {number}")


def validated(record: FileRecord, model: type[Model]) -> Model | Defect:
    """The record as a model, or the first thing that is wrong with it."""
    try:
        return model.model_validate(record.content)
    except ValidationError as error:
        return Defect(record.where, first_problem(error))


def first_problem(error: ValidationError) -> str:
    """The first problem of a record as text: "field.name: Input should be a valid string"."""
    problem = error.errors(include_url=False, include_input=False)[0]
    field = ".".join(map(str, problem["loc"]))
    return f"{field}: {problem['msg']}" if field else problem["msg"]


def suite_of(
    records: Iterable[FileRecord | Defect],
    to_task: Callable[[FileRecord], Task[Any, Any] | Defect],
    source: str,
) -> Suite:
    """The tasks of a file; an invalid record or a duplicate id becomes a defect."""
    tasks: dict[str, Task[Any, Any]] = {}
    defects: list[Defect] = []
    for record in records:
        found = record if isinstance(record, Defect) else to_task(record)
        if isinstance(found, Defect):
            defects.append(found)
        elif found.id in tasks:
            where = record.where
            defects.append(Defect(where, f"the id {found.id} was used before"))
        else:
            tasks[found.id] = found
    return Suite(tuple(tasks.values()), tuple(defects), source)


def with_tasks(suite: Suite, path: Path) -> Suite:
    """The suite, if it has a task.

    Raises:
        UserError: it has none.
    """
    if not suite.tasks:
        first = f": {suite.defects[0].where}: {suite.defects[0].reason}" if suite.defects else ""
        raise UserError(f"{path} contains no readable task{first}; check the file.")
    return suite


def json_lines(records: Iterable[Any]) -> bytes:
    r"""Values as JSON Lines.

    >>> json_lines([{"id": 1}, {"id": 2}])
    b'{"id":1}\n{"id":2}\n'
    """
    return b"".join(orjson.dumps(record) + b"\n" for record in records)


def _line(line: bytes, where: str) -> FileRecord | Defect:
    try:
        return _record(orjson.loads(line), where)
    except orjson.JSONDecodeError as error:
        return Defect(where, f"not valid JSON ({error})")


def _record(item: Any, where: str) -> FileRecord | Defect:
    return FileRecord(where, item) if isinstance(item, dict) else Defect(where, "not a JSON object")
