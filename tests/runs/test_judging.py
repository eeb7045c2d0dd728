"""Trials are judged once: after a kill, with a failing judge, and again by other judges."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.runs.rubric_benchmark import LEAVES
from wardround.core.errors import UserError
from wardround.core.record import Outcome, TrialRecord
from wardround.core.run_document import VERDICTS
from wardround.core.run_reader import read_trials, read_verdicts
from wardround.models.model import ModelSettings
from wardround.runs.judging import judge_by_models, judge_by_programs
from wardround.runs.resume import resume_run
from wardround.runs.scoring import GoldReader, records_by, score_run
from wardround.runs.settings import RunSettings
from wardround.runs.start import Listener, start_run

SILENT = Listener(lambda started: None, lambda record: None)
# A model of one's own: its processes start without the libraries of providers.
MODELS = "tests.runs.rubric_benchmark"
STRICT, LENIENT = f"{MODELS}:strict", f"{MODELS}:lenient"
ASKED = [f"{STRICT} {leaf} {number}" for leaf in LEAVES for number in range(3)]

PROGRAM = """
import sys
from dataclasses import replace
from pathlib import Path
from tests.runs.test_judging import SILENT, settings
from wardround.runs.start import start_run

if __name__ == "__main__":
    start_run(settings(processes=int(sys.argv[2])), Path(sys.argv[1]), SILENT, force=False)
"""


def settings(**more: object) -> RunSettings:
    return RunSettings.model_validate(
        {
            "benchmark": "tests.runs.rubric_benchmark:RubricBenchmark",
            "agent": "oracle",
            "models": {"judge": model(STRICT)},
            **more,
        }
    )


def model(name: str) -> ModelSettings:
    return ModelSettings(name=name)


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the judge's calls."""
    path = tmp_path / "calls"
    monkeypatch.setenv("CALLS", str(path))
    return path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return tmp_path / "run"


def lines(calls: Path) -> list[str]:
    return calls.read_text().splitlines()


def only_trial(run: Path) -> TrialRecord:
    [record] = read_trials(run)
    return record


def start(run: Path, **more: object) -> TrialRecord:
    start_run(settings(**more), run, SILENT, force=False)
    return only_trial(run)


def test_the_judge_votes_and_its_requests_are_counted(run: Path, calls: Path) -> None:
    record = start(run)
    assert record.outcome is Outcome.PASSED
    assert lines(calls) == ["played", "program", *ASKED]
    assert (record.use["judge"].requests, record.use["judge"].cost) == (9, 4.5)
    assert record.use["judge"].input_tokens == 90
    last = read_verdicts(run)[-1].verdict
    assert (last.item, last.state, last.votes) == (
        "units",
        "passed",
        ("failed", "passed", "passed"),
    )


@pytest.mark.parametrize(("kill_at", "processes"), [(2, 1), (4, 1), (7, 2)])
def test_killed_judge_repeats_no_call(
    run: Path, calls: Path, tmp_path: Path, kill_at: int, processes: int
) -> None:
    program = tmp_path / "go.py"
    program.write_text(PROGRAM)
    command = [sys.executable, str(program), str(run), str(processes)]
    environment = {**os.environ, "PYTHONPATH": str(Path.cwd()), "KILL_AT": str(kill_at)}
    subprocess.run(command, env=environment, check=False)
    if processes == 1:
        assert not read_trials(run), "the kill came before the trial was over"
        resume_run(run, SILENT, again=())
    else:
        assert only_trial(run).outcome is Outcome.UNSCORED, "only the process with the trial died"
        resume_run(run, SILENT, again={Outcome.UNSCORED})
    record = only_trial(run)
    assert record.outcome is Outcome.PASSED
    called = lines(calls)
    assert called.count("played") == 1
    # The call after which the process died was never answered, so it is repeated.
    assert called[:kill_at] + called[kill_at + 1 :] == ["played", "program", *ASKED]
    assert called[kill_at] == called[kill_at - 1]
    assert record.use["judge"].requests == 9


def test_failing_judge_leaves_only_its_items_undecided(
    run: Path, calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIL", "dose")
    assert start(run).outcome is Outcome.PASSED, "two leaves are enough"
    undecided = [line.verdict for line in read_verdicts(run) if line.verdict.item == "dose"]
    assert undecided[-1].votes == ("failed", "passed")
    assert undecided[-1].reason == "the provider is down"


@pytest.mark.parametrize("processes", [1, 2])
def test_trial_of_an_undecided_validator_is_validated_again(
    run: Path, calls: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    monkeypatch.setenv("DOUBT", "the validator is down")
    record = start(run, processes=processes)
    assert (record.outcome, record.reason) == (Outcome.UNSCORED, "the validator is down")
    trajectories = (run / "trajectories.jsonl").read_bytes()
    resume_run(run, SILENT, again={Outcome.UNSCORED})
    assert only_trial(run).reason == "the validator is down"
    monkeypatch.delenv("DOUBT")
    resume_run(run, SILENT, again={Outcome.UNSCORED})
    assert only_trial(run).outcome is Outcome.PASSED
    assert lines(calls) == ["played", "program", *ASKED]
    assert (run / "trajectories.jsonl").read_bytes().startswith(trajectories)


def test_unscored_trial_is_judged_only_for_missing_verdicts(
    run: Path, calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIL", "dose")
    record = start(run, grading="strict")
    assert (record.outcome, record.reason) == (Outcome.UNSCORED, "1 verdict undecided")
    trajectories = (run / "trajectories.jsonl").read_bytes()
    resume_run(run, SILENT, again=())
    assert len(lines(calls)) == 10, "what is undecided is left so"
    monkeypatch.delenv("FAIL")
    resume_run(run, SILENT, again={Outcome.UNSCORED})
    assert only_trial(run).outcome is Outcome.PASSED
    assert sorted(lines(calls)) == sorted(["played", "program", *ASKED])
    assert (run / "trajectories.jsonl").read_bytes() == trajectories


def opened(opening: object) -> None:
    raise AssertionError("the benchmark was opened")


def test_scoring_calls_no_model_and_opens_no_database(
    run: Path, calls: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = start(run)
    before = lines(calls)
    monkeypatch.setattr("tests.runs.rubric_benchmark.RubricBenchmark.open", staticmethod(opened))
    monkeypatch.setattr("tests.runs.rubric_benchmark.LEAVES", ("cohort", "other", "another"))
    assert score_run(run).changed
    assert only_trial(run).outcome is Outcome.FAILED
    monkeypatch.undo()
    score_run(run)
    assert only_trial(run) == record
    assert lines(calls) == before


def test_program_verdicts_are_repeated_without_a_model(run: Path, calls: Path) -> None:
    record = start(run)
    assert judge_by_programs(run).changed == ()
    assert lines(calls)[11:] == ["program"]
    assert only_trial(run) == record


def test_another_model_adds_a_set_of_verdicts(run: Path, calls: Path) -> None:
    own = start(run)
    added = judge_by_models(run, {"judge": model(LENIENT)})
    assert (added.judge, added.trials, added.problems) == (LENIENT, 1, ())
    assert lines(calls)[11:] == [line.replace(STRICT, LENIENT) for line in ASKED]
    assert read_trials(run) == [own], "the run's own scores stay"
    [record] = records_by(run, LENIENT)
    assert record.outcome is Outcome.PASSED
    votes = {line.verdict.votes for line in read_verdicts(run) if line.judge}
    assert ("passed",) * 3 in votes
    judge_by_models(run, {"judge": model(LENIENT)})
    assert len(lines(calls)) == 20, "a set is not asked for twice"
    with pytest.raises(UserError, match=f"it has {LENIENT}"):
        records_by(run, "other")


def test_trials_are_shown_with_the_verdicts_of_the_chosen_judge(run: Path, calls: Path) -> None:
    failed = replace(start(run), outcome=Outcome.FAILED)
    judge_by_models(run, {"judge": model(LENIENT)})
    shown = [GoldReader(run, print, judge).explanation(failed) for judge in ("", LENIENT)]
    first = [each.difference.split(", ")[0] for each in shown if each]
    assert first == ["cohort failed/passed/passed", "cohort passed/passed/passed"]


def test_item_without_a_verdict_of_the_chosen_judge_is_undecided(run: Path, calls: Path) -> None:
    start(run, grading="strict")
    judge_by_models(run, {"judge": model(LENIENT)})
    path = run / VERDICTS
    remaining = [line for line in path.read_bytes().splitlines() if not _is_of(line, "dose")]
    path.write_bytes(b"".join(line + b"\n" for line in remaining))
    [record] = records_by(run, LENIENT)
    assert record.outcome is Outcome.UNSCORED


def _is_of(line: bytes, item: str) -> bool:
    return b":lenient" in line and f'"item":"{item}"'.encode() in line
