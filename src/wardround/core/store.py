"""A run on disk: `run.json`, and a line for each trial, trajectory and verdict."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, TypeVar

import orjson
from filelock import FileLock, Timeout
from pydantic import ValidationError

from wardround.core.errors import UserError
from wardround.core.record import (
    ByteRange,
    PlayedTrial,
    TrialRecord,
    VerdictRecord,
    played_from_json,
    record_from_json,
    record_to_json,
    verdict_from_json,
)
from wardround.core.serialization import to_line
from wardround.core.trajectory import Event, Trajectory, from_json

SETTINGS, LOCK = "run.json", ".lock"
TRIALS, TRAJECTORIES, VERDICTS = "trials.jsonl", "trajectories.jsonl", "verdicts.jsonl"
FORMAT = 2  # of `run.json`; raised with every change that an older reader would misread
PREDICTIONS, CONFIDENCES = "predictions.json", "confidences.json"


def create_run(folder: Path, settings: Mapping[str, Any], *, force: bool = False) -> None:
    """Starts a run folder with its settings.

    Raises:
        UserError: the folder holds something already and `force` was not given, or `force` was
            given and what it holds is not a run.
    """
    if folder.exists() and any(folder.iterdir()):
        if not force:
            raise UserError(
                f"{folder} already holds files; name another folder, go on with the run in it by "
                f"wardround resume {folder}, or add --force to replace that run."
            )
        _clear_run(folder)
    # A run holds patients' values: only its owner may look.
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(
        folder / SETTINGS,
        orjson.dumps({"format": FORMAT, **settings}, option=orjson.OPT_INDENT_2) + b"\n",
    )


def read_settings(folder: Path) -> dict[str, Any]:
    """The settings that a run was started with.

    Raises:
        UserError: the folder is no run, or its `run.json` is not readable or of another format.
    """
    path = folder / SETTINGS
    if not path.is_file():
        raise UserError(f"{folder} is not a run: it has no {SETTINGS}; name a run's folder.")
    try:
        settings: dict[str, Any] = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise UserError(f"{path} is not valid JSON ({error}); restore it or start anew.") from None
    if (found := settings.pop("format", 1)) != FORMAT:
        raise UserError(
            f"{path} has format {found}, and this version of wardround reads format {FORMAT}; use "
            "the version that wrote it, or start a new run."
        )
    return settings


def read_trials(folder: Path) -> list[TrialRecord]:
    """The finished trials, a later record of the same trial standing for the earlier one.

    A last line without its end belongs to a trial that was being written when the process
    died; it is left out, here and in a resumed run.

    Raises:
        UserError: a line is not a trial.
    """
    found = {record.key: record for record in _lines(folder / TRIALS, "trial", record_from_json)}
    return list(found.values())


def find_trial(folder: Path, name: str) -> TrialRecord:
    """A trial by its task's id, with `:NUMBER` when it is not the first one.

    Raises:
        UserError: the folder is no run, or has no such trial.
    """
    read_settings(folder)
    task, _, number = name.partition(":")
    for record in read_trials(folder):
        if record.task == task and str(record.trial) == (number or "0"):
            return record
    known = ", ".join(f"{r.task}:{r.trial}" for r in read_trials(folder)[:3])
    raise UserError(f"{folder} has no trial {name!r}; it has trials such as {known or 'none'}.")


def read_verdicts(folder: Path) -> list[VerdictRecord]:
    """All verdicts in the order they were given; none where the run has no such file.

    Raises:
        UserError: a line is not a verdict.
    """
    return _lines(folder / VERDICTS, "verdict", verdict_from_json)


def read_trajectory(folder: Path, place: ByteRange) -> Trajectory:
    """What happened in an attempt.

    Raises:
        UserError: the trajectories' file is missing or was changed.
    """
    path = folder / TRAJECTORIES
    try:
        with path.open("rb") as file:
            file.seek(place.offset)
            return from_json(file.read(place.length))
    except (OSError, ValidationError) as error:
        raise UserError(
            f"{path} has no trajectory at byte {place.offset} ({type(error).__name__}); "
            "restore the file as the run wrote it."
        ) from None


def read_played(folder: Path, place: ByteRange) -> PlayedTrial | None:
    """What is known of the trial whose last attempt lies here; None if that does not count.

    Raises:
        UserError: the trajectories' file is missing or was changed.
    """
    with (folder / TRAJECTORIES).open("rb") as file:
        file.seek(place.offset)
        return _played(file.read(place.length))


def unjudged_trials(
    folder: Path, records: Iterable[TrialRecord]
) -> list[tuple[PlayedTrial, ByteRange]]:
    """The trials that were played and then neither judged nor played again.

    Args:
        folder: the run.
        records: its finished trials.

    Raises:
        UserError: the trajectories' file was changed.
    """
    newest = {record.key: record.trajectory.offset for record in records}
    known = set(newest.values())
    found: dict[tuple[str, int], tuple[PlayedTrial, ByteRange]] = {}
    for place, line in _places(folder / TRAJECTORIES):
        played = None if place.offset in known else _played(line)
        if played and newest.get(played.key, -1) < place.offset:
            found[played.key] = (played, place)
    return list(found.values())


class RunWriter:
    """Appends to a run; one writer at a time, safe against being killed.

    A trajectory is written before the lines that point to it, and a line counts once its end
    is written, so that whatever is read is whole.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = FileLock(folder / LOCK)
        self._trials: IO[bytes]
        self._trajectories: IO[bytes]
        self._verdicts: IO[bytes]

    def __enter__(self) -> Self:
        """Takes the run.

        Raises:
            UserError: another process is writing to it.
        """
        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            raise UserError(
                f"Another process is writing to {self.folder}; wait for it or end it first."
            ) from None
        self._trials, self._trajectories, self._verdicts = (
            _opened(self.folder / name) for name in (TRIALS, TRAJECTORIES, VERDICTS)
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Gives the run back."""
        self._trials.close()
        self._trajectories.close()
        self._verdicts.close()
        self._lock.release()

    def add_trajectory(
        self, trajectory: Trajectory, played: PlayedTrial | None = None
    ) -> ByteRange:
        """Writes what happened, and returns where it lies.

        Args:
            trajectory: what happened.
            played: what is known of the trial, if this is the attempt that counts.
        """
        line = to_line(_TrajectoryLine(played, trajectory.events))
        self._trajectories.seek(0, 2)
        place = ByteRange(self._trajectories.tell(), len(line))
        self._trajectories.write(line + b"\n")
        self._trajectories.flush()
        return place

    def add_verdicts(self, records: Iterable[VerdictRecord]) -> None:
        """Writes verdicts on a trial whose trajectory was added before."""
        if lines := b"".join(record_to_json(record) + b"\n" for record in records):
            self._verdicts.write(lines)
            self._verdicts.flush()

    def add_trial(self, record: TrialRecord) -> None:
        """Writes a finished trial, whose trajectory was added before."""
        self._trials.write(record_to_json(record) + b"\n")
        self._trials.flush()


def write_whole(path: Path, content: bytes) -> None:
    """Writes a file so that it is there whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(content)
    partial.replace(path)


def rewrite_trials(folder: Path, records: Iterator[TrialRecord] | list[TrialRecord]) -> None:
    """Replaces the records of a run whose trials were scored again."""
    write_whole(folder / TRIALS, b"".join(record_to_json(record) + b"\n" for record in records))


@dataclass(frozen=True, slots=True)
class _TrajectoryLine:
    """A trajectory as it is written."""

    played: PlayedTrial | None
    events: list[Event]


Record = TypeVar("Record")


def _lines(path: Path, noun: str, parse: Callable[[bytes], Record]) -> list[Record]:
    """The records of a file; a last line without its end is left out."""
    if not path.is_file():
        return []
    whole, _, _ = path.read_bytes().rpartition(b"\n")
    return [
        _parsed(line, parse, f"{path}, line {number} is not a {noun}")
        for number, line in enumerate(whole.splitlines(), start=1)
    ]


def _parsed(line: bytes, parse: Callable[[bytes], Record], problem: str) -> Record:
    try:
        return parse(line)
    except ValidationError as error:
        raise UserError(
            f"{problem} ({error.errors()[0]['msg']}); restore the file as the run wrote it."
        ) from None


def _places(path: Path) -> Iterator[tuple[ByteRange, bytes]]:
    """The whole lines of a file, each with where it lies."""
    if not path.is_file():
        return
    offset = 0
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield ByteRange(offset, len(line) - 1), line
            offset += len(line)


def _played(line: bytes) -> PlayedTrial | None:
    try:
        played = orjson.loads(line).get("played")
        return played and played_from_json(played)
    except (orjson.JSONDecodeError, AttributeError, ValidationError) as error:
        raise UserError(
            f"A line of {TRAJECTORIES} is no trajectory ({type(error).__name__}); restore the "
            "file as the run wrote it."
        ) from None


def _opened(path: Path) -> IO[bytes]:
    """A file opened to be appended to, once an unfinished last line is dropped."""
    file = path.open("a+b")
    size = end = file.seek(0, 2)
    while end and not (block := _block_before(file, end)).endswith(b"\n"):
        end -= len(block) - (block.rfind(b"\n") + 1)
    if end < size:
        file.truncate(end)
    return file


def _block_before(file: IO[bytes], end: int) -> bytes:
    start = max(0, end - _BLOCK)
    file.seek(start)
    return file.read(end - start)


_BLOCK = 1 << 16


def _clear_run(folder: Path) -> None:
    """Removes a run's own files and nothing else."""
    ours = {SETTINGS, TRIALS, TRAJECTORIES, VERDICTS, LOCK, PREDICTIONS, CONFIDENCES}
    strangers = sorted(path.name for path in folder.iterdir() if path.name not in ours)
    if strangers or not (folder / SETTINGS).is_file():
        raise UserError(
            f"{folder} holds files that are no run's ({', '.join(strangers[:3]) or 'no run.json'});"
            " --force replaces only a run, so name another folder."
        )
    for name in sorted(ours):
        (folder / name).unlink(missing_ok=True)
