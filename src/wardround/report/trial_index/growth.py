"""Reads what is new in a run into its index, some lines at a time."""

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice
from pathlib import Path

from wardround.core.errors import UserError
from wardround.core.record import (
    TrialRecord,
    VerdictRecord,
    record_from_json,
    record_to_json,
    verdict_from_json,
)
from wardround.core.run_document import TRIALS, VERDICTS
from wardround.core.run_growth import Mark, NewLine, Record, lines_after
from wardround.core.run_reader import read_trajectory
from wardround.report.trace import turns
from wardround.report.trial_index.file import transaction
from wardround.report.trial_index.words import distinct_words
from wardround.report.trial_notes import NOTES, notes_stamp, read_notes

_MOST_LINES = 250  # of a file, written together
_MOST_BYTES = 2_000_000  # of trajectories whose words are written together
_TAIL = 64


@dataclass(frozen=True, slots=True)
class _ReadFile:
    """A file of the run, as far as it was read.

    Attributes:
        stamp: its inode, size and time when it was read.
        node: its inode.
        tail: the last bytes before the mark.
        mark: the end of the last line that was read.
        round: the number of times that reading began anew.
        is_read: True if there was nothing left.
    """

    stamp: str = ""
    node: int = 0
    tail: bytes = b""
    mark: Mark = field(default_factory=Mark)
    round: int = 0
    is_read: bool = False


def grow(connection: sqlite3.Connection, folder: Path, seconds: float) -> bool:
    """Reads the run's new lines for some time; returns True if nothing is left to read.

    Raises:
        UserError: a line of the run cannot be read.
    """
    ends = time.monotonic() + seconds
    steps: tuple[Callable[[sqlite3.Connection, Path], bool], ...]
    steps = (_read_notes, _grow_trials, _grow_verdicts, _grow_words)
    for step in steps:
        while step(connection, folder):
            if time.monotonic() > ends:
                return False
    return True


def _read_notes(connection: sqlite3.Connection, folder: Path) -> bool:
    """Puts the labels that persons gave into the index, all at once."""
    stamp = notes_stamp(folder)
    if _state_of_file(connection, NOTES).stamp == stamp:
        return False
    with transaction(connection):
        connection.execute("DELETE FROM marks")
        connection.executemany(
            "INSERT INTO marks VALUES (?, ?, ?)",
            [
                (note.task, note.trial, label)
                for note in read_notes(folder).notes
                for label in note.labels or ("",)
            ],
        )
        _remember(connection, NOTES, _ReadFile(stamp, is_read=True))
    return False


def _grow_trials(connection: sqlite3.Connection, folder: Path) -> bool:
    return _grow_file(connection, folder, TRIALS, record_from_json, _put_trial, _remove_trials)


def _grow_verdicts(connection: sqlite3.Connection, folder: Path) -> bool:
    return _grow_file(
        connection, folder, VERDICTS, verdict_from_json, _put_verdict, _remove_verdicts
    )


def _grow_file(
    connection: sqlite3.Connection,
    folder: Path,
    name: str,
    parse: Callable[[bytes], Record],
    put: Callable[[sqlite3.Connection, NewLine[Record], int], None],
    remove_before: Callable[[sqlite3.Connection, int], None],
) -> bool:
    """Puts the next lines of a file into the index; returns True if there may be more."""
    path = folder / name
    if _is_current(_state_of_file(connection, name), path):
        return False
    with transaction(connection):
        known = _resumed(_state_of_file(connection, name), path)
        stamp = _stamp(path)
        lines = list(islice(lines_after(folder, name, known.mark, parse), _MOST_LINES))
        for line in lines:
            put(connection, line, known.round)
        is_read = len(lines) < _MOST_LINES
        if is_read:
            remove_before(connection, known.round)
        mark = lines[-1].end if lines else known.mark
        known = replace(known, mark=mark, tail=_tail(path, mark), is_read=is_read, stamp=stamp)
        _remember(connection, name, known)
    return not is_read


def _is_current(known: _ReadFile, path: Path) -> bool:
    return known.is_read and known.stamp == _stamp(path)


def _resumed(known: _ReadFile, path: Path) -> _ReadFile:
    """The file as far as it was read, or from its start if it was replaced."""
    node = path.stat().st_ino if path.exists() else 0
    if (known.node, known.tail) == (node, _tail(path, known.mark)):
        return known
    return _ReadFile(node=node, round=known.round + 1)


def _stamp(path: Path) -> str:
    if not path.exists():
        return "none"
    known = path.stat()
    return f"{known.st_ino} {known.st_size} {known.st_mtime_ns}"


def _tail(path: Path, mark: Mark) -> bytes:
    if not mark.offset or not path.exists():
        return b""
    start = max(0, mark.offset - _TAIL)
    with path.open("rb") as file:
        file.seek(start)
        return file.read(mark.offset - start)


def _state_of_file(connection: sqlite3.Connection, name: str) -> _ReadFile:
    query = "SELECT stamp, node, tail, offset, lines, mac, round, is_read FROM files WHERE name = ?"
    row = connection.execute(query, (name,)).fetchone()
    if row is None:
        return _ReadFile()
    stamp, node, tail, offset, lines, mac, number, is_read = row
    return _ReadFile(stamp, node, tail, Mark(offset, lines, mac), number, bool(is_read))


def _remember(connection: sqlite3.Connection, name: str, known: _ReadFile) -> None:
    mark = known.mark
    connection.execute(
        "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(name, known.stamp, known.node, known.tail),
            *(mark.offset, mark.lines, mark.mac, known.round, known.is_read),
        ),
    )


def _put_trial(connection: sqlite3.Connection, line: NewLine[TrialRecord], number: int) -> None:
    record = line.record
    text = record_to_json(record).decode()
    query = (
        "SELECT number, record FROM trials JOIN records USING (number) WHERE task = ? AND trial = ?"
    )
    known = connection.execute(query, record.key).fetchone()
    if known and known[1] == text:
        connection.execute("UPDATE trials SET round = ? WHERE number = ?", (number, known[0]))
        return
    if known:
        _remove_trial(connection, *known)
    added = connection.execute(
        "INSERT INTO trials (task, trial, outcome, round) VALUES (?, ?, ?, ?)",
        (*record.key, record.outcome.value, number),
    ).lastrowid
    connection.execute("INSERT INTO records VALUES (?, ?)", (added, text))
    for label in record.labels.items():
        connection.execute("INSERT INTO labels VALUES (?, ?, ?)", (*label, added))
        connection.execute(
            "INSERT INTO label_values VALUES (?, ?, 1) "
            "ON CONFLICT DO UPDATE SET trials = trials + 1",
            label,
        )


def _remove_trials(connection: sqlite3.Connection, before: int) -> None:
    """Remove the trials that were read in an earlier round alone."""
    query = "SELECT number, record FROM trials JOIN records USING (number) WHERE round < ?"
    for number, record in connection.execute(query, (before,)).fetchall():
        _remove_trial(connection, number, record)


def _remove_trial(connection: sqlite3.Connection, number: int, record: str) -> None:
    """Remove a trial; its words stay, under a number that no trial has any more."""
    for table in ("trials", "records", "labels"):
        connection.execute(f"DELETE FROM {table} WHERE number = ?", (number,))  # noqa: S608
    for label in record_from_json(record.encode()).labels.items():
        counted = "UPDATE label_values SET trials = trials - 1 WHERE name = ? AND value = ?"
        connection.execute(counted, label)


def _put_verdict(connection: sqlite3.Connection, line: NewLine[VerdictRecord], number: int) -> None:
    record, where = line.record, line.where
    connection.execute(
        "INSERT INTO verdicts VALUES (?, ?, ?, ?, ?, ?)",
        (record.task, record.trial, record.trajectory.offset, where.offset, where.length, number),
    )


def _remove_verdicts(connection: sqlite3.Connection, before: int) -> None:
    connection.execute("DELETE FROM verdicts WHERE round < ?", (before,))


def _grow_words(connection: sqlite3.Connection, folder: Path) -> bool:
    """Puts the words of the next trials into the index; returns True if there may be more."""
    query = (
        "SELECT number, record FROM trials JOIN records USING (number) WHERE NOT has_words "
        "ORDER BY number LIMIT ?"
    )
    if connection.execute(query, (1,)).fetchone() is None:
        return False
    with transaction(connection):
        rows = connection.execute(query, (_MOST_LINES,)).fetchall()
        trials = [(number, record_from_json(text)) for number, text in rows]
        for number, record in _first_trials(trials):
            words = distinct_words([record.task, record.reason, *_texts(folder, record)])
            connection.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (number, words))
            connection.execute("UPDATE trials SET has_words = 1 WHERE number = ?", (number,))
    return True


def _first_trials(
    trials: Sequence[tuple[int, TrialRecord]],
) -> Iterator[tuple[int, TrialRecord]]:
    """The first trials, whose trajectories are not too large together; at least one."""
    sizes = accumulate((record.trajectory.length for _, record in trials), initial=0)
    return (trial for trial, size in zip(trials, sizes, strict=False) if size < _MOST_BYTES)


def _texts(folder: Path, record: TrialRecord) -> Iterator[str]:
    """The text of a trial; empty if its trajectory cannot be read, as its page says."""
    with suppress(UserError):
        yield from (turn.text for turn in turns(read_trajectory(folder, record.trajectory)))
