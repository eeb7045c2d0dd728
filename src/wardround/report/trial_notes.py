"""Notes and labels that persons put on trials: a file beside the run and outside of its chain."""

import csv
import fcntl
import io
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from os import SEEK_END, W_OK, access
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from wardround.core.errors import UserError
from wardround.core.folders import data_folder
from wardround.core.private_files import make_folder, open_private
from wardround.core.record import TrialRecord
from wardround.core.serialization import to_line

NOTES = "notes.jsonl"
MOST_CHARACTERS, MOST_LABELS, LONGEST_LABEL = 10_000, 20, 60
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True)
class Note:
    """A note on a trial.

    Attributes:
        id: its random id.
        task: the task's id.
        trial: the trial's number.
        trajectory: the offset of the trajectory that the person saw.
        by: the person.
        written: the UTC time.
        labels: the labels that it gives the trial.
        text: its text.
        removed: True if it takes back the earlier note of the same id.
    """

    id: str
    task: str
    trial: int
    trajectory: int
    by: str
    written: str
    labels: tuple[str, ...] = ()
    text: str = ""
    removed: bool = False


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes on a run, in order of writing.

    Attributes:
        notes: the notes that were not withdrawn.
        damaged: the number of lines that cannot be read.
    """

    notes: Sequence[Note] = ()
    damaged: int = 0

    def on(self, record: TrialRecord) -> list[Note]:
        """The notes on a trial."""
        return [note for note in self.notes if (note.task, note.trial) == record.key]

    def labels(self) -> list[str]:
        """All labels, in order of the alphabet."""
        return sorted({label for note in self.notes for label in note.labels})


def new_note(record: TrialRecord, by: str, labels: str, text: str) -> Note:
    """A note on a trial, written now.

    Args:
        record: the trial.
        by: the person's name.
        labels: labels, separated by commas.
        text: its text.

    Raises:
        UserError: it says nothing, or too much.
    """
    words = tuple(dict.fromkeys(" ".join(label.split()) for label in labels.split(",")))
    chosen = tuple(filter(None, words))
    if not chosen and not text.strip():
        raise UserError("The note is empty; write a label or a text.")
    if len(text) > MOST_CHARACTERS:
        raise UserError(f"The note is longer than {MOST_CHARACTERS:,} characters; shorten it.")
    if len(chosen) > MOST_LABELS or any(len(label) > LONGEST_LABEL for label in chosen):
        raise UserError(
            f"A note has at most {MOST_LABELS} labels of at most {LONGEST_LABEL} characters; "
            "shorten them."
        )
    name = " ".join(by.split())[:LONGEST_LABEL] or "somebody"
    written = datetime.now(UTC).isoformat(timespec="seconds")
    offset = record.trajectory.offset
    return Note(secrets.token_hex(8), *record.key, offset, name, written, chosen, text.strip())


def add_note(folder: Path, note: Note) -> None:
    """Writes a note at the end of the run's notes.

    Raises:
        UserError: no place for them can be written to.
    """
    path = places(folder)[0] if access(folder, W_OK) else places(folder)[1]
    try:
        make_folder(path.parent)
        with open_private(path, "a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0, SEEK_END)
            if file.tell():
                file.seek(-1, SEEK_END)
                file.write(b"" if file.read() == b"\n" else b"\n")  # of a line that was torn
            file.write(to_line(note) + b"\n")
    except OSError as error:
        raise UserError(
            f"{path} cannot be written ({error.strerror}); make its folder writable to keep notes."
        ) from None


def read_notes(folder: Path) -> Notes:
    """The notes on the trials of a run."""
    notes: dict[str, Note] = {}
    damaged = 0
    for line in _lines(folder):
        try:
            note = _adapter().validate_json(line)
        except ValidationError:
            damaged += 1
            continue
        notes[note.id] = note
    return Notes([note for note in notes.values() if not note.removed], damaged)


def notes_stamp(folder: Path) -> str:
    """Changes with the notes."""
    stats = [path.stat() for path in places(folder) if path.is_file()]
    return " ".join(f"{each.st_size} {each.st_mtime_ns}" for each in stats)


def places(folder: Path) -> tuple[Path, Path]:
    """The file of notes beside a run, and the one for runs whose folder is read-only."""
    name = sha256(bytes(folder.resolve())).hexdigest()[:32]
    return folder / NOTES, data_folder() / "notes" / f"{name}.jsonl"


def notes_to_csv(notes: Iterable[Note]) -> str:
    """The notes as CSV; a cell that a spreadsheet would compute begins with an apostrophe."""
    text = io.StringIO()
    columns = ("task", "trial", "labels", "text", "by", "written")
    writer = csv.writer(text)
    writer.writerow(columns)
    for note in notes:
        cells = {**asdict(note), "labels": ", ".join(note.labels)}
        writer.writerow([_plain(cells[column]) for column in columns])
    return text.getvalue()


def notes_to_lines(notes: Iterable[Note]) -> bytes:
    """The notes as JSON Lines."""
    return b"".join(to_line(note) + b"\n" for note in notes)


def _plain(cell: Any) -> str:
    text = str(cell)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _lines(folder: Path) -> Iterator[bytes]:
    for path in places(folder):
        with suppress(FileNotFoundError):
            yield from path.read_bytes().splitlines()


@cache
def _adapter() -> TypeAdapter[Note]:
    return TypeAdapter(Note)
