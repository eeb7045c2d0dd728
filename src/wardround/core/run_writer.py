"""Writes a run's files: creates a run, appends lines, and replaces files atomically."""

import fcntl
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import orjson

from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, open_private, write_whole
from wardround.core.record import (
    ByteRange,
    PlayedTrial,
    TrialRecord,
    VerdictRecord,
    record_to_json,
)
from wardround.core.run_reader import (
    FORMAT,
    SETTINGS,
    TRAJECTORIES,
    TRIALS,
    VERDICTS,
    sound_size,
)
from wardround.core.serialization import to_line
from wardround.core.trajectory import Event, Trajectory

LOCK = ".lock"
DAMAGED = ".damaged"
PREDICTIONS, CONFIDENCES = "predictions.json", "confidences.json"

_LINES = (TRIALS, TRAJECTORIES, VERDICTS)
_FILES = {SETTINGS, LOCK, PREDICTIONS, CONFIDENCES, *_LINES, *(n + DAMAGED for n in _LINES)}


@contextmanager
def new_run(
    folder: Path, settings: Mapping[str, Any], *, force: bool = False
) -> "Iterator[RunWriter]":
    """Creates a run folder with its settings, locked before anything in it is replaced.

    Raises:
        UserError: the folder is not empty and `force` is False, or holds anything but a run, or
            another process is writing to it.
    """
    _check_free(folder, force=force)
    make_folder(folder)
    writer = RunWriter(folder)
    with writer.locked():
        # Another process may have created a run before the lock was taken.
        _check_free(folder, force=force)
        for name in sorted(_FILES - {LOCK}):
            (folder / name).unlink(missing_ok=True)
        write_whole(
            folder / SETTINGS,
            orjson.dumps({"format": FORMAT, **settings}, option=orjson.OPT_INDENT_2) + b"\n",
        )
        with writer:
            yield writer


class RunWriter:
    """Appends to a run; one writer at a time, safe if killed at any moment.

    A trajectory is written before the lines that refer to it, and a line counts only with its
    newline, so that readers never see half a record.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._is_locked = False
        self._open = ExitStack()
        self._trials: IO[bytes]
        self._trajectories: IO[bytes]
        self._verdicts: IO[bytes]

    def __enter__(self) -> Self:
        """Locks the run and opens its files.

        Raises:
            UserError: another process is writing to it.
        """
        self._open.enter_context(self.locked())
        self._trials, self._trajectories, self._verdicts = (
            self._open.enter_context(_open_to_append(self.folder / name)) for name in _LINES
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes the files and unlocks the run."""
        self._open.close()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Locks the run without opening its files; a second time within the block does nothing.

        Raises:
            UserError: another process is writing to it.
        """
        if self._is_locked:
            yield
            return
        with open_private(self.folder / LOCK, "a+b") as file:
            _lock(file, self.folder)
            self._is_locked = True
            try:
                yield
            finally:
                self._is_locked = False

    def add_trajectory(
        self, trajectory: Trajectory, played: PlayedTrial | None = None
    ) -> ByteRange:
        """Writes a trajectory and returns its byte range.

        Args:
            trajectory: the events.
            played: the head of the line, for the attempt that counts.
        """
        line = to_line(_TrajectoryLine(played, trajectory.events))
        self._trajectories.seek(0, 2)
        where = ByteRange(self._trajectories.tell(), len(line))
        self._trajectories.write(line + b"\n")
        self._trajectories.flush()
        return where

    def add_verdicts(self, records: Iterable[VerdictRecord]) -> None:
        """Writes verdicts on a trial whose trajectory was added before."""
        if lines := b"".join(record_to_json(record) + b"\n" for record in records):
            self._verdicts.write(lines)
            self._verdicts.flush()

    def add_trial(self, record: TrialRecord) -> None:
        """Writes a finished trial, whose trajectory was added before."""
        self._trials.write(record_to_json(record) + b"\n")
        self._trials.flush()


def rewrite_trials(folder: Path, records: Iterable[TrialRecord]) -> None:
    """Replaces the trials of a run after scoring it again."""
    write_whole(folder / TRIALS, b"".join(record_to_json(record) + b"\n" for record in records))


@dataclass(frozen=True, slots=True)
class _TrajectoryLine:
    """A line of `trajectories.jsonl`."""

    played: PlayedTrial | None
    events: list[Event]


def _lock(file: IO[bytes], folder: Path) -> None:
    """Locks a file until it is closed or the process ends."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UserError(
            f"Another process is writing to {folder}; wait for it or end it first."
        ) from None


def _open_to_append(path: Path) -> IO[bytes]:
    """Opens a file for appending after removing an incomplete or damaged end.

    An incomplete last line is dropped; other damaged bytes are saved in a file next to it.
    """
    file = open_private(path, "a+b")
    end = sound_size(path)
    file.seek(end)
    tail = file.read()
    if b"\n" in tail or b"\0" in tail:
        with open_private(path.with_name(path.name + DAMAGED), "ab") as damaged:
            damaged.write(tail)
    if tail:
        file.truncate(end)
    return file


def _check_free(folder: Path, *, force: bool) -> None:
    """Refuses a folder that is not empty, or with `force` one that holds anything but a run."""
    names = {path.name for path in folder.iterdir()} - {LOCK} if folder.exists() else set()
    if names and not force:
        raise UserError(
            f"{folder} already holds files; name another folder, continue the run in it with "
            f"wardround resume {folder}, or add --force to replace that run."
        )
    strangers = sorted(names - _FILES)
    if strangers or (names and SETTINGS not in names):
        raise UserError(
            f"{folder} contains files that do not belong to a run "
            f"({', '.join(strangers[:3]) or 'no run.json'}); --force replaces only a run, so name "
            "another folder."
        )
