"""Lines of a run after a mark: each once, in order, and only those that were not changed."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.records import trial_record
from wardround.core.errors import UserError
from wardround.core.record import TrialRecord, record_from_json
from wardround.core.run_document import TRIALS
from wardround.core.run_growth import Mark, lines_after
from wardround.core.run_reader import read_trials
from wardround.core.run_writer import RunWriter, new_run
from wardround.core.trajectory import Trajectory


def record(number: int) -> TrialRecord:
    return trial_record(f"t{number}")


def add(writer: RunWriter, number: int) -> None:
    where = writer.add_trajectory(Trajectory([]))
    writer.add_trial(replace(record(number), trajectory=where))


def run_of(folder: Path, count: int) -> Path:
    with new_run(folder, {"settings": {}}) as writer:
        for number in range(count):
            add(writer, number)
    return folder


def tasks_after(run: Path, mark: Mark) -> list[str]:
    return [line.record.task for line in lines_after(run, TRIALS, mark, record_from_json)]


@given(st.integers(0, 6), st.integers(0, 6))
def test_lines_in_two_parts_are_those_in_one(
    tmp_path_factory: pytest.TempPathFactory, first: int, more: int
) -> None:
    run = run_of(tmp_path_factory.mktemp("runs") / "run", first)
    before = list(lines_after(run, TRIALS, Mark(), record_from_json))
    with RunWriter(run) as writer:
        for number in range(first, first + more):
            add(writer, number)
    mark = before[-1].end if before else Mark()
    after = tasks_after(run, mark)
    assert [line.record.task for line in before] + after == [r.task for r in read_trials(run)]
    assert mark.offset == sum(len(line.text) + 1 for line in before)


def test_a_torn_end_waits_until_it_is_whole(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", 2)
    whole = (run / TRIALS).read_bytes()
    (run / TRIALS).write_bytes(whole[:-5])
    [line] = lines_after(run, TRIALS, Mark(), record_from_json)
    (run / TRIALS).write_bytes(whole)
    assert tasks_after(run, line.end) == ["t1"]


def test_a_changed_line_is_passed_over(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", 3)
    (run / TRIALS).write_bytes((run / TRIALS).read_bytes().replace(b'"t1"', b'"t9"'))
    assert tasks_after(run, Mark()) == ["t0", "t2"]


def test_a_line_after_a_wrong_mark_does_not_count(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", 3)
    first = next(lines_after(run, TRIALS, Mark(), record_from_json)).end
    assert tasks_after(run, Mark(first.offset, 1, "0" * 32)) != ["t1", "t2"]


def test_a_line_that_is_no_trial_is_named(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", 1)
    described = run / "run.json"
    described.write_bytes(described.read_bytes().replace(b'"key": "', b'"key": "0'))
    with (run / TRIALS).open("ab") as file:
        file.write(b'{"task": 5}\n')
    with pytest.raises(UserError, match="remove that line"):
        tasks_after(run, Mark())
