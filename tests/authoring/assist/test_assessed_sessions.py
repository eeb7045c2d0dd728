"""An assessment's sessions, and the record that they are played on."""

from collections import Counter
from pathlib import Path

import pytest

from tests.hospitals import hospital_file
from wardround.authoring.assist.assessed import assessed_suite, chosen_cells
from wardround.authoring.assist.candidates import shortlist
from wardround.benchmarks.assist.tasks import load_tasks
from wardround.core.errors import UserError
from wardround.core.work import SuiteRequest


def test_few_cells_are_spread_over_scenarios_and_tiers() -> None:
    chosen = chosen_cells(12, seed=1)
    assert set(Counter((cell.scenario, cell.tier) for cell in chosen).values()) == {1}
    assert chosen_cells(24, seed=1)[:12] == chosen
    assert chosen_cells(12, seed=2) != chosen


def test_sessions_are_made_with_their_record(
    noted_hospital: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shortlist, "_STORIED", 2)
    made = assessed_suite(SuiteRequest(str(noted_hospital), None, tmp_path / "suite", 1, 3))
    assert made.record is not None
    assert made.record.exists()
    assert len(load_tasks(made.tasks).tasks) == made.count > 0


def test_a_database_without_the_layout_serves_no_session(tmp_path: Path) -> None:
    other = hospital_file("mimic_iv_star", 12, ending="sqlite")
    with pytest.raises(UserError, match="not in MIMIC-IV's layout"):
        assessed_suite(SuiteRequest(str(other), None, tmp_path / "suite", 2, 0))
    assert not (tmp_path / "suite").exists()
