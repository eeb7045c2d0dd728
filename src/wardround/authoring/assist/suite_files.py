"""The folder of a made suite: a journal while it is made, and the published files at its end."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any

import orjson

from wardround.benchmarks.assist.sessions import SCENARIOS
from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, open_private, write_whole
from wardround.people.patient.memory import PatientMemory, memory_file, write_memory

_HOUR = len("2150-03-06T10")
FORMAT = 2  # of the journal's entries; a journal of another one is not resumed
_JOURNAL, _RECORD, _GATES = "journal.jsonl", "record.fhir", "gates.json"
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SuiteFolder:
    """A folder to which sessions are written.

    Attributes:
        path: the folder.
    """

    path: Path

    @property
    def record(self) -> Path:
        """The FHIR record of the candidates."""
        return self.path / _RECORD

    @property
    def is_open(self) -> bool:
        """True if an interrupted run left a journal."""
        return (self.path / _JOURNAL).exists()

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Makes the folder, or checks that an interrupted run had the same settings.

        Raises:
            UserError: the folder holds something else, or sessions made otherwise.
        """
        journal = self.path / _JOURNAL
        if not self.is_open:
            if self.path.exists() and any(self.path.iterdir()):
                raise UserError(f"{self.path} is not empty; name a new folder.")
            make_folder(self.path)
            write_whole(journal, orjson.dumps(settings) + b"\n")
        elif next(_whole_lines(journal)) != orjson.loads(orjson.dumps(settings)):
            raise UserError(
                f"{self.path} holds sessions made with other options or by another version of "
                "wardround; name a new folder."
            )

    def entries(self) -> list[Entry]:
        """The journal's entries."""
        return list(_whole_lines(self.path / _JOURNAL))[1:]

    def open_again(self, settings: Mapping[str, Any], entries: Sequence[Entry]) -> None:
        """Gives a finished folder a journal with some entries."""
        lines = (orjson.dumps(each) + b"\n" for each in (settings, *entries))
        write_whole(self.path / _JOURNAL, b"".join(lines))

    def gates(self) -> list[list[Any]]:
        """The counts of the gates of a finished folder."""
        counts: list[list[Any]] = orjson.loads((self.path / _GATES).read_bytes())
        return counts

    def append(self, entry: Entry) -> None:
        """Adds a filled cell to the journal."""
        with open_private(self.path / _JOURNAL, "ab") as journal:
            journal.write(orjson.dumps(entry) + b"\n")

    def finish(
        self,
        lines: Sequence[Mapping[str, Any]],
        snapshots: Sequence[Mapping[str, Any]],
        gates: Sequence[Sequence[Any]],
    ) -> None:
        """Writes the files of the suite, and removes the journal."""
        for scenario in SCENARIOS:
            scenario_lines = [line for line in lines if line["clinical_scenario"] == scenario]
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in scenario_lines)
            write_whole(self.path / f"{scenario}.jsonl", text.encode())
        _write_memories(self.path / "memories", lines)
        _write_snapshots(self.path / "snapshots", snapshots, lines)
        write_whole(self.path / _GATES, orjson.dumps(gates, option=orjson.OPT_INDENT_2))
        (self.path / _JOURNAL).unlink()


def _write_memories(folder: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    """Writes the memory of each session: a patient may tell other things in another one."""
    if folder.exists():
        rmtree(folder)
    for line in lines:
        make_folder(session_folder := folder / line["session_id"])
        memory = PatientMemory.model_validate(line["memory"])
        write_memory(memory, memory_file(session_folder, line["subject_id"]))


def _write_snapshots(
    folder: Path, snapshots: Sequence[Mapping[str, Any]], lines: Sequence[Mapping[str, Any]]
) -> None:
    make_folder(folder)
    for each in snapshots:
        text = json.dumps(each, ensure_ascii=False, indent=1)
        write_whole(_snapshot_file(folder, each), text.encode())
    _keep_only(folder, {_snapshot_file(folder, line) for line in lines})


def _snapshot_file(folder: Path, about: Mapping[str, Any]) -> Path:
    """The file of a patient's snapshot at a time to the hour."""
    return folder / f"{about['subject_id']}_{about['clock'][:_HOUR]}.json"


def _keep_only(folder: Path, files: Collection[Path]) -> None:
    """Removes what earlier sessions left in a folder."""
    for path in folder.iterdir():
        if path not in files:
            path.unlink()


def _whole_lines(journal: Path) -> Iterator[Entry]:
    """The lines of a journal; a last line that was cut off is removed."""
    text = journal.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    if len(whole) < len(text):
        write_whole(journal, whole)
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            yield orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise UserError(
                f"Line {number} of {journal} is broken; remove the folder to make it again."
            ) from error
