"""Reads a run's files: its settings, trials, trajectories and verdicts."""

import logging
from collections.abc import Callable, Iterable, Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any, TypeVar

import orjson
from pydantic import ValidationError

from wardround.core.errors import UserError
from wardround.core.record import (
    ByteRange,
    PlayedTrial,
    TrialRecord,
    VerdictRecord,
    played_from_json,
    record_from_json,
    verdict_from_json,
)
from wardround.core.trajectory import Trajectory, from_json

SETTINGS, TRIALS = "run.json", "trials.jsonl"
TRAJECTORIES, VERDICTS = "trajectories.jsonl", "verdicts.jsonl"
log = logging.getLogger(__name__)

# Settings that no trial depends on.
WITHOUT_EFFECT = frozenset(
    ["concurrency", "judge_concurrency", "processes", "cache", "record", "replay", "versions"]
)

FORMAT = 2  # of `run.json`; incremented with every incompatible change


def read_settings(folder: Path) -> dict[str, Any]:
    """The settings of a run, as it was started.

    Raises:
        UserError: the folder is not a run, or its `run.json` is unreadable or of another format.
    """
    path = folder / SETTINGS
    if not path.is_file():
        raise UserError(f"{folder} is not a run: it has no {SETTINGS}; name a run's folder.")
    try:
        settings: dict[str, Any] = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise UserError(
            f"{path} is not valid JSON ({error}); restore it or start a new run."
        ) from None
    if (version := settings.pop("format", 1)) != FORMAT:
        raise UserError(
            f"{path} has format {version}, and this version of wardround reads format {FORMAT}; "
            "use the version that wrote it, or start a new run."
        )
    return settings


def read_trials(folder: Path) -> list[TrialRecord]:
    """The finished trials; a later record of a trial replaces the earlier one.

    An incomplete or damaged end of the file, left by a crash, is ignored.

    Raises:
        UserError: a line is not a trial.
    """
    records = _lines(folder / TRIALS, "trial", record_from_json)
    return list({record.key: record for record in records}.values())


def find_trial(folder: Path, name: str) -> TrialRecord:
    """A trial by its task's id, with `:NUMBER` for trials after the first.

    Raises:
        UserError: the folder is not a run, or has no such trial.
    """
    read_settings(folder)
    task, _, number = name.partition(":")
    for record in read_trials(folder):
        if record.task == task and str(record.trial) == (number or "0"):
            return record
    examples = ", ".join(f"{r.task}:{r.trial}" for r in read_trials(folder)[:3])
    raise UserError(f"{folder} has no trial {name!r}; it has trials such as {examples or 'none'}.")


def read_verdicts(folder: Path) -> list[VerdictRecord]:
    """All verdicts in order of writing; empty if the run has none.

    Raises:
        UserError: a line is not a verdict.
    """
    return _lines(folder / VERDICTS, "verdict", verdict_from_json)


def read_trajectory(folder: Path, where: ByteRange) -> Trajectory:
    """The trajectory of an attempt.

    Raises:
        UserError: the trajectories' file is missing or was changed.
    """
    path = folder / TRAJECTORIES
    try:
        with path.open("rb") as file:
            file.seek(where.offset)
            return from_json(file.read(where.length))
    except (OSError, ValidationError) as error:
        raise UserError(
            f"{path} has no trajectory at byte {where.offset} ({type(error).__name__}); "
            "restore the file as the run wrote it."
        ) from None


def read_played(folder: Path, where: ByteRange) -> PlayedTrial | None:
    """The head of a trajectory; None for an attempt that does not count.

    Raises:
        UserError: the trajectories' file is missing or was changed.
    """
    with (folder / TRAJECTORIES).open("rb") as file:
        file.seek(where.offset)
        return _played(file.read(where.length))


def unjudged_trials(
    folder: Path, records: Iterable[TrialRecord]
) -> list[tuple[PlayedTrial, ByteRange]]:
    """The trials that were played but not judged, each with the byte range of its trajectory.

    Args:
        folder: the run.
        records: its finished trials.

    Raises:
        UserError: the trajectories' file was changed.
    """
    newest = {record.key: record.trajectory.offset for record in records}
    judged = set(newest.values())
    unjudged: dict[tuple[str, int], tuple[PlayedTrial, ByteRange]] = {}
    for where, line in _located_lines(folder / TRAJECTORIES):
        played = None if where.offset in judged else _played(line)
        if played and newest.get(played.key, -1) < where.offset:
            unjudged[played.key] = (played, where)
    return list(unjudged.values())


Record = TypeVar("Record")


def sound_size(path: Path) -> int:
    """The size of a file up to its last complete line that is a JSON object."""
    if not path.is_file() or not path.stat().st_size:
        return 0
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        end = content.rfind(b"\n") + 1
        while end:
            start = content.rfind(b"\n", 0, end - 1) + 1
            if _is_object(content[start:end]):
                break
            end = start
        return end


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(orjson.loads(line), dict)
    except orjson.JSONDecodeError:
        return False


def _lines(path: Path, noun: str, parse: Callable[[bytes], Record]) -> list[Record]:
    """The records of a file, without an incomplete or damaged end."""
    if not path.is_file():
        return []
    content, size = path.read_bytes(), sound_size(path)
    if b"\n" in content[size:]:
        log.warning(
            "%s ends in %d damaged bytes, which are passed over.", path, len(content) - size
        )
    return [
        _parsed(line, parse, f"{path}, line {number} is not a {noun}")
        for number, line in enumerate(content[:size].splitlines(), start=1)
    ]


def _parsed(line: bytes, parse: Callable[[bytes], Record], problem: str) -> Record:
    try:
        return parse(line)
    except ValidationError as error:
        raise UserError(
            f"{problem} ({error.errors()[0]['msg']}); remove that line and resume the run, which "
            "then repeats that trial."
        ) from None


def _located_lines(path: Path) -> Iterator[tuple[ByteRange, bytes]]:
    """The lines of a file with their byte ranges, without an incomplete or damaged end."""
    if not path.is_file():
        return
    offset, end = 0, sound_size(path)
    with path.open("rb") as file:
        while offset < end and (line := file.readline()):
            yield ByteRange(offset, len(line) - 1), line
            offset += len(line)


def _played(line: bytes) -> PlayedTrial | None:
    try:
        played = orjson.loads(line).get("played")
        return played and played_from_json(played)
    except (orjson.JSONDecodeError, AttributeError, ValidationError) as error:
        raise UserError(
            f"A line of {TRAJECTORIES} is not a trajectory ({type(error).__name__}); restore the "
            "file as the run wrote it."
        ) from None
