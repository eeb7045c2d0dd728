"""Changes of an item: one at a time, each an entry of its log and then its file."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wardround.annotation.clinsql import rules
from wardround.annotation.clinsql.events import (
    Event,
    Kind,
    append_event,
    locked,
    read_events,
)
from wardround.annotation.clinsql.item_files import (
    checked_text,
    folders,
    read_texts,
    write_field,
)
from wardround.annotation.clinsql.record import Record, first_state, folded
from wardround.annotation.clinsql.words import role_of
from wardround.annotation.views import FieldState, Revision, SaveConflict
from wardround.benchmarks.clinsql.items.item_folders import ItemFolder
from wardround.core.errors import UserError

# The author of versions that came from the folder's files.
FILES = "files"


def find_folder(source: Path, id: str) -> ItemFolder:
    """The folder of an item.

    Raises:
        UserError: There is none.
    """
    folder_of_item = next((folder for folder in folders(source) if folder.id == id), None)
    if folder_of_item is None:
        raise UserError(f"There is no item {id}; it may have moved to another level.")
    return folder_of_item


def record_of(folder: ItemFolder) -> Record:
    """An item's state; files that were changed elsewhere count as new versions."""
    return folded(
        [*read_events(folder.path), *_imports(folder, "")], first_state(read_texts(folder))
    )


@dataclass(frozen=True, slots=True)
class ItemChange:
    """An item, locked against changes by others.

    Attributes:
        now: Returns the time as text.
    """

    folder: ItemFolder
    record: Record
    person: str
    now: Callable[[], str]

    def log(
        self, kind: Kind, field: str = "", text: str = "", values: dict[str, Any] | None = None
    ) -> None:
        """Adds an entry to the log."""
        event = Event(
            kind=kind, by=self.person, at=self.now(), field=field, text=text, values=values or {}
        )
        append_event(self.folder.path, event)

    def save(self, field: str, text: str, version: int) -> FieldState | SaveConflict:
        """Saves a text that was written on a version of its field.

        Raises:
            UserError: The person may not write the field, or the text cannot be the field's.
        """
        self.allow(field)
        state, text = self.record.field(field), checked_text(field, text)
        if text.strip() == state.text.strip():
            return state
        if version != state.version:
            self.log("set aside", field, text)
            return SaveConflict(self._last(field), text)
        return self._put("saved", field, text)

    def undo(self, field: str, version: int) -> FieldState | SaveConflict:
        """Restores the text before the last change.

        Raises:
            UserError: The person may not write the field, or there is no such text.
        """
        self.allow(field)
        state = self.record.field(field)
        if version != state.version:
            return SaveConflict(self._last(field), state.text)
        if not state.undoable:
            raise UserError("There is nothing to undo.")
        return self._put("undone", field, self.record.stacks[field][-2].text)

    def allow(self, field: str) -> None:
        """Refuses people who may not write a field now.

        Raises:
            UserError: The person may not.
        """
        if not role_of(field):
            raise UserError("There is no such field.")
        if self.person in self.record.barred:
            raise UserError("A second annotator is somebody who did not work on the first one.")
        if not rules.may_write(self.record, field, self.person):
            raise UserError(
                f"The item is at the step {self.record.state}; this field cannot be changed now."
            )

    def _put(self, kind: Kind, field: str, text: str) -> FieldState:
        self.log(kind, field, text)
        write_field(self.folder, field, text)
        return folded(read_events(self.folder.path), self.record.state).field(field)

    def _last(self, field: str) -> Revision:
        return self.record.stacks[field][-1]


@contextmanager
def item_change(source: Path, id: str, person: str, now: Callable[[], str]) -> Iterator[ItemChange]:
    """Holds an item for a change by a person.

    Versions that came from files are logged first, so that the log is whole.

    Raises:
        UserError: There is no such item, or the person has no name.
    """
    if not person.strip():
        raise UserError("Say who you are first.")
    folder = find_folder(source, id)
    with locked(folder.path):
        _log_imports(folder, now)
        yield ItemChange(folder, record_of(folder), person, now)


def _log_imports(folder: ItemFolder, now: Callable[[], str]) -> None:
    for event in list(_imports(folder, now())):
        append_event(folder.path, event)


def _imports(folder: ItemFolder, at: str) -> Iterator[Event]:
    """The entries that bring a log up to its item's files."""
    events, texts = read_events(folder.path), read_texts(folder)
    record = folded(events, first_state(texts))
    if not events:
        yield Event(kind="began", by=FILES, at=at, field=record.state)
    for field, text in texts.items():
        if text.strip() != record.field(field).text.strip():
            yield Event(kind="imported", by=FILES, at=at, field=field, text=text)
