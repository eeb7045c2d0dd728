"""`wardround agreement` on sessions: a sample for people, raters against each other."""

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest

import wardround
from tests.apps.commands import Cli
from wardround.benchmarks.assist.agreement import COLUMNS, stratified
from wardround.benchmarks.assist.judged_items import read_judged_run
from wardround.benchmarks.kit.sheets import read_sheet, write_sheet
from wardround.core.record import Outcome, TrialRecord
from wardround.core.run_reader import read_trials
from wardround.core.run_writer import RunWriter


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An oracle's run of two sessions of each of two scenarios."""
    folder = tmp_path_factory.mktemp("agreement") / "oracle"
    chosen = ["*diagnostic_workup_[12]_*", "*med_safety_[12]_*"]
    return wardround.run(
        "assist", agent="oracle", out=folder, task=chosen, sessions="hand_written"
    ).folder


def judged_sheet(cli: Cli, run: Path, path: Path, *, unmet: int, person: str = "ann") -> Path:
    """A sample of two sessions whose items are met but for the first ones; the last is left."""
    done = cli("agreement", run, "--sample", path, "--sessions", 2)
    assert done.code == 0, done.err
    rows = [dict(row.cells) for row in read_sheet(path, COLUMNS)]
    for number, row in enumerate(rows[:-1]):
        row.update(Met="no" if number < unmet else "yes", Person=person, Comment=f"row {number}")
    path.unlink()
    write_sheet(path, COLUMNS, [[row[name] for name in COLUMNS] for row in rows])
    return path


def table(printed: str, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = orjson.loads(printed)["tables"][name]["rows"]
    return found


def test_a_sample_has_as_many_sessions_of_each_scenario(
    cli: Cli, run: Path, tmp_path: Path
) -> None:
    rows = read_sheet(judged_sheet(cli, run, tmp_path / "sheet.csv", unmet=0), COLUMNS)
    drawn = {(row.cells["Scenario"], row.cells["Session"]) for row in rows}
    assert sorted(scenario for scenario, _ in drawn) == ["diagnostic_workup", "med_safety"]
    assert rows[0].cells["Evidence"]
    assert rows[0].cells["Criterion"]


def test_people_are_compared_with_programs(cli: Cli, run: Path, tmp_path: Path) -> None:
    sheet = judged_sheet(cli, run, tmp_path / "sheet.csv", unmet=2)
    items = len(read_sheet(sheet, COLUMNS)) - 1
    done = cli("agreement", run, "--human", sheet, "--json")
    assert done.code == 0, done.err
    *_, everything = table(done.out, "agreement")
    assert (everything["Rater"], everything["Rater 2"]) == ("program:checks", "person:ann")
    assert everything["Scenario"] == "all"
    assert everything["Items"] == items
    assert everything["Agreement"] == pytest.approx(100 * (items - 2) / items, abs=0.1)
    assert everything["Kappa"] == 0.0
    disagreements = table(done.out, "disagreements")
    assert [each["Not met by"] for each in disagreements] == ["person:ann"] * 2
    assert disagreements[0]["Item"] == "turn0:0"
    assert "person:ann: row 0" in disagreements[0]["Reasons"]


def test_people_are_compared_with_each_other(cli: Cli, run: Path, tmp_path: Path) -> None:
    ann = judged_sheet(cli, run, tmp_path / "ann.csv", unmet=2)
    bob = judged_sheet(cli, run, tmp_path / "bob.csv", unmet=1, person="")
    done = cli("agreement", run, "--human", ann, "--human", bob, "--json")
    assert done.code == 0, done.err
    pairs = {(row["Rater"], row["Rater 2"]) for row in table(done.out, "agreement")}
    assert ("person:ann", "person:bob") in pairs
    assert len(table(done.out, "disagreements")) == 2


def test_a_person_decides_an_item_once(cli: Cli, run: Path, tmp_path: Path) -> None:
    first = judged_sheet(cli, run, tmp_path / "first.csv", unmet=0)
    again = judged_sheet(cli, run, tmp_path / "again.csv", unmet=1)
    done = cli("agreement", run, "--human", first, "--human", again)
    assert done.code == 2
    assert re.search(r"again.csv, line .*, Met: person:ann decided this item otherwise", done.err)


def test_two_runs_of_the_same_name_are_refused(cli: Cli, run: Path, tmp_path: Path) -> None:
    shutil.copytree(run, tmp_path / run.name)
    done = cli("agreement", "assist", run, tmp_path / run.name, "--sample", tmp_path / "x.csv")
    assert done.code == 2
    assert f"Two runs have the name {run.name}" in done.err
    assert not (tmp_path / "x.csv").exists()


def test_trials_that_ended_in_an_error_are_left_out(run: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(run, tmp_path / "copy"))
    first, *others = read_trials(copy)
    with RunWriter(copy) as writer:
        writer.rewrite_trials([replace(first, outcome=Outcome.INFRA_ERROR), *others])
    left_out = first.task
    judged = read_judged_run(copy)
    assert left_out not in {trial.task for trial in judged.trials}
    assert left_out not in {key.session for each in judged.decisions.values() for key in each}


def test_one_rater_alone_is_refused(cli: Cli, run: Path) -> None:
    done = cli("agreement", run)
    assert done.code == 2
    assert "--sample" in done.err


@pytest.mark.parametrize(
    ("column", "cell", "complaint"),
    [
        ("Met", "perhaps", "line .*, Met: 'perhaps' is neither yes nor no"),
        ("Item", "turn9:9", "line .*, Item: no run that was named has"),
        ("Trial", "first", "line .*, Trial: 'first' is not a number"),
    ],
)
def test_faults_of_a_sheet_are_named(
    column: str, cell: str, complaint: str, cli: Cli, run: Path, tmp_path: Path
) -> None:
    path = judged_sheet(cli, run, tmp_path / "sheet.csv", unmet=0)
    rows = [dict(row.cells) for row in read_sheet(path, COLUMNS)]
    rows[3][column] = cell
    path.unlink()
    write_sheet(path, COLUMNS, [[row[name] for name in COLUMNS] for row in rows])
    done = cli("agreement", run, "--human", path)
    assert done.code == 2
    assert re.search(complaint, done.err)


def test_a_sample_takes_scenarios_in_turn(run: Path) -> None:
    trials = read_trials(run)
    for most in range(1, 6):
        counts = _scenarios(stratified(trials, most, seed=3))
        assert max(counts) - min(counts) <= 1
        assert sum(counts) == min(most, len(trials))
    assert stratified(trials, 2, 3) == stratified(trials, 2, 3)


def test_a_sample_takes_a_session_again_only_after_all(run: Path) -> None:
    trials = [replace(each, trial=number) for each in read_trials(run) for number in range(3)]
    for seed in range(5):
        assert len({each.task for each in stratified(trials, 4, seed)}) == 4


def _scenarios(trials: list[TrialRecord]) -> list[int]:
    names = [trial.labels["scenario"] for trial in trials]
    return [names.count(name) for name in ("diagnostic_workup", "med_safety")]
