"""The folder of a made suite: a journal while it is made, and the published files at its end."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from wardround.benchmarks.assist.tasks import SCENARIOS
from wardround.core.errors import UserError
from wardround.core.private_files import make_folder, open_private, write_whole
from wardround.people.patient.memory import PatientMemory, memory_file, write_memory

_HOUR = len("2150-03-06T10")
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

    def begin(self, settings: Mapping[str, Any]) -> list[Entry]:
        """The journal's entries of an interrupted run with the same settings; none at first.

        Raises:
            UserError: the folder holds something else, or sessions made otherwise.
        """
        journal = self.path / _JOURNAL
        if not journal.exists():
            if self.path.exists() and any(self.path.iterdir()):
                raise UserError(f"{self.path} is not empty; name a new folder.")
            make_folder(self.path)
            write_whole(journal, orjson.dumps(settings) + b"\n")
            return []
        first, *entries = _whole_lines(journal)
        if first != settings:
            raise UserError(
                f"{self.path} holds sessions made with other options; name a new folder."
            )
        return entries

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
            own = [line for line in lines if line["clinical_scenario"] == scenario]
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in own)
            write_whole(self.path / f"{scenario}.jsonl", text.encode())
            _write_memories(self.path / "memories" / scenario, own)
        make_folder(self.path / "snapshots")
        for each in snapshots:
            name = f"{each['subject_id']}_{each['clock'][:_HOUR]}.json"
            text = json.dumps(each, ensure_ascii=False, indent=1)
            write_whole(self.path / "snapshots" / name, text.encode())
        write_whole(self.path / _GATES, orjson.dumps(gates, option=orjson.OPT_INDENT_2))
        (self.path / _JOURNAL).unlink()


def _write_memories(folder: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    make_folder(folder)
    for line in lines:
        memory = PatientMemory.model_validate(line["memory"])
        write_memory(memory, memory_file(folder, line["subject_id"]))


def _whole_lines(journal: Path) -> Iterator[Entry]:
    """The lines of a journal; a last line that was cut off is removed."""
    text = journal.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    if len(whole) < len(text):
        write_whole(journal, whole)
    yield from map(orjson.loads, whole.splitlines())
