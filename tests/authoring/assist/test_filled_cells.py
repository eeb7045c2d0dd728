"""Cells are filled in their order, and entries of a journal are what a stopped run goes on from."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from wardround.authoring.assist.coverage import EMPTY, TRADE, ScenarioSessions
from wardround.authoring.assist.filled_cells import (
    Source,
    _resumed,
    filled_cells,
    filled_of,
    filling_order,
)
from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.maker_models import NO_MODELS
from wardround.authoring.assist.planning.cells import Cell, Forms
from wardround.authoring.assist.progress import Filled
from wardround.authoring.assist.slots import SlotFiller
from wardround.ehr.fhir.record import Record

FORMS: Forms = ("NA", "PE", "AE")
OTHER: Forms = ("PE", "NA", "AE")
READS = Cell("med_safety", 1, ("IL", "IL", "DG", "WU"), FORMS)
REASONS = Cell("med_safety", 1, ("IL", "CR", "CR", "WU"), FORMS)
RICH = Cell("med_safety", 3, ("IL", "CR", "CR", "WU"), FORMS)
FIRST = Cell("diagnostic_workup", 1, ("IL", "IL", "DG", "WU"), FORMS)


def entry(number: int, **fields: Any) -> dict[str, Any]:
    """The entry of an empty cell with other fields."""
    empty = {"line": None, "called": (), "story": "", "avoided": (), "vain": (), "retold": ()}
    return {"cell": number, **empty, "gates": [], "traded": None, **fields}


def resumed(filler: SlotFiller, cells: Sequence[Cell], *entries: Any) -> ScenarioSessions:
    """The sessions of med_safety after some entries."""
    source = Source("", Path(), filler.candidates, 0, discrepancies=False)
    return _resumed(source, filler.record, NO_MODELS, cells, entries)["med_safety"]


def test_cells_that_need_the_most_of_a_record_are_filled_first() -> None:
    cells = [READS, FIRST, REASONS, RICH]
    assert [cells[number] for number in filling_order(cells)] == [FIRST, RICH, REASONS, READS]


def test_an_entry_has_all_that_a_cell_was_filled_with(filler: SlotFiller) -> None:
    candidate, counts = filler.candidates[0], GateCounts()
    counts.tried("form", READS.arc)
    filled = Filled(
        candidate, {"subject_id": candidate.subject_id}, ("Flag.create",), "ran_out", ("aspirin",),
        (7, 8), (8,), counts, (3, OTHER),
    )  # fmt: skip
    stored = entry(
        0, line=filled.line, called=filled.called, story=filled.story, avoided=filled.avoided,
        vain=filled.vain, retold=filled.retold, gates=counts.to_json(), traded=filled.traded,
    )  # fmt: skip
    read = json.loads(json.dumps(stored))
    assert filled_of(read, {candidate.subject_id: candidate}) == filled


def test_a_resumed_run_knows_rejected_patients_planned_forms_and_causes(filler: SlotFiller) -> None:
    again = {"cell": None, "flagged": {"med_safety": [7]}, "forms": [[1, OTHER]]}
    causes = entry(0, cause=EMPTY, vain=(9,)), entry(1, cause=TRADE)
    sessions = resumed(filler, [READS, REASONS], again, entry(0), *causes)
    assert sessions.filler.progress.barred == {7}
    assert sessions._plan.cells[1].forms == OTHER
    assert sessions.passed[0] == {9}
    assert not sessions.filler._seeks
    assert sessions.tried == {(1, TRADE)}
    assert sessions.vain[TRADE] == 1


def test_a_stopped_run_fills_no_cell_twice_and_says_why_one_is_filled_again(
    noted_hospital: Path, filler: SlotFiller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SlotFiller, "fill", lambda *_, **options: Filled())
    chart = filler.record.chart
    assert isinstance(chart, Record)
    source = Source(str(noted_hospital), chart.path, filler.candidates, 0, discrepancies=False)
    made = filled_cells(source, [READS, REASONS], [entry(1)], NO_MODELS)
    again = [(number, EMPTY) for number in (1, 0) for _ in range(4)]
    assert [(each["cell"], each.get("cause")) for each in made] == [(0, None), *again]
