"""Reads a run's files: its settings, trials, trajectories and verdicts."""

import logging
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from os import SEEK_END
from pathlib import Path
from typing import Any, TypeVar

import orjson
from pydantic import ValidationError

from wardround.core.errors import UserError
from wardround.core.line_chain import MAC_LENGTH, Chain, CheckedLine, Ending
from wardround.core.record import (
    ByteRange,
    PlayedTrial,
    TrialRecord,
    VerdictRecord,
    played_from_json,
    record_from_json,
    verdict_from_json,
)
from wardround.core.run_document import (
    SETTINGS,
    TRAJECTORIES,
    TRIALS,
    VERDICTS,
    Signer,
    read_document,
)
from wardround.core.run_key import key_path
from wardround.core.run_lines import checked_lines, sound_size
from wardround.core.trajectory import Trajectory, from_json

log = logging.getLogger(__name__)

STARTED = "started"  # UTC time in `run.json`
# Settings that no trial depends on.
WITHOUT_EFFECT = frozenset(
    ["concurrency", "judge_concurrency", "processes", "cache", "record", "replay", "versions"]
)


def read_settings(folder: Path) -> dict[str, Any]:
    """The settings of a run, as it was started.

    Raises:
        UserError: the folder is not a run, or its `run.json` is unreadable or of another format.
    """
    return dict(read_document(folder).settings)


def read_trials(folder: Path) -> list[TrialRecord]:
    """The finished trials; a later record of a trial replaces the earlier one.

    Ignores an incomplete or damaged end of the file, left by a crash, and lines that were changed,
    added or moved. In a run that cannot be verified, all lines count.

    Raises:
        UserError: a line is not a trial.
    """
    return list({record.key: record for record in read_all_trials(folder)}.values())


def read_all_trials(folder: Path) -> list[TrialRecord]:
    """The records of all trials in order of writing, with those that later ones replace.

    Raises:
        UserError: a line is not a trial.
    """
    return _records(folder, TRIALS, "trial", record_from_json)


def counted_trials(folder: Path) -> list[TrialRecord]:
    """The finished trials of a run; of a trial that was repeated, the first play that was scored.

    Otherwise a run could be repeated until it passes. A play that was judged again counts as it
    was judged last.
    """
    counted: dict[tuple[str, int], TrialRecord] = {}
    for record in read_all_trials(folder):
        before = counted.get(record.key)
        is_first = before is None or not before.outcome.scored
        if is_first or (before and before.trajectory == record.trajectory):
            counted[record.key] = record
    return list(counted.values())


def find_trial(folder: Path, name: str) -> TrialRecord:
    """A trial by its task's id, with `:NUMBER` for trials after the first.

    Raises:
        UserError: the folder is not a run, or has no such trial.
    """
    read_settings(folder)
    task, _, number = name.partition(":")
    records = sorted(read_trials(folder), key=lambda record: record.key)
    for record in records:
        if record.task == task and str(record.trial) == (number or "0"):
            return record
    examples = ", ".join(f"{record.task}:{record.trial}" for record in records[:3])
    raise UserError(f"{folder} has no trial {name!r}; it has trials such as {examples or 'none'}.")


def read_verdicts(folder: Path) -> list[VerdictRecord]:
    """All verdicts in order of writing; empty if the run has none.

    Raises:
        UserError: a line is not a verdict.
    """
    return _records(folder, VERDICTS, "verdict", verdict_from_json)


def read_trajectory(folder: Path, where: ByteRange) -> Trajectory:
    """The trajectory of an attempt.

    Raises:
        UserError: the trajectories' file is missing or was changed.
    """
    return _at(folder, TRAJECTORIES, where, "trajectory", from_json)


def read_played(folder: Path, where: ByteRange) -> PlayedTrial | None:
    """The head of a trajectory; None for an attempt that does not count.

    Raises:
        UserError: the trajectories' file is missing or was changed.
    """
    return _played(_line_at(folder, TRAJECTORIES, where))


def read_verdict(folder: Path, where: ByteRange) -> VerdictRecord:
    """The verdict at a place in the file of verdicts.

    Raises:
        UserError: the file is missing or was changed.
    """
    return _at(folder, VERDICTS, where, "verdict", verdict_from_json)


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
    for line in _genuine_lines(folder, TRAJECTORIES):
        where = ByteRange(line.origin, len(line.text))
        played = None if where.offset in judged else _played(line.text)
        if played and newest.get(played.key, -1) < where.offset:
            unjudged[played.key] = (played, where)
    return list(unjudged.values())


Record = TypeVar("Record")


def _records(folder: Path, name: str, noun: str, parse: Callable[[bytes], Record]) -> list[Record]:
    """The records of a file, without an incomplete or damaged end."""
    path = folder / name
    damaged = path.stat().st_size - sound_size(path) if path.is_file() else 0
    if damaged and b"\n" in _tail(path, damaged):
        log.warning("%s ends in %d damaged bytes, which are passed over.", path, damaged)
    return [
        _parsed(line.text, parse, f"{path}, line {number} is not a {noun}")
        for number, line in enumerate(_genuine_lines(folder, name), start=1)
    ]


def _at(
    folder: Path, file: str, where: ByteRange, name: str, read: Callable[[bytes], Record]
) -> Record:
    try:
        return read(_line_at(folder, file, where))
    except (OSError, ValidationError) as error:
        raise UserError(
            f"{folder / file} has no {name} at byte {where.offset} "
            f"({type(error).__name__}); restore the file as the run wrote it."
        ) from None


def _genuine_lines(folder: Path, name: str) -> Iterator[CheckedLine]:
    path = folder / name
    lines = checked_lines(path, sound_size(path), chain_of(folder, name))
    return (line for line in lines if line.genuine)


def chain_of(folder: Path, name: str, ending: Ending | None = None) -> Chain | None:
    """The chain of a file, from its start or an end of it; None if the run cannot be verified."""
    state = (folder / SETTINGS).stat()
    signer = _signer(folder, key_path(), (state.st_ino, state.st_mtime_ns, state.st_size))
    return signer.chain(name, ending) if signer else None


@lru_cache(maxsize=4)
def _signer(folder: Path, key: Path, version: tuple[int, ...]) -> Signer | None:
    """The signer of a run, kept while its `run.json` is the same."""
    return read_document(folder).signer


def _line_at(folder: Path, name: str, where: ByteRange) -> bytes:
    """The line at a place in a file of the run.

    Raises:
        UserError: it is not as it was written.
    """
    chain = chain_of(folder, name)
    before = min(where.offset, MAC_LENGTH)
    with (folder / name).open("rb") as file:
        file.seek(where.offset - before)
        earlier, line = file.read(before), file.read(where.length)
    if chain is None or chain.follows(line, earlier):
        return line
    # The line before it may have been changed, or lines inserted.
    for genuine in _genuine_lines(folder, name):
        if (genuine.origin, len(genuine.text)) == (where.offset, where.length):
            return genuine.text
    raise UserError(
        f"{folder / name} has no line at byte {where.offset} that is as it was written; wardround "
        f"resume {folder} plays or judges its trial again."
    )


def _tail(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        file.seek(-size, SEEK_END)
        return file.read()


def _parsed(line: bytes, parse: Callable[[bytes], Record], problem: str) -> Record:
    try:
        return parse(line)
    except ValidationError as error:
        raise UserError(
            f"{problem} ({error.errors()[0]['msg']}); remove that line and resume the run, which "
            "then repeats that trial."
        ) from None


def _played(line: bytes) -> PlayedTrial | None:
    try:
        played = orjson.loads(line).get("played")
        return played and played_from_json(played)
    except (orjson.JSONDecodeError, AttributeError, ValidationError) as error:
        raise UserError(
            f"A line of {TRAJECTORIES} is not a trajectory ({type(error).__name__}); restore the "
            "file as the run wrote it."
        ) from None
