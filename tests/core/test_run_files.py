"""A run on disk survives being cut off at any byte, and nothing is overwritten unasked."""

from pathlib import Path

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wardround.core.errors import UserError
from wardround.core.record import ByteRange, Outcome, RoleUse, TrialRecord
from wardround.core.run_reader import FORMAT, read_settings, read_trajectory, read_trials
from wardround.core.run_writer import RunWriter, create_run, rewrite_trials
from wardround.core.trajectory import Said, Trajectory


def record(task: str, place: ByteRange, trial: int = 0) -> TrialRecord:
    return TrialRecord(
        task, trial, 7, Outcome.PASSED, "", "finished", {"paper": 1.0}, {"flow": "x"},
        {"actions": 3}, {"agent": RoleUse(1, 2, 3, None, 0.5)}, 1.5, place,
    )  # fmt: skip


def filled(folder: Path, count: int) -> Path:
    create_run(folder, {"seed": 0})
    with RunWriter(folder) as writer:
        for n in range(count):
            place = writer.add_trajectory(Trajectory([Said("agent", f"line\n{n}")]))
            writer.add_trial(record(f"t{n}", place))
    return folder


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    run = filled(tmp_path / "run", 5)
    trials = read_trials(run)
    assert read_settings(run) == {"seed": 0}
    assert [trial.task for trial in trials] == ["t0", "t1", "t2", "t3", "t4"]
    said = [read_trajectory(run, trial.trajectory).said_by("agent") for trial in trials]
    assert said == [[f"line\n{n}"] for n in range(5)]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(min_value=1, max_value=900))
def test_a_cut_anywhere_loses_only_the_trial_being_written(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    run = filled(tmp_path_factory.mktemp("run") / "run", 3)
    path = run / "trials.jsonl"
    content = path.read_bytes()
    cut = min(cut, len(content))
    path.write_bytes(content[:-cut])
    whole = content[:-cut].count(b"\n")
    assert [trial.task for trial in read_trials(run)] == [f"t{n}" for n in range(whole)]
    with RunWriter(run) as writer:
        writer.add_trial(record("next", writer.add_trajectory(Trajectory([Said("agent", "n")]))))
    after = read_trials(run)
    assert [t.task for t in after] == [*(f"t{n}" for n in range(whole)), "next"]
    assert read_trajectory(run, after[-1].trajectory).said_by("agent") == ["n"]


def test_a_later_record_stands_for_an_earlier_one(tmp_path: Path) -> None:
    run = filled(tmp_path / "run", 1)
    with RunWriter(run) as writer:
        writer.add_trial(record("t0", ByteRange(9, 9)))
    assert [trial.trajectory for trial in read_trials(run)] == [ByteRange(9, 9)]


def test_a_line_that_is_no_trial_is_named(tmp_path: Path) -> None:
    run = filled(tmp_path / "run", 2)
    path = run / "trials.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"task":"t1"', b'"tusk":"t1"'))
    with pytest.raises(UserError, match=r"trials\.jsonl, line 2 is not a trial"):
        read_trials(run)


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    run = filled(tmp_path / "run", 1)
    with RunWriter(run), pytest.raises(UserError, match="Another process"), RunWriter(run):
        pass


def test_a_run_is_replaced_only_when_asked(tmp_path: Path) -> None:
    run = filled(tmp_path / "run", 2)
    with pytest.raises(UserError, match="wardround resume"):
        create_run(run, {"seed": 1})
    assert len(read_trials(run)) == 2
    create_run(run, {"seed": 1}, force=True)
    assert read_trials(run) == []
    assert orjson.loads((run / "run.json").read_bytes()) == {"format": FORMAT, "seed": 1}


def test_force_never_removes_what_is_no_runs(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(UserError, match=r"thesis\.tex"):
        create_run(tmp_path, {}, force=True)
    run = filled(tmp_path / "run", 1)
    (run / "notes.md").write_text("mine")
    with pytest.raises(UserError, match=r"notes\.md"):
        create_run(run, {}, force=True)
    assert len(read_trials(run)) == 1


def test_records_can_be_rewritten_whole(tmp_path: Path) -> None:
    run = filled(tmp_path / "run", 3)
    rewrite_trials(run, read_trials(run)[:2])
    assert len(read_trials(run)) == 2


@pytest.mark.parametrize("content", [None, b"{broken"])
def test_a_folder_that_is_no_run_is_named(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(UserError, match=r"run\.json"):
        read_settings(tmp_path)


def test_duckdb_and_pandas_read_a_run(tmp_path: Path) -> None:
    import duckdb
    import pandas as pd

    run = filled(tmp_path / "run", 4)
    path = str(run / "trials.jsonl")
    counted = duckdb.execute(f"SELECT count(*), sum(scores.paper) FROM '{path}'").fetchall()
    assert counted == [(4, 4.0)]
    assert list(pd.read_json(path, lines=True)["outcome"]) == ["passed"] * 4
