"""The log of an item, append-only: every version, remark, run and decision."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeAlias

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from wardround.core.errors import UserError
from wardround.core.private_files import create_file, open_private

LOG = "annotation.jsonl"
# The ending of the file for torn lines, as a run's.
DAMAGED = ".damaged"
Kind: TypeAlias = Literal[
    "began",
    "saved",
    "undone",
    "imported",
    "set aside",
    "commented",
    "finished",
    "sent back",
    "ran",
    "answered",
    "decided",
]


class Event(BaseModel):
    """An entry of the log.

    Attributes:
        field: The field of a version, or the role of a step.
        text: The text of a version or a remark, the query of a run.
        values: The rest: answers, the outcome, the level, a digest.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Kind
    by: str
    at: str
    field: str = ""
    text: str = ""
    values: dict[str, Any] = {}


def read_events(folder: Path) -> list[Event]:
    """The log of an item's folder; empty if there is none.

    A last line that a crash has torn is left out.

    Raises:
        UserError: A line is damaged.
    """
    path = folder / LOG
    if not path.exists():
        return []
    content = path.read_bytes()
    lines = content[: _whole_size(content)].splitlines()
    return [_event(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def append_event(folder: Path, event: Event) -> None:
    """Adds an entry to an item's log; it is on disk when this returns.

    A torn last line is moved to a file beside it first.
    """
    start = _repaired_start(folder / LOG)
    with open_private(folder / LOG, "ab") as file:
        file.write(start + orjson.dumps(event.model_dump(exclude_defaults=True)) + b"\n")
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds an item for one change; other threads and processes wait."""
    path = folder / LOG
    create_file(path)
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _repaired_start(path: Path) -> bytes:
    """Moves a torn last line aside; returns the end of a line that lacks nothing else."""
    content = path.read_bytes() if path.exists() else b""
    size = _whole_size(content)
    if size == len(content):
        return b"" if content.endswith(b"\n") or not content else b"\n"
    with open_private(path.with_name(f"{path.name}{DAMAGED}"), "ab") as file:
        file.write(content[size:] + b"\n")
        file.flush()
        os.fsync(file.fileno())
    os.truncate(path, size)
    return b""


def _whole_size(content: bytes) -> int:
    """The size of a log without a torn last line: one without its end that cannot be read."""
    size = content.rfind(b"\n") + 1
    try:
        Event.model_validate(orjson.loads(content[size:]))
    except (orjson.JSONDecodeError, ValidationError):
        return size
    return len(content)


def _event(path: Path, number: int, line: bytes) -> Event:
    try:
        return Event.model_validate(orjson.loads(line))
    except (orjson.JSONDecodeError, ValidationError):
        raise UserError(
            f"{path}, line {number} is damaged; restore the file from a backup, or remove the line."
        ) from None
