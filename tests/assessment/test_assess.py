"""`wardround assess`: from a database to the page with the answer."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.apps.commands import Cli
from tests.hospitals import built, hospital_file
from tests.records import trial_record
from wardround.assessment.play import Part, ids_of, notices_of, play
from wardround.core import plugins
from wardround.core.errors import UserError
from wardround.core.record import Outcome
from wardround.core.run_key import secret_seed
from wardround.runs.open_run import settings_of
from wardround.runs.start import Listener

# The hospital that most tests of the record use too.
PATIENTS = 12
SMALL = ("--agent", "oracle", "--tasks", "6", "--trials", "1", "--seed", "0")


def hospital() -> Path:
    return hospital_file("mimic_iv_star", PATIENTS, ending="sqlite")


@pytest.fixture(autouse=True)
def one_key() -> Iterator[None]:
    """Gives all workers one key, so that one of them makes the assessment of all."""

    def make(path: Path) -> None:
        path.touch(0o600)
        path.write_text("5a" * 32)

    # A test that takes its own patches back keeps the key.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARDROUND_RUN_KEY", str(built("assessment.key", make)))
        yield


def assessed(cli: Cli, folder: Path) -> Path:
    """A copy of a small assessment that is over."""

    def make(path: Path) -> None:
        ran = cli("assess", hospital(), *SMALL, "--out", path)
        assert ran.code == 0, ran.err

    return Path(shutil.copytree(built("assessment", make), folder / "out"))


def test_an_assessment_is_made_run_and_told(cli: Cli, tmp_path: Path) -> None:
    policy, out = tmp_path / "policy.toml", assessed(cli, tmp_path)
    policy.write_text('[[rules]]\nmeasure = "pass^1"\nat_least = 0.1\n')
    line = ("assess", hospital(), *SMALL, "--out", out, "--policy", policy)
    lines = sorted((out / "runs").glob("*/trials.jsonl"))
    before = [path.read_bytes() for path in lines]
    first = cli(*line, "--json")
    assert first.code == 0, first.err
    told = json.loads(first.out)
    assert told["sentences"][0] == "Passed: all rules of the policy hold."
    assert told["sentences"][1].startswith(
        "Of 6 tasks made from your database, this agent does 100% right, 95% interval"
    )
    benchmarks = {row["Benchmark"]: row["Tasks"] for row in told["tables"]["benchmarks"]["rows"]}
    assert len(benchmarks) == 2
    assert sum(benchmarks.values()) == 6
    untested = [name for name in plugins.names(plugins.BENCHMARKS) if name not in benchmarks]
    for name in untested:
        assert any(said.startswith(f"Not tested: {name}, since ") for said in told["sentences"])
    page = (out / "index.html").read_text("utf-8")
    assert told["title"] in page
    for name in benchmarks:
        assert (out / f"{name}.html").exists()
        assert f'href="{name}.html"' in page

        assert (out / f"{name}-injected.html").exists()

    (out / "index.html").unlink()
    again = cli(*line, "--json")
    assert json.loads(again.out) == told
    assert not [name for name in benchmarks if f"{name}: making a suite" in again.err]
    assert [path.read_bytes() for path in lines] == before

    other = cli(*line, "--seed", "1")
    assert other.code == 2
    assert "holds another assessment (seed 0, now 1)" in other.err


def test_a_policy_that_these_tasks_cannot_decide_exits_with_3(cli: Cli, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[rules]]\nmeasure = "unanswerable_answered"\nat_most = 0.01\n')
    ran = cli("assess", hospital(), *SMALL, "--policy", policy, "--out", assessed(cli, tmp_path))
    assert ran.code == 3, ran.err
    assert "Undecided: 1 of 1 rule cannot be decided" in ran.out


def test_a_budget_limits_the_tasks(cli: Cli, tmp_path: Path) -> None:
    out = assessed(cli, tmp_path)
    shutil.rmtree(out / "runs")
    small = cli("assess", hospital(), *SMALL, "--out", out, "--minutes", "0.0000001")
    assert small.code == 2
    assert "The budget is too small for one task of each benchmark" in small.err
    free = cli("assess", hospital(), *SMALL, "--out", out, "--dollars", "1")
    assert free.code == 0, free.err
    assert "Of 6 tasks" in free.out
    assert "6 tasks are too few to tell two agents apart" in free.err


def test_a_budget_for_fewer_tasks_says_what_those_can_show(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = assessed(cli, tmp_path)
    shutil.rmtree(out / "runs")
    slow = trial_record("pilot", 0, Outcome.FAILED, seconds=1.0)
    monkeypatch.setattr("wardround.assessment.budget._pilot", lambda *args: [slow])
    parts = len(list((out / "suites").glob("*.json")))
    # Each task has a trial of a second, and one with a hidden instruction.
    minutes = 3.9 * parts / 60
    ran = cli("assess", hospital(), *SMALL, "--out", out, "--minutes", str(minutes))
    assert ran.code == 0, ran.err
    assert f"Of {parts} task" in ran.out
    assert f"{parts} tasks are too few to tell two agents apart" in ran.err


@contextmanager
def nobody() -> Iterator[Listener]:
    yield Listener(lambda started: None, lambda trial: None)


def test_another_budget_does_not_go_on_with_trials_at_other_tasks(cli: Cli, tmp_path: Path) -> None:
    out = assessed(cli, tmp_path)
    folder = sorted((out / "runs").iterdir())[0]
    before = (folder / "trials.jsonl").read_bytes()
    settings = settings_of(folder)
    assert settings.tasks is not None
    where = settings.tasks.parts[settings.tasks.parts.index("suites") :]
    part = Part(settings.model_copy(update={"tasks": out.joinpath(*where)}), folder)
    other = Part(part.settings.model_copy(update={"task": (ids_of(part)[0],)}), folder)
    with pytest.raises(UserError, match=r"has trials at . tasks, and this budget is for 1; give"):
        play(other, nobody)
    play(part, nobody)
    assert (folder / "trials.jsonl").read_bytes() == before


def test_an_agent_that_learned_like_questions_is_said_to_have(cli: Cli, tmp_path: Path) -> None:
    folder = sorted((assessed(cli, tmp_path) / "runs").iterdir())[0]
    part = Part(settings_of(folder), folder)
    learned = set(notices_of([replace(part, is_learned=True)])) - set(notices_of([part]))
    assert [notice for notice in learned if "questions of the same templates" in notice]


def test_a_template_is_written_once(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli("assess", "--init").code == 0
    assert "[[rules]]" in (tmp_path / "policy.toml").read_text("utf-8")
    again = cli("assess", "--init")
    assert again.code == 2
    assert "policy.toml exists already" in again.err


def test_a_database_that_nothing_fits_leaves_nothing_behind(cli: Cli, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "ward.sqlite") as connection:
        connection.execute("CREATE TABLE beds (ward TEXT)")
    connection.close()
    ran = cli("assess", tmp_path / "ward.sqlite", "--agent", "oracle", "--out", tmp_path / "out")
    assert ran.code == 2
    assert "No suite can be made of" in ran.err
    assert "propose a record map" in ran.err
    assert not (tmp_path / "out").exists()
    assert f"of --seed {secret_seed('assess')}, drawn from your key" in ran.err


def test_mistakes_are_one_sentence(cli: Cli, tmp_path: Path) -> None:
    database = hospital()
    (tmp_path / "policy.toml").write_text('[[rules]]\nmeasure = "pass^5"\nat_least = 0.6\n')
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine.txt").write_text("mine")
    for line, problem in (
        ((), "Name a database"),
        ((tmp_path / "none.sqlite", "--out", tmp_path / "a"), "none.sqlite"),
        ((database, "--policy", tmp_path / "policy.toml"), "add --trials 5"),
        ((database, "--beside", tmp_path / "full"), "full holds no assessment that was run"),
        ((database, "--agent", "oracle", "--out", tmp_path / "full"), "holds no assessment"),
        ((database, "--agent", "nobody", "--out", tmp_path / "b"), "no agent named 'nobody'"),
    ):
        ran = cli("assess", *line)
        assert ran.code == 2, line
        assert problem in ran.err
        assert len(ran.err.splitlines()) <= 3
