"""Reads published task files into records with their locations, or defects."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    content: Mapping[str, Any]


def read_file(path: Path) -> bytes:
    """Reads the bytes of a file.

    Raises:
        UserError: there is no such file.
    """
    if not path.is_file():
        raise UserError(f"The file {path} does not exist; check the path.")
    return path.read_bytes()


def read_json(path: Path) -> Any:
    """Reads the JSON value of a file.

    Raises:
        UserError: there is no such file, or it is not JSON.
    """
    return parse_json(read_file(path), str(path))


def parse_json(content: bytes, source: str) -> Any:
    """Parses a JSON value.

    Raises:
        UserError: it is not JSON.
    """
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise UserError(f"{source} is not valid JSON ({error}); fix the file.") from None


def parse_records(content: bytes, source: str) -> list[FileRecord | Defect]:
    """Parses the records of a JSON array or of JSON Lines.

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
    """Yields the records of a JSON array.

    Args:
        items: the array.
        source: the name of the file.
        noun: the items' name in locations, such as "tasks.json, question 3".
    """
    for number, item in enumerate(items, start=1):
        yield _record(item, f"{source}, {noun} {number}")


def validated(record: FileRecord, model: type[Model]) -> Model | Defect:
    """Validates a record as a model; the first problem becomes a defect."""
    try:
        return model.model_validate(record.content)
    except ValidationError as error:
        return Defect(record.where, first_problem(error))


def read_lines(path: Path, model: type[Model]) -> Iterator[Model]:
    """Yields the records of a file, each validated as a model.

    Raises:
        UserError: there is no such file, or a record has another form.
    """
    for record in parse_records(read_file(path), str(path)):
        line = record if isinstance(record, Defect) else validated(record, model)
        if isinstance(line, Defect):
            raise UserError(f"{line.where}: {line.reason}; fix the line.")
        yield line


def first_problem(error: ValidationError) -> str:
    """Formats the first error of a record: "field.name: Input should be a valid string"."""
    problem = error.errors(include_url=False, include_input=False)[0]
    field = ".".join(map(str, problem["loc"]))
    return f"{field}: {problem['msg']}" if field else problem["msg"]


def suite_of(
    records: Iterable[FileRecord | Defect],
    to_task: Callable[[FileRecord], Task[Any, Any] | Defect],
    source: str,
) -> Suite:
    """Converts records to a suite; an invalid record or a duplicate id becomes a defect."""
    tasks: dict[str, Task[Any, Any]] = {}
    defects: list[Defect] = []
    for record in records:
        task = record if isinstance(record, Defect) else to_task(record)
        if isinstance(task, Defect):
            defects.append(task)
        elif task.id in tasks:
            location = record.where
            defects.append(Defect(location, f"the id {task.id} was used before"))
        else:
            tasks[task.id] = task
    return Suite(tuple(tasks.values()), tuple(defects), source)


def with_tasks(suite: Suite, path: Path) -> Suite:
    """Returns the suite if it has a task.

    Raises:
        UserError: the suite is empty.
    """
    if not suite.tasks:
        first = first_defect(suite.defects)
        raise UserError(f"{path} contains no readable task{first}; check the file.")
    return suite


def first_defect(defects: Sequence[Defect]) -> str:
    """The first of several defects as the end of a clause; "" if there is none."""
    return f": {defects[0].where}: {defects[0].reason}" if defects else ""


def json_lines(records: Iterable[Any]) -> bytes:
    r"""Serializes values as JSON Lines.

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
