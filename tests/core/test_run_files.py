"""Runs on disk survive truncation at any byte, and nothing is overwritten without `force`."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wardround.core.errors import UserError
from wardround.core.record import ByteRange, Outcome, RoleUse, TrialRecord
from wardround.core.run_check import check_run
from wardround.core.run_document import SEAL
from wardround.core.run_reader import (
    read_settings,
    read_trajectory,
    read_trials,
    read_verdicts,
    unjudged_trials,
)
from wardround.core.run_writer import RunWriter, new_run
from wardround.core.trajectory import Said, Trajectory


def record(task: str, place: ByteRange, trial: int = 0) -> TrialRecord:
    return TrialRecord(
        task, trial, 7, Outcome.PASSED, "", "finished", {"paper": 1.0}, {"flow": "x"},
        {"actions": 3}, {"agent": RoleUse(1, 2, 3, None, 0.5)}, 1.5, place,
    )  # fmt: skip


def filled(folder: Path, count: int) -> Path:
    with new_run(folder, {"seed": 0}) as writer:
        for n in range(count):
            place = writer.add_trajectory(Trajectory([Said("agent", f"line\n{n}")]))
            writer.add_trial(record(f"t{n}", place))
    return folder


def killed(folder: Path, count: int) -> Path:
    """A run whose writer was killed before it sealed it."""
    (filled(folder, count) / SEAL).unlink()
    return folder


def unverified(folder: Path) -> Path:
    """A run as another user made it."""
    path = folder / "run.json"
    path.write_bytes(path.read_bytes().replace(b'"key": "', b'"key": "another '))
    return folder


def test_written_run_reads_back(tmp_path: Path) -> None:
    run = filled(tmp_path / "run", 5)
    trials = read_trials(run)
    assert read_settings(run) == {"seed": 0}
    assert [trial.task for trial in trials] == ["t0", "t1", "t2", "t3", "t4"]
    messages = [read_trajectory(run, trial.trajectory).said_by("agent") for trial in trials]
    assert messages == [[f"line\n{n}"] for n in range(5)]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(min_value=1, max_value=900))
def test_truncation_loses_only_the_last_trial(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    run = killed(tmp_path_factory.mktemp("run") / "run", 3)
    path = run / "trials.jsonl"
    content = path.read_bytes()
    cut = min(cut, len(content))
    path.write_bytes(content[:-cut])
    complete_lines = content[:-cut].count(b"\n")
    assert [trial.task for trial in read_trials(run)] == [f"t{n}" for n in range(complete_lines)]
    with RunWriter(run) as writer:
        writer.add_trial(record("next", writer.add_trajectory(Trajectory([Said("agent", "n")]))))
    after = read_trials(run)
    assert [t.task for t in after] == [*(f"t{n}" for n in range(complete_lines)), "next"]
    assert read_trajectory(run, after[-1].trajectory).said_by("agent") == ["n"]


def test_later_record_replaces_an_earlier_one(tmp_path: Path) -> None:
    run = filled(tmp_path / "run", 1)
    with RunWriter(run) as writer:
        writer.add_trial(record("t0", ByteRange(9, 9)))
    assert [trial.trajectory for trial in read_trials(run)] == [ByteRange(9, 9)]


def test_invalid_trial_line_of_a_run_that_cannot_be_verified_is_reported(tmp_path: Path) -> None:
    run = unverified(filled(tmp_path / "run", 2))
    path = run / "trials.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"task":"t1"', b'"tusk":"t1"'))
    with pytest.raises(UserError, match=r"trials\.jsonl, line 2 is not a trial"):
        read_trials(run)


def test_second_writer_is_refused(tmp_path: Path) -> None:
    run = filled(tmp_path / "run", 1)
    with RunWriter(run), pytest.raises(UserError, match="Another process"), RunWriter(run):
        pass


def test_run_is_replaced_only_with_force(tmp_path: Path) -> None:
    run = filled(tmp_path / "run", 2)
    with pytest.raises(UserError, match="wardround resume"), new_run(run, {"seed": 1}):
        pass
    assert len(read_trials(run)) == 2
    with new_run(run, {"seed": 1}, force=True):
        pass
    assert read_trials(run) == []
    assert read_settings(run) == {"seed": 1}


def test_force_keeps_files_that_belong_to_no_run(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UserError, match=r"thesis\.tex"), new_run(tmp_path, {}, force=True):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    run = filled(tmp_path / "run", 1)
    (run / "notes.md").write_text("mine")
    with pytest.raises(UserError, match=r"notes\.md"), new_run(run, {}, force=True):
        pass
    assert len(read_trials(run)) == 1


@pytest.mark.parametrize("force", [False, True])
def test_active_run_is_never_replaced(tmp_path: Path, force: bool) -> None:
    run = filled(tmp_path / "run", 2)
    with RunWriter(run) as alive:
        before = {path.name: path.read_bytes() for path in run.iterdir()}
        lock = (run / ".lock").stat().st_ino
        with pytest.raises(UserError), new_run(run, {"seed": 1}, force=force):
            pass
        assert (run / ".lock").stat().st_ino == lock
        assert {path.name: path.read_bytes() for path in run.iterdir()} == before
        alive.add_trial(record("t9", ByteRange(9, 9)))
    assert len(read_trials(run)) == 3


def test_new_run_is_locked_until_it_ends(tmp_path: Path) -> None:
    run = filled(tmp_path / "run", 2)
    with new_run(run, {"seed": 1}, force=True):
        with pytest.raises(UserError, match="Another process"), RunWriter(run):
            pass
        with pytest.raises(UserError, match="Another"), new_run(run, {}, force=True):
            pass
    with RunWriter(run):
        assert read_settings(run) == {"seed": 1}


def test_run_files_are_private(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(mode=0o755)
    run = filled(tmp_path / "run", 1)
    rewrite(run, 1)
    assert {path.stat().st_mode & 0o777 for path in run.iterdir()} == {0o600}
    assert run.stat().st_mode & 0o777 == 0o755
    (run / "trials.jsonl").chmod(0o640)
    rewrite(run, 1)
    assert (run / "trials.jsonl").stat().st_mode & 0o777 == 0o640
    assert filled(tmp_path / "new", 1).stat().st_mode & 0o777 == 0o700


TAILS = [
    b"\0" * 5000,
    b"\0" * 4096 + b"\n",
    b'{"task": "t9", "tri\n',
    b'{"task": "t9", "tri\n{"task"',
    b"\n",
    b"[1]\n\xff\xfe\n\n",
    b'"half a line"\n\0\0\0',
]


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("name", ["trials.jsonl", "trajectories.jsonl", "verdicts.jsonl"])
def test_damaged_end_is_skipped_and_moved_by_the_writer(
    tmp_path: Path, name: str, tail: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    run = killed(tmp_path / "run", 3)
    path = run / name
    intact = path.read_bytes()
    path.write_bytes(intact + tail)
    assert [trial.task for trial in read_trials(run)] == ["t0", "t1", "t2"]
    assert read_verdicts(run) == []
    assert unjudged_trials(run, read_trials(run)) == []
    assert path.read_bytes() == intact + tail
    warned = name != "trajectories.jsonl" and b"\n" in tail
    assert warned == (f"{name} ends in {len(tail)} damaged bytes" in caplog.text)
    with RunWriter(run) as writer:
        writer.add_trial(record("t3", writer.add_trajectory(Trajectory([Said("agent", "n")]))))
    assert (run / f"{name}.damaged").read_bytes() == tail
    assert [trial.task for trial in read_trials(run)] == ["t0", "t1", "t2", "t3"]
    with new_run(run, {}, force=True):
        assert not list(run.glob("*.damaged"))


def test_damaged_line_before_valid_lines_is_passed_over_and_moved_by_a_repair(
    tmp_path: Path,
) -> None:
    run = killed(tmp_path / "run", 3)
    path = run / "trials.jsonl"
    first, second, third = path.read_bytes().splitlines(keepends=True)
    for damaged in (b"\0" * 9 + b"\n", second[:20] + b"\n", b"\n", b"[]\n"):
        content = first + damaged + third
        path.write_bytes(content)
        assert check_run(run).mismatches
        assert read_trials(run)[0].task == "t0"
        with pytest.raises(UserError, match="wardround resume"), RunWriter(run):
            pass
        assert path.read_bytes() == content
        with RunWriter(run, repair=True):
            pass
        assert not check_run(run).mismatches
        (run / SEAL).unlink(missing_ok=True)


def test_records_can_be_rewritten(tmp_path: Path) -> None:
    run = filled(tmp_path / "run", 3)
    rewrite(run, 2)
    assert len(read_trials(run)) == 2
    assert not check_run(run).mismatches


def rewrite(run: Path, count: int) -> None:
    with RunWriter(run) as writer:
        writer.rewrite_trials(read_trials(run)[:count])


@pytest.mark.parametrize("content", [None, b"{broken"])
def test_folder_without_a_run_is_reported(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(UserError, match=r"run\.json"):
        read_settings(tmp_path)


@pytest.mark.integration
def test_duckdb_and_pandas_read_a_run(tmp_path: Path) -> None:
    import duckdb
    import pandas as pd

    run = filled(tmp_path / "run", 4)
    path = str(run / "trials.jsonl")
    counted = duckdb.execute(f"SELECT count(*), sum(scores.paper) FROM '{path}'").fetchall()
    assert counted == [(4, 4.0)]
    assert list(pd.read_json(path, lines=True)["outcome"]) == ["passed"] * 4
