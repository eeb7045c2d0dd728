"""EHR-ChatQA tasks: the published JSON form (paper, A.1), as an array or as JSON Lines."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite, Task

Flow: TypeAlias = Literal["incre", "adapt"]


@dataclass(frozen=True, slots=True)
class ChatPublic:
    """What the agent may know: which grading rules hold, and which database it works on."""

    flow: Flow
    database: str


@dataclass(frozen=True, slots=True)
class ChatHidden:
    """What only the user, the validator and the scorer may know.

    `gold_answer` holds rows of JSON values; `category` is one of the eight of Table 10 for
    AdaptQA tasks that name it.
    """

    instruction: str
    gold_sql: str
    gold_answer: tuple[tuple[Any, ...], ...]
    category: str = ""


ChatTask: TypeAlias = Task[ChatPublic, ChatHidden]


class PublishedTask(BaseModel):
    """A task as it is published; `category` is ours and optional."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    task_id: str
    task_type: Flow
    db_id: str
    instruction: str
    gold_sql: str
    gold_answer: list[list[Any]]
    category: str = ""

    @field_validator("gold_answer", mode="before")
    @classmethod
    def _as_rows(cls, value: Any) -> Any:
        """Takes a bare value, or a flat list of values, as rows of one column."""
        rows = value if isinstance(value, list) else [value]
        return [row if isinstance(row, list) else [row] for row in rows]

    def as_task(self) -> ChatTask:
        """The task with its public and its hidden part apart."""
        return Task(
            id=f"{self.db_id}-{self.task_type}-{self.task_id}",
            public=ChatPublic(self.task_type, self.db_id),
            hidden=ChatHidden(
                self.instruction, self.gold_sql, tuple(map(tuple, self.gold_answer)), self.category
            ),
            labels={
                "flow": self.task_type,
                "database": self.db_id,
                **({"category": self.category} if self.category else {}),
            },
        )


def shipped_suite() -> Suite:
    """The tasks that come with wardround, on the synthetic hospital."""
    source = files("wardround.benchmarks.chatqa") / "suite" / "tasks.jsonl"
    return parse_tasks(source.read_bytes(), "the shipped suite")


def load_tasks(path: Path) -> Suite:
    """Reads a published task file.

    Raises:
        UserError: the file is missing, is not JSON, or holds no task that can be read.
    """
    if not path.is_file():
        raise UserError(f"The task file {path} does not exist; check --tasks.")
    suite = parse_tasks(path.read_bytes(), str(path))
    if not suite.tasks:
        first = f": {suite.defects[0].where}: {suite.defects[0].reason}" if suite.defects else ""
        raise UserError(f"{path} holds no task that can be read{first}; check the file.")
    return suite


def parse_tasks(content: bytes, source: str) -> Suite:
    """Reads tasks from an array or from JSON Lines; what is broken is told, the rest is kept.

    Raises:
        UserError: the content is an array that is not valid JSON.
    """
    tasks: dict[str, ChatTask] = {}
    defects: list[Defect] = []
    for where, item in _items(content, source):
        task = _read(item, where)
        if isinstance(task, Defect):
            defects.append(task)
        elif task.id in tasks:
            defects.append(Defect(where, f"the task id {task.id} was used before"))
        else:
            tasks[task.id] = task
    return Suite(tuple(tasks.values()), tuple(defects), source)


def _items(content: bytes, source: str) -> Iterator[tuple[str, Any]]:
    """Each task with where it stands; a line that is not JSON comes as the error itself."""
    if content.lstrip().startswith(b"["):
        try:
            found = orjson.loads(content)
        except orjson.JSONDecodeError as error:
            raise UserError(f"{source} is not valid JSON ({error}); mend the file.") from None
        yield from ((f"{source}, task {n}", item) for n, item in enumerate(found, start=1))
        return
    for number, line in enumerate(content.splitlines(), start=1):
        if line.strip():
            yield f"{source}, line {number}", _parse_line(line)


def _parse_line(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return error


def _read(item: Any, where: str) -> ChatTask | Defect:
    if isinstance(item, orjson.JSONDecodeError):
        return Defect(where, f"not valid JSON ({item})")
    try:
        return PublishedTask.model_validate(item).as_task()
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, problem["loc"])) or "task"
        return Defect(where, f"{field}: {problem['msg']}")
