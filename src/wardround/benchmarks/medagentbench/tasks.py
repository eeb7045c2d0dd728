"""MedAgentBench's tasks, read from the published file."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from wardround.benchmarks.kit.published_files import (
    FileRecord,
    parse_records,
    read_file,
    suite_of,
    validated,
)
from wardround.benchmarks.kit.record_fields import Named, Record
from wardround.core.packaged_data import read_text
from wardround.core.task import Defect, Suite, Task

_SUITE = "wardround.benchmarks.medagentbench.suite"
_ID = re.compile(r"task(\d+)_(\d+)")
# Types whose tasks only ask; the rest write.
QUERIES = (1, 2, 4, 6, 7)
TYPES: dict[int, str] = {
    1: "find a patient",
    2: "age",
    3: "record blood pressure",
    4: "last magnesium",
    5: "magnesium replacement",
    6: "mean glucose",
    7: "last glucose",
    8: "referral",
    9: "potassium replacement",
    10: "hemoglobin A1c",
}


@dataclass(frozen=True, slots=True)
class Instruction:
    """The part of a task that the agent may know."""

    text: str
    context: str


@dataclass(frozen=True, slots=True)
class Gold:
    """The part of a task that only its grader may know.

    Attributes:
        type: the type of task, 1 to 10.
        patient: the patient's record number; "" where the task looks for it.
        solution: the expected answer of type 1.
    """

    type: int
    patient: str
    solution: tuple[str, ...] = ()


MedTask: TypeAlias = Task[Instruction, Gold]


class _Published(Record):
    """A task as published."""

    id: Named
    instruction: Named
    context: str = ""
    eval_MRN: str | None = None  # noqa: N815
    sol: tuple[str, ...] = ()


def load_tasks(source: Path) -> Suite:
    """Reads a published file.

    Raises:
        UserError: there is no such file, or it is not JSON.
    """
    return suite_of(parse_records(read_file(source), str(source)), _task, str(source))


def shipped_tasks() -> Suite:
    """The tasks on the made record."""
    content = read_text(_SUITE, "tasks.json").encode()
    return suite_of(parse_records(content, "the shipped suite"), _task, "the shipped suite")


def _task(record: FileRecord) -> MedTask | Defect:
    published = validated(record, _Published)
    if isinstance(published, Defect):
        return published
    parts = _ID.fullmatch(published.id)
    if parts is None or int(parts[1]) not in TYPES:
        return Defect(record.where, f"id: {published.id!r} is not task1_N to task10_N")
    type = int(parts[1])
    if type == 1 and not published.sol:
        return Defect(record.where, "sol: a task of type 1 has none")
    if type != 1 and not published.eval_MRN:
        return Defect(record.where, "eval_MRN: the patient is missing")
    labels = {"type": f"{type} {TYPES[type]}", "kind": "query" if type in QUERIES else "action"}
    return Task(
        published.id,
        Instruction(published.instruction, published.context),
        Gold(type, published.eval_MRN or "", published.sol),
        labels,
    )
