"""The search index of a run: complete, current, and made again when it cannot be read."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from wardround.core.errors import UserError
from wardround.core.record import ByteRange, Outcome, TrialRecord
from wardround.core.run_check import check_run
from wardround.core.run_document import INDEX, TRIALS
from wardround.core.run_reader import read_trials
from wardround.core.run_writer import RunWriter, new_run
from wardround.core.trajectory import Said, Trajectory
from wardround.report import trial_index
from wardround.report.trial_index import MOST_COUNTED, FoundTrials, Search, opened_index

SETTINGS = {"settings": {"benchmark": "triage", "trials": 1}, "tasks": {"count": 3}}


def record(task: str, outcome: Outcome, ward: str) -> TrialRecord:
    return TrialRecord(
        task=task,
        trial=0,
        seed=0,
        outcome=outcome,
        reason="",
        ending="finished",
        scores={},
        labels={"ward": ward},
        counts={},
        use={},
        seconds=1.0,
        trajectory=ByteRange(0, 0),
    )


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run that goes on, with two trials."""
    with new_run(tmp_path / "run", SETTINGS) as writer:
        add(writer, record("stroke", Outcome.FAILED, "west"), "The drug is Heparin 5 mg.")
        add(writer, record("cough", Outcome.PASSED, "east"), "Nothing was found.")
    return tmp_path / "run"


def add(writer: RunWriter, trial: TrialRecord, said: str) -> None:
    where = writer.add_trajectory(Trajectory([Said("agent", said)]))
    writer.add_trial(replace(trial, trajectory=where))


def found(folder: Path, **search: str) -> list[str]:
    index = opened_index(folder)
    try:
        return [trial.task for trial in index.search(Search(**search), 0, 10).records]
    finally:
        index.close()


@pytest.mark.parametrize(
    ("search", "tasks"),
    [
        ({}, ["stroke", "cough"]),
        ({"outcome": "passed"}, ["cough"]),
        ({"label": "ward=west"}, ["stroke"]),
        ({"task": "cough"}, ["cough"]),
        ({"words": "heparin"}, ["stroke"]),
        ({"words": "5 mg heparin"}, ["stroke"]),
        ({"words": "heparin warfarin"}, []),
        ({"words": "stroke"}, ["stroke"]),
        ({"words": "found", "outcome": "failed"}, []),
        # What looks like an operator is a word.
        ({"words": "heparin OR nothing"}, []),
        ({"words": '"*'}, []),
        ({"words": "' OR 1=1 --"}, []),
        ({"label": "ward"}, []),
    ],
)
def test_trials_are_found(run: Path, search: dict[str, str], tasks: list[str]) -> None:
    assert found(run, **search) == tasks


def test_pages_and_counts(run: Path) -> None:
    index = opened_index(run)
    page = index.search(Search(), 1, 1)
    assert [trial.task for trial in page.records] == ["cough"]
    assert (page.count, page.counted) == (2, "2")
    assert index.outcomes() == {"failed": 1, "passed": 1}
    assert index.labels == {"ward": ["east", "west"]}
    assert FoundTrials([], MOST_COUNTED + 1).counted == "10,000+"
    index.close()


def test_a_run_that_goes_on_is_followed(run: Path) -> None:
    assert found(run) == ["stroke", "cough"]
    with RunWriter(run) as writer:
        add(writer, record("fever", Outcome.PASSED, "east"), "A third answer.")
    assert found(run, words="third") == ["fever"]
    assert len(found(run)) == 3


def test_a_run_that_is_scored_again_is_read_again(run: Path) -> None:
    assert found(run, outcome="passed") == ["cough"]
    with RunWriter(run) as writer:
        changed = [replace(each, outcome=Outcome.PASSED) for each in read_trials(run)]
        writer.rewrite_trials(changed[:1])
    assert found(run, outcome="passed") == found(run) == ["stroke"]
    assert found(run, words="heparin") == ["stroke"]


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0 but damaged" * 50])
def test_a_damaged_index_is_made_again(run: Path, content: bytes) -> None:
    assert len(found(run)) == 2
    (run / INDEX).write_bytes(content)
    assert len(found(run)) == 2


def test_an_index_of_another_run_is_made_again(run: Path, tmp_path: Path) -> None:
    with new_run(tmp_path / "other", SETTINGS) as writer:
        add(writer, record("fever", Outcome.PASSED, "east"), "A third answer.")
    found(run)
    shutil.copy(run / INDEX, tmp_path / "other" / INDEX)
    assert found(tmp_path / "other") == ["fever"]


def test_a_folder_that_cannot_be_written_has_its_index_elsewhere(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(trial_index, "INDEX", "missing/index.sqlite")
    assert len(found(run)) == 2
    assert len(list((tmp_path / "cache").rglob("*.sqlite"))) == 1


def test_the_index_is_no_part_of_the_run(run: Path) -> None:
    found(run)
    assert not check_run(run).mismatches
    with new_run(run, SETTINGS, force=True):
        assert not (run / INDEX).exists()


def test_a_changed_trial_is_not_found(run: Path) -> None:
    path = run / TRIALS
    path.write_bytes(path.read_bytes().replace(b"stroke", b"strike"))
    assert found(run) == ["cough"]


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a run"):
        opened_index(tmp_path)
