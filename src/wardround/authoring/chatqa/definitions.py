"""The source of the shipped suite: each task's instruction, gold SQL and checks, in TOML."""

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal, TypeAlias

from pydantic import TypeAdapter

from wardround.benchmarks.chatqa.tasks import Flow

Form: TypeAlias = Literal["stored", "words"]


@dataclass(frozen=True, slots=True)
class Definition:
    """A task as it is written.

    Attributes:
        id: unique within its flow.
        flow: "incre" or "adapt".
        instruction: what the simulated user is told.
        sql: the gold query.
        constraints: fragments of the gold query, one for each constraint that the user may add
            late; the result without any one of them must be another (IncreQA).
        category: one of the eight of Table 10 (AdaptQA).
        form: how the one value that the gold query gives is answered: as stored, or a whole
            number in words (AdaptQA; A.6.2).
        absent: a query for what the user asks for first; it must find nothing (AdaptQA).
    """

    id: str
    flow: Flow
    instruction: str
    sql: str
    constraints: tuple[str, ...] = ()
    category: str = ""
    form: Form = "stored"
    absent: str = ""


def shipped_definitions() -> tuple[Definition, ...]:
    """The definitions of the shipped suite."""
    return read_definitions((files(__package__) / "suite.toml").read_text("utf-8"))


def read_definitions(text: str) -> tuple[Definition, ...]:
    """Reads definitions, an array `task` of tables, from TOML.

    Raises:
        ValueError: the text is no TOML, or a task has a field that is missing, wrong or unknown.
    """
    tasks = tomllib.loads(text)["task"]
    known = set(Definition.__dataclass_fields__)
    for task in tasks:
        if unknown := task.keys() - known:
            raise ValueError(f"Task {task['id']} has the unknown field {min(unknown)}; remove it.")
    return TypeAdapter(tuple[Definition, ...]).validate_python(tasks)
