"""EHR-ChatQA tasks: the published JSON form (paper, A.1), as an array or as JSON Lines."""

from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, field_validator

from wardround.benchmarks.kit.published_files import (
    FileRecord,
    parse_records,
    read_file,
    suite_of,
    validated,
    with_tasks,
)
from wardround.core.task import Defect, Suite, Task

Flow: TypeAlias = Literal["incre", "adapt"]

NEWEST = "chatqa-2026.1"


@dataclass(frozen=True, slots=True)
class ChatPublic:
    """The public part of a task: flow, which sets the grading rules, and database."""

    flow: Flow
    database: str


@dataclass(frozen=True, slots=True)
class ChatHidden:
    """The hidden part of a task, for the user, the validator and the scorer only.

    Attributes:
        instruction: what the simulated user wants and knows.
        gold_sql: the gold query.
        gold_answer: rows of JSON values.
        category: of some AdaptQA tasks, one of the eight categories of Table 10.
        withheld: of some AdaptQA tasks, names that the user does not say before the agent says
            one of them.
    """

    instruction: str
    gold_sql: str
    gold_answer: tuple[tuple[Any, ...], ...]
    category: str = ""
    withheld: tuple[str, ...] = ()


ChatTask: TypeAlias = Task[ChatPublic, ChatHidden]


class PublishedTask(BaseModel):
    """A task as published, with `category` and `withheld` added by wardround where it has them."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    task_id: str
    task_type: Flow
    db_id: str
    instruction: str
    gold_sql: str
    gold_answer: list[list[Any]]
    category: str = ""
    withheld: list[str] = []

    @field_validator("gold_answer", mode="before")
    @classmethod
    def _as_rows(cls, value: Any) -> Any:
        """Turns a single value or a flat list of values into rows of one column."""
        rows = value if isinstance(value, list) else [value]
        return [row if isinstance(row, list) else [row] for row in rows]

    @field_validator("gold_answer")
    @classmethod
    def _rectangular(cls, rows: list[list[Any]]) -> list[list[Any]]:
        if any(not row or len(row) != len(rows[0]) for row in rows):
            raise ValueError("rows need at least one value, and the same number each")
        return rows

    def as_task(self) -> ChatTask:
        """Splits the record into a task's public and hidden parts."""
        return Task(
            id=f"{self.db_id}-{self.task_type}-{self.task_id}",
            public=ChatPublic(self.task_type, self.db_id),
            hidden=ChatHidden(
                self.instruction,
                self.gold_sql,
                tuple(map(tuple, self.gold_answer)),
                self.category,
                tuple(self.withheld),
            ),
            labels={
                "flow": self.task_type,
                "database": self.db_id,
                **({"category": self.category} if self.category else {}),
            },
        )


def shipped_name(source: Path | None) -> str:
    """The name of the shipped suite that a run's source names; "" if it is a file.

    >>> shipped_name(None), shipped_name(Path("chatqa-regression")), shipped_name(Path("my.jsonl"))
    ('chatqa-2026.1', 'chatqa-regression', '')
    """
    if source is None:
        return NEWEST
    # Settings hold whole paths, so that a run can go on from another folder.
    is_file = source.exists() or not _suite_file(source.name).is_file()
    return "" if is_file else source.name


def shipped_tasks(name: str = NEWEST) -> Suite:
    """Reads a suite shipped with wardround, which runs on the synthetic hospitals."""
    return parse_tasks(_suite_file(name).read_bytes(), f"the shipped suite {name}")


def _suite_file(name: str) -> Traversable:
    return files("wardround.benchmarks.chatqa") / "suite" / f"{name}.jsonl"


def load_tasks(path: Path) -> Suite:
    """Reads a published task file.

    Raises:
        UserError: the file is missing, is not JSON, or contains no readable task.
    """
    return with_tasks(parse_tasks(read_file(path), str(path)), path)


def parse_tasks(content: bytes, source: str) -> Suite:
    """Reads tasks from an array or from JSON Lines; broken records become defects.

    Raises:
        UserError: the content is an array that is not valid JSON.
    """
    return suite_of(parse_records(content, source), _task, source)


def _task(record: FileRecord) -> ChatTask | Defect:
    published = validated(record, PublishedTask)
    return published if isinstance(published, Defect) else published.as_task()
