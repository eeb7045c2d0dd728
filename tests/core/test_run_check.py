"""No change of a run goes unnoticed, and a repair brings back everything that is genuine."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.core.errors import UserError
from wardround.core.private_files import write_whole
from wardround.core.record import (
    ByteRange,
    Outcome,
    PlayedTrial,
    RejectedAttempt,
    TrialRecord,
    VerdictRecord,
)
from wardround.core.run_check import LINE_FILES, check_run
from wardround.core.run_document import SEAL, SETTINGS, TRAJECTORIES, TRIALS, VERDICTS
from wardround.core.run_reader import (
    read_settings,
    read_trajectory,
    read_trials,
    read_verdicts,
    unjudged_trials,
)
from wardround.core.run_writer import RunWriter, new_run
from wardround.core.trajectory import Said, Trajectory
from wardround.core.verdict import Verdict

FILES = (SETTINGS, SEAL, *LINE_FILES)


def write_trial(writer: RunWriter, task: str) -> None:
    rejected = RejectedAttempt("broke", writer.add_trajectory(Trajectory([Said("agent", "no")])))
    played = PlayedTrial(task, 0, 7, "finished", 1.0, (rejected,))
    place = writer.add_trajectory(Trajectory([Said("agent", f"answer of {task}")]), played)
    verdict = Verdict("item", "program:check", "passed")
    writer.add_verdicts([VerdictRecord(task, 0, place, verdict)])
    writer.add_trial(
        TrialRecord(
            task, 0, 7, Outcome.PASSED, "", "finished", {"paper": 1.0}, {}, {}, {}, 1.5, place,
            rejected=(rejected,),
        )
    )  # fmt: skip


def written(folder: Path, count: int = 4) -> Path:
    with new_run(folder, {"seed": 0}) as writer:
        for n in range(count):
            write_trial(writer, f"t{n}")
    return folder


@pytest.fixture(scope="module")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two runs of the same content."""
    folder = tmp_path_factory.mktemp("runs")
    return written(folder / "one"), written(folder / "two")


@pytest.fixture(scope="module")
def copy(
    two_runs: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], Path]:
    folder = tmp_path_factory.mktemp("copies")

    def copied() -> Path:
        shutil.rmtree(folder / "run", ignore_errors=True)
        return Path(shutil.copytree(two_runs[0], folder / "run"))

    return copied


def is_noticed(run: Path) -> bool:
    """True if the run is refused, or not shown as verified, sealed and unchanged."""
    try:
        check = check_run(run)
    except UserError:
        return True
    return not (check.verified and check.sealed and not check.mismatches)


def test_written_run_is_verified_and_sealed(two_runs: tuple[Path, Path]) -> None:
    for run in two_runs:
        check = check_run(run)
        assert check.verified
        assert check.sealed
        assert not check.mismatches


@given(st.data())
def test_any_flipped_bit_is_noticed(copy: Callable[[], Path], data: st.DataObject) -> None:
    run = copy()
    path = run / data.draw(st.sampled_from(FILES))
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(content)
    assert is_noticed(run)


def removed(lines: list[bytes], at: int, other: int) -> list[bytes]:
    return lines[:at] + lines[at + 1 :]


def duplicated(lines: list[bytes], at: int, other: int) -> list[bytes]:
    return [*lines[:other], lines[at], *lines[other:]]


def swapped(lines: list[bytes], at: int, other: int) -> list[bytes]:
    lines = list(lines)
    lines[at], lines[other] = lines[other], lines[at]
    return lines


def invented(lines: list[bytes], at: int, other: int) -> list[bytes]:
    forged = lines[at].replace(b"t1", b"t9").replace(b"passed", b"failed") + b" "
    return [*lines[:other], forged, *lines[other:]]


def cut(lines: list[bytes], at: int, other: int) -> list[bytes]:
    return lines[:at]


@given(
    name=st.sampled_from(LINE_FILES),
    change=st.sampled_from([removed, duplicated, swapped, invented, cut]),
    data=st.data(),
)
def test_any_change_of_lines_is_noticed(
    copy: Callable[[], Path],
    name: str,
    change: Callable[[list[bytes], int, int], list[bytes]],
    data: st.DataObject,
) -> None:
    run = copy()
    before = (run / name).read_bytes().splitlines()
    at, other = (data.draw(st.integers(0, len(before) - 1)) for _ in range(2))
    after = change(before, at, other)
    (run / name).write_bytes(b"".join(line + b"\n" for line in after))
    assert is_noticed(run) == (after != before)


@given(st.data())
def test_a_line_of_another_run_or_file_is_noticed(
    two_runs: tuple[Path, Path], copy: Callable[[], Path], data: st.DataObject
) -> None:
    run = copy()
    source, name = data.draw(st.sampled_from(two_runs)), data.draw(st.sampled_from(LINE_FILES))
    target = data.draw(st.sampled_from(LINE_FILES))
    line = data.draw(st.sampled_from((source / name).read_bytes().splitlines()))
    lines = (run / target).read_bytes().splitlines()
    at = data.draw(st.integers(0, len(lines) - 1))
    same = lines[at] == line
    lines[at] = line
    (run / target).write_bytes(b"".join(each + b"\n" for each in lines))
    assert is_noticed(run) == (not same)


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_another_run_is_noticed(
    two_runs: tuple[Path, Path], copy: Callable[[], Path], name: str
) -> None:
    run = copy()
    shutil.copy(two_runs[1] / name, run / name)
    assert is_noticed(run)


@given(st.data())
def test_any_cut_without_the_seal_leaves_an_unfinished_run(
    copy: Callable[[], Path], data: st.DataObject
) -> None:
    run = copy()
    (run / SEAL).unlink()
    path = run / data.draw(st.sampled_from([TRIALS, VERDICTS]))
    content = path.read_bytes()
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    check = check_run(run)
    assert check.verified
    assert not check.sealed
    assert not check.mismatches, "the torn line of a crash is no forgery"


def test_earlier_scores_cannot_be_put_back(copy: Callable[[], Path]) -> None:
    run = copy()
    before = (run / TRIALS).read_bytes()
    with RunWriter(run) as writer:
        records = [replace(each, outcome=Outcome.FAILED) for each in read_trials(run)]
        writer.rewrite_trials(records)
    assert not is_noticed(run)
    (run / TRIALS).write_bytes(before)
    assert is_noticed(run)


def test_mismatches_name_file_line_and_trial(copy: Callable[[], Path]) -> None:
    run = copy()
    for name in LINE_FILES:
        path = run / name
        path.write_bytes(path.read_bytes().replace(b"t2", b"t\xff"))
    check = check_run(run)
    assert {str(mismatch).split(" was")[0] for mismatch in check.mismatches[:-3]} == {
        "trials.jsonl, line 3,",
        "trajectories.jsonl, line 6,",
        "verdicts.jsonl, line 3,",
    }
    assert [record.task for record in read_trials(run)] == ["t0", "t1", "t3"]
    assert [verdict.task for verdict in read_verdicts(run)] == ["t0", "t1", "t3"]


def test_a_changed_trajectory_is_not_read(copy: Callable[[], Path]) -> None:
    run = copy()
    path = run / TRAJECTORIES
    path.write_bytes(path.read_bytes().replace(b"answer of t2", b"answer of tX"))
    check = check_run(run)
    assert check.lost == {("t2", 0)}
    for record in read_trials(run):
        if record.task == "t2":
            with pytest.raises(UserError, match="wardround resume"):
                read_trajectory(run, record.trajectory)
        else:
            assert read_trajectory(run, record.trajectory).said_by("agent")


CHANGES = {
    "changed trial": (TRIALS, b'"task":"t2"', b'"task":"t9"'),
    "changed trajectory": (TRAJECTORIES, b"answer of t2", b"answer of tX"),
    "changed attempt that does not count": (TRAJECTORIES, b'"no"', b'"on"'),
    "changed verdict": (VERDICTS, b'"task":"t2"', b'"task":"t1"'),
    "inserted line": (TRAJECTORIES, b'{"played":{"task":"t1"', b'{"x":1}\n{"played":{"task":"t1"'),
    "damaged bytes": (TRAJECTORIES, b"answer of t2", b"\0\0\0\0"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_repair_moves_aside_what_was_changed_and_keeps_the_rest(
    copy: Callable[[], Path], change: str
) -> None:
    run = copy()
    name, old, new = CHANGES[change]
    path = run / name
    changed = path.read_bytes().replace(old, new, 1)
    path.write_bytes(changed)
    before = check_run(run)
    with pytest.raises(UserError, match="wardround resume"), RunWriter(run):
        pass
    assert path.read_bytes() == changed
    with RunWriter(run, repair=True):
        pass
    after = check_run(run)
    assert not after.mismatches
    assert not after.sealed
    assert (run / f"{name}.damaged").is_file()
    records = read_trials(run)
    kept = {record.task for record in records}
    assert kept >= {"t0", "t1", "t2", "t3"} - {task for task, _ in before.damaged} - {"t2"}
    for record in records:
        said = read_trajectory(run, record.trajectory).said_by("agent")
        assert said == [f"answer of {record.task}"]
    unjudged = {played.task for played, _ in unjudged_trials(run, records)}
    assert kept | unjudged >= {"t0", "t1", "t2", "t3"} - {task for task, _ in before.lost}
    assert not unjudged & {task for task, _ in before.lost}, "they are played again"
    with RunWriter(run) as writer:
        for task in sorted({"t0", "t1", "t2", "t3"} - kept):
            write_trial(writer, task)
        writer.complete()
    assert not is_noticed(run)
    assert {record.task for record in read_trials(run)} == {"t0", "t1", "t2", "t3"}


def test_an_inserted_line_costs_no_trial(copy: Callable[[], Path]) -> None:
    run = copy()
    path = run / TRAJECTORIES
    content = path.read_bytes()
    path.write_bytes(b'{"played":null,"events":[]}\n' + content)
    for record in read_trials(run):
        said = read_trajectory(run, record.trajectory).said_by("agent")
        assert said == [f"answer of {record.task}"]
    with RunWriter(run, repair=True):
        assert path.read_bytes() == content


def test_a_killed_repair_is_continued(
    copy: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = copy()
    path = run / TRAJECTORIES
    path.write_bytes(path.read_bytes().replace(b"answer of t2", b"answer of tX"))
    calls: list[str] = []

    def killed(path: Path, content: bytes) -> None:
        calls.append(path.name)
        if len(calls) == 2:
            raise KeyboardInterrupt
        write_whole(path, content)

    with monkeypatch.context() as patch:
        patch.setattr("wardround.core.run_repair.write_whole", killed)
        with pytest.raises(KeyboardInterrupt), RunWriter(run, repair=True):
            pass
    assert calls == [TRIALS, TRAJECTORIES]
    assert {record.task for record in read_trials(run)} == {"t0", "t1", "t3"}
    with RunWriter(run, repair=True):
        pass
    assert not check_run(run).mismatches
    assert {record.task for record in read_trials(run)} == {"t0", "t1", "t3"}


def test_failed_write_leaves_no_seal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with new_run(tmp_path / "run", {}) as writer:
        write_trial(writer, "t0")
        monkeypatch.setattr(writer._files[TRIALS], "file", Full())
        with pytest.raises(OSError, match="full"):
            write_trial(writer, "t1")
    assert not (tmp_path / "run" / SEAL).exists()


class Full:
    """A file on a full disk."""

    def seek(self, *given: int) -> None:
        raise OSError("full")


def other_key(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARDROUND_RUN_KEY", str(tmp_path / "other.key"))


def older_format(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (run / SETTINGS).write_bytes(orjson.dumps({"format": 2, "seed": 0}))
    for name in LINE_FILES:
        lines = map(orjson.loads, (run / name).read_bytes().splitlines())
        without = [{key: line[key] for key in line if key != "mac"} for line in lines]
        (run / name).write_bytes(b"".join(orjson.dumps(line) + b"\n" for line in without))


@pytest.mark.parametrize("made", [other_key, older_format])
def test_run_that_cannot_be_verified_is_read_and_written_only_if_trusted(
    copy: Callable[[], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    made: Callable[[Path, Path, pytest.MonkeyPatch], None],
) -> None:
    run = copy()
    made(run, tmp_path, monkeypatch)
    assert not check_run(run).verified
    assert read_settings(run) == {"seed": 0}
    assert len(read_trials(run)) == len(read_verdicts(run)) == 4
    with pytest.raises(UserError, match="--trust"), RunWriter(run):
        pass
    with RunWriter(run, trust=True) as writer:
        write_trial(writer, "t4")
        writer.complete()
    records = read_trials(run)
    assert [record.task for record in records] == ["t0", "t1", "t2", "t3", "t4"]
    assert read_trajectory(run, records[-1].trajectory).said_by("agent") == ["answer of t4"]
    assert not check_run(run).verified, "it never becomes verified"


def test_changed_settings_are_never_written_to(copy: Callable[[], Path]) -> None:
    run = copy()
    path = run / SETTINGS
    path.write_bytes(path.read_bytes().replace(b'"seed": 0', b'"seed": 1'))
    for trust in (False, True):
        with (
            pytest.raises(UserError, match=r"run\.json was changed"),
            RunWriter(run, trust=trust, repair=True),
        ):
            pass


def test_lines_without_their_newline_are_no_forgery(copy: Callable[[], Path]) -> None:
    run = copy()
    (run / SEAL).unlink()
    with (run / TRAJECTORIES).open("ab") as file:
        file.write(b'{"played":null,"events":[]')
    with RunWriter(run) as writer:
        write_trial(writer, "t4")
    assert not check_run(run).mismatches
    assert read_trials(run)[-1].trajectory.offset > 0


def test_scoring_an_unsealed_run_does_not_seal_it(copy: Callable[[], Path]) -> None:
    run = copy()
    (run / SEAL).unlink()
    with RunWriter(run) as writer:
        writer.rewrite_trials(read_trials(run))
    assert not check_run(run).sealed


def test_place_of_a_trajectory_is_that_of_its_line(copy: Callable[[], Path]) -> None:
    run = copy()
    content = (run / TRAJECTORIES).read_bytes()
    for record in read_trials(run):
        where: ByteRange = record.trajectory
        line = content[where.offset : where.offset + where.length]
        assert orjson.loads(line)["played"]["task"] == record.task
