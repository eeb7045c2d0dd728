"""Writes a run's files: starts a run, appends its lines, and replaces files whole."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import orjson
from filelock import FileLock, Timeout

from wardround.core.errors import UserError
from wardround.core.record import (
    ByteRange,
    PlayedTrial,
    TrialRecord,
    VerdictRecord,
    record_to_json,
)
from wardround.core.run_reader import FORMAT, SETTINGS, TRAJECTORIES, TRIALS, VERDICTS
from wardround.core.serialization import to_line
from wardround.core.trajectory import Event, Trajectory

LOCK = ".lock"
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


class RunWriter:
    """Appends to a run; one writer at a time, safe against being killed.

    A trajectory is written before the lines that point to it, and a line counts once its end
    is written, so that readers never see half a record.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = FileLock(folder / LOCK)
        self._trials: IO[bytes]
        self._trajectories: IO[bytes]
        self._verdicts: IO[bytes]

    def __enter__(self) -> Self:
        """Locks the run and opens its files.

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
            _open_to_append(self.folder / name) for name in (TRIALS, TRAJECTORIES, VERDICTS)
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes the files and unlocks the run."""
        self._trials.close()
        self._trajectories.close()
        self._verdicts.close()
        self._lock.release()

    def add_trajectory(
        self, trajectory: Trajectory, played: PlayedTrial | None = None
    ) -> ByteRange:
        """Writes a trajectory and returns its bytes.

        Args:
            trajectory: what happened.
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


def write_whole(path: Path, content: bytes) -> None:
    """Replaces a file atomically."""
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(content)
    partial.replace(path)


def rewrite_trials(folder: Path, records: Iterable[TrialRecord]) -> None:
    """Replaces the trials of a run that was scored again."""
    write_whole(folder / TRIALS, b"".join(record_to_json(record) + b"\n" for record in records))


@dataclass(frozen=True, slots=True)
class _TrajectoryLine:
    """A line of `trajectories.jsonl`."""

    played: PlayedTrial | None
    events: list[Event]


def _open_to_append(path: Path) -> IO[bytes]:
    """Opens a file to append to it, and drops an unfinished last line."""
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
    """Removes the files of a run; refuses a folder that holds others."""
    own_files = {SETTINGS, TRIALS, TRAJECTORIES, VERDICTS, LOCK, PREDICTIONS, CONFIDENCES}
    strangers = sorted(path.name for path in folder.iterdir() if path.name not in own_files)
    if strangers or not (folder / SETTINGS).is_file():
        raise UserError(
            f"{folder} holds files that are no run's ({', '.join(strangers[:3]) or 'no run.json'});"
            " --force replaces only a run, so name another folder."
        )
    for name in sorted(own_files):
        (folder / name).unlink(missing_ok=True)
