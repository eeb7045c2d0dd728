"""A run on disk: `run.json`, `trials.jsonl` (a line a finished trial) and its trajectories."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import orjson
from filelock import FileLock, Timeout
from pydantic import ValidationError

from wardround.core.errors import UserError
from wardround.core.record import Place, TrialRecord, record_from_json, record_to_json
from wardround.core.trajectory import Trajectory, from_json, to_json

SETTINGS, TRIALS, TRAJECTORIES, LOCK = "run.json", "trials.jsonl", "trajectories.jsonl", ".lock"
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
    path = folder / TRIALS
    if not path.is_file():
        return []
    whole, _, _ = path.read_bytes().rpartition(b"\n")
    found: dict[tuple[str, int], TrialRecord] = {}
    for number, line in enumerate(whole.splitlines(), start=1):
        record = _parse(line, path, number)
        found[record.key] = record
    return list(found.values())


def read_trajectory(folder: Path, place: Place) -> Trajectory:
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


class RunWriter:
    """Appends finished trials to a run; one writer at a time, safe against being killed.

    A trajectory is written before the line that points to it, and a line counts once its end
    is written, so that whatever `read_trials` returns is whole.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = FileLock(folder / LOCK)
        self._trials: IO[bytes]
        self._trajectories: IO[bytes]

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
        _cut_torn_line(self.folder / TRIALS)
        self._trials = (self.folder / TRIALS).open("ab")
        self._trajectories = (self.folder / TRAJECTORIES).open("ab")
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
        self._lock.release()

    def add_trajectory(self, trajectory: Trajectory) -> Place:
        """Writes what happened, and tells where it lies."""
        line = to_json(trajectory)
        self._trajectories.seek(0, 2)
        place = Place(self._trajectories.tell(), len(line))
        self._trajectories.write(line + b"\n")
        self._trajectories.flush()
        return place

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


def _parse(line: bytes, path: Path, number: int) -> TrialRecord:
    try:
        return record_from_json(line)
    except ValidationError as error:
        raise UserError(
            f"{path}, line {number} is not a trial ({error.errors()[0]['msg']}); "
            "restore the file as the run wrote it."
        ) from None


def _cut_torn_line(path: Path) -> None:
    """Drops an unfinished last line, so that the next one starts on its own."""
    if not path.is_file():
        return
    with path.open("r+b") as file:
        content = file.read()
        file.truncate(content.rfind(b"\n") + 1)


def _clear_run(folder: Path) -> None:
    """Removes a run's own files and nothing else."""
    ours = {SETTINGS, TRIALS, TRAJECTORIES, LOCK, PREDICTIONS, CONFIDENCES}
    strangers = sorted(path.name for path in folder.iterdir() if path.name not in ours)
    if strangers or not (folder / SETTINGS).is_file():
        raise UserError(
            f"{folder} holds files that are no run's ({', '.join(strangers[:3]) or 'no run.json'});"
            " --force replaces only a run, so name another folder."
        )
    for name in sorted(ours):
        (folder / name).unlink(missing_ok=True)
