"""Sessions are made from a hospital, stopped and resumed with the same bytes."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from wardround.authoring.assist import work
from wardround.authoring.assist.cells import Cell, cells
from wardround.authoring.assist.declaration import MakeOptions
from wardround.authoring.assist.gate_counts import GateCounts
from wardround.authoring.assist.gates import Fault
from wardround.authoring.assist.prefilter import Candidate
from wardround.authoring.assist.slots import Filled, Progress, SlotFiller, in_turn, use
from wardround.benchmarks.assist.published.session_files import load_sessions
from wardround.core.errors import UserError
from wardround.core.work import WorkContext

WANTED = [cell for cell in cells("suite") if cell.tier == 1 and cell.arc.count("CR") == 0][:2]


@pytest.fixture(autouse=True)
def few_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two cells instead of 108."""
    monkeypatch.setattr(work, "cells", lambda size: WANTED)


def made(database: Path, to: Path) -> dict[str, bytes]:
    """The files of a made suite but for the record."""
    options = MakeOptions(database=str(database), to=to, discrepancies=True)
    work.make(options, WorkContext(None))
    files = (path for path in sorted(to.rglob("*")) if path.is_file())
    return {str(path.relative_to(to)): path.read_bytes() for path in files
            if path.name != "record.fhir"}  # fmt: skip


@pytest.mark.slow
def test_sessions_are_read_as_published_and_resume_with_the_same_bytes(
    noted_hospital: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = made(noted_hospital, tmp_path / "whole")
    suite = load_sessions(tmp_path / "whole")
    assert len(suite.tasks) == 2
    assert not suite.defects
    gates = json.loads(whole["gates.json"])
    assert any(stage == "tried" and count for *_, stage, count in gates)

    fill = SlotFiller.fill

    def stopped(self: SlotFiller, number: int, cell: Cell) -> Any:
        if self.progress.patients:
            raise KeyboardInterrupt
        return fill(self, number, cell)

    with monkeypatch.context() as patch:
        patch.setattr(SlotFiller, "fill", stopped)
        with pytest.raises(KeyboardInterrupt):
            made(noted_hospital, tmp_path / "parts")
    journal = tmp_path / "parts" / "journal.jsonl"
    journal.write_bytes(journal.read_bytes() + b'{"cell": 1, "li')  # a line that was cut off
    assert made(noted_hospital, tmp_path / "parts") == whole


def test_a_folder_with_something_else_is_refused(noted_hospital: Path, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(UserError, match="is not empty; name a new folder"):
        made(noted_hospital, tmp_path)


def test_faults_are_counted_by_gate_reason_and_task_type() -> None:
    counts, arc = GateCounts(), WANTED[0].arc
    counts.tried("form", arc)
    counts.failed([Fault("form", "long", 3), Fault("form", "long", 3)], arc, "retried")
    counts.failed([Fault("form", "long", 3)], arc, "dropped")
    table = {row[:3]: row[3:] for row in counts.table().rows}
    assert table["form", "long", arc[3]] == (0, 2, 1, 1)
    assert table["form", "any", "IL"][0] == arc.count("IL")
    assert GateCounts.from_json(counts.to_json()) == counts


def _candidate(subject: int, tier: int, storyline: int = 0) -> Candidate:
    discharge = datetime.fromisoformat("2150-03-06")
    return Candidate(subject, subject, discharge, {WANTED[0].scenario: tier}, storyline)


def test_patients_tried_in_vain_wait_behind_the_others() -> None:
    cell, progress = WANTED[0], Progress()
    patients = [_candidate(1, tier=1), _candidate(2, tier=3), _candidate(3, tier=2)]
    assert [each.subject_id for each in in_turn(patients, cell, progress)] == [1, 3, 2]
    use(progress, Filled(vain=(1, 3)))
    assert [each.subject_id for each in in_turn(patients, cell, progress)] == [2, 1, 3]
    use(progress, Filled(patients[1], {}, ("Observation",), vain=(1,)))
    assert [each.subject_id for each in in_turn(patients, cell, progress)] == [3, 1]
    assert progress.resources["Observation"] == 1


def test_the_longest_storylines_are_candidates_wherever_they_stand() -> None:
    patients = [_candidate(subject, tier=1) for subject in range(50)]
    chosen = work._chosen([*patients, _candidate(50, tier=1, storyline=9)], WANTED[:1])
    assert 50 in [each.subject_id for each in chosen]
    assert len(chosen) < len(patients)
