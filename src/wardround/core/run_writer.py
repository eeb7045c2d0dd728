"""Writes a run's files: creates a run, appends lines, and replaces files atomically."""

import fcntl
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from os import SEEK_END
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from wardround.core.errors import UserError
from wardround.core.line_chain import Chain, Ending
from wardround.core.private_files import make_folder, open_private, write_whole
from wardround.core.record import (
    ByteRange,
    PlayedTrial,
    TrialRecord,
    VerdictRecord,
    record_to_json,
)
from wardround.core.run_check import (
    LINE_FILES,
    RunCheck,
    check_run,
    sealed_document,
)
from wardround.core.run_document import (
    INDEX,
    SEAL,
    SETTINGS,
    TRAJECTORIES,
    TRIALS,
    VERDICTS,
    RunDocument,
    writable_document,
    write_document,
)
from wardround.core.run_lines import sound_size
from wardround.core.run_repair import DAMAGED, repair_run, set_aside
from wardround.core.serialization import to_line
from wardround.core.trajectory import Event, Trajectory

LOCK = ".lock"
PREDICTIONS, CONFIDENCES = "predictions.json", "confidences.json"

_FILES = {
    SETTINGS,
    SEAL,
    LOCK,
    PREDICTIONS,
    CONFIDENCES,
    *(INDEX + ending for ending in ("", "-journal", "-wal", "-shm")),
    *LINE_FILES,
    *(name + DAMAGED for name in LINE_FILES),
}


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
        write_document(folder, settings)
        with writer:
            writer.complete()
            yield writer


class RunWriter:
    """Appends to a run; one writer at a time, safe if killed at any moment.

    A trajectory is written before the lines that refer to it, and a line counts only with its
    newline, so that readers never see half a record. Lines are authenticated, and the run is sealed
    when its writer closes it, unless it was not sealed before: something could be missing then.

    Args:
        folder: the run.
        trust: write to a run that cannot be verified, without authentication.
        repair: remove what is not as it was written, to files ending in `.damaged`.
    """

    def __init__(self, folder: Path, *, trust: bool = False, repair: bool = False) -> None:
        self.folder = folder
        self._trust = trust
        self._repair = repair
        self._is_locked = False
        self._is_complete = False
        self._run: RunDocument
        self._open = ExitStack()
        self._files: dict[str, _LineFile] = {}

    def __enter__(self) -> Self:
        """Locks the run and opens its files.

        Raises:
            UserError: another process is writing to it, or it is not as it was written.
        """
        with ExitStack() as opened:
            opened.enter_context(self.locked())
            self._run = writable_document(self.folder, trust=self._trust)
            check = self._checked()
            self._is_complete = check.sealed
            if check.verified:
                (self.folder / SEAL).unlink(missing_ok=True)
            self._open = opened.pop_all()
        for name in LINE_FILES:
            self._append_to(name, check.endings.get(name))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Seals the run, closes its files and unlocks it."""
        with self._open:
            signer, files = self._run.signer, self._files.values()
            if signer and self._is_complete and all(file.intact for file in files):
                endings = {n: file.chain.ending for n, file in self._files.items() if file.chain}
                write_whole(self.folder / SEAL, sealed_document(signer, endings))

    def complete(self) -> None:
        """Seals the run when it is closed, because nothing is missing in it."""
        self._is_complete = True

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
        return self._files[TRAJECTORIES].append(line)

    def add_verdicts(self, records: Iterable[VerdictRecord]) -> None:
        """Writes verdicts on a trial whose trajectory was added before."""
        for record in records:
            self._files[VERDICTS].append(record_to_json(record))

    def add_trial(self, record: TrialRecord) -> None:
        """Writes a finished trial; its trajectory was added before."""
        self._files[TRIALS].append(record_to_json(record))

    def rewrite_trials(self, records: Iterable[TrialRecord]) -> None:
        """Replaces the trials of a run after scoring it again, in a new chain."""
        chain = self._chain(TRIALS)
        lines = [_signed(chain, record_to_json(record)) + b"\n" for record in records]
        write_whole(self.folder / TRIALS, b"".join(lines))
        self._append_to(TRIALS, chain.ending if chain else None)

    def _checked(self) -> RunCheck:
        """Checks the run before anything is written to it.

        Raises:
            UserError: it is not as it was written.
        """
        check, signer = check_run(self.folder), self._run.signer
        if signer is None or not check.mismatches:
            return check
        if not self._repair:
            raise UserError(
                f"{self.folder} is not as wardround wrote it ({check.mismatches[0]}; "
                f"{len(check.mismatches)} in all); wardround resume {self.folder} moves what was "
                "changed aside and plays those trials again."
            )
        repair_run(self.folder, signer, check)
        return check_run(self.folder)

    def _append_to(self, name: str, ending: Ending | None) -> None:
        """Opens a file to append to it after its end."""
        file = self._open.enter_context(_open_to_append(self.folder / name))
        self._files[name] = _LineFile(file, self._chain(name, ending))

    def _chain(self, name: str, ending: Ending | None = None) -> Chain | None:
        return self._run.signer.chain(name, ending) if self._run.signer else None


@dataclass(slots=True)
class _LineFile:
    """A file that lines are appended to.

    Attributes:
        file: the open file.
        chain: signs its lines; None in a run that cannot be verified.
        intact: False after a failed write.
    """

    file: IO[bytes]
    chain: Chain | None
    intact: bool = True

    def append(self, line: bytes) -> ByteRange:
        """Writes a line and returns its place."""
        self.intact, before = False, self.intact
        signed = _signed(self.chain, line)
        self.file.seek(0, SEEK_END)
        where = ByteRange(self.file.tell(), len(signed))
        self.file.write(signed + b"\n")
        self.file.flush()
        self.intact = before
        return where


@dataclass(frozen=True, slots=True)
class _TrajectoryLine:
    """A line of `trajectories.jsonl`."""

    played: PlayedTrial | None
    events: Sequence[Event]


def _signed(chain: Chain | None, line: bytes) -> bytes:
    return line if chain is None else chain.signed(line)


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
        set_aside(path, tail)
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
