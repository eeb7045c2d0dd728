"""Runs are ranked only where they can be compared, and every figure is computed again."""

import json
import shutil
from pathlib import Path

import orjson
import pytest

import wardround
from tests.apps.commands import Cli
from wardround.core.record import Outcome
from wardround.runs.resume import resume_run
from wardround.runs.start import Listener

SITE = Path(__file__).parents[1] / "plugin" / "site"
QUIET = Listener(lambda started: None, lambda trial: None)
TRIAGE = "triage_plugin.declaration:BENCHMARK"


class Says:
    """Says one word."""

    def __init__(self, word: str) -> None:
        self._word = word

    async def act(self, observation: wardround.Observation) -> wardround.Action:
        return wardround.Say(self._word)


@pytest.fixture(autouse=True)
def _triage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SITE))


def run(folder: Path, word: str, **options: object) -> Path:
    made = {"grading": "strict", "trials": 2, **options}
    return wardround.run(TRIAGE, agent=lambda *_: Says(word), out=folder, **made).folder


def rows(cli: Cli, to: Path, *runs: Path) -> list[dict[str, object]]:
    ran = cli("leaderboard", *runs, "--to", to, "--force", "--json")
    assert ran.code == 0, ran.err
    table: list[dict[str, object]] = json.loads(ran.out)["Leaderboard"]["rows"]
    return table


def test_runs_are_ranked_with_ties(cli: Cli, tmp_path: Path) -> None:
    red = run(tmp_path / "red", "red")
    oracle = wardround.run(
        TRIAGE, agent="oracle", grading="strict", trials=2, out=tmp_path / "oracle"
    ).folder
    table = rows(cli, tmp_path / "site", red, oracle)
    assert [(row["Run"], row["Rank"], row["Pass^1"]) for row in table] == [
        ("oracle", "1 to 2", 100.0),  # two tasks cannot tell them apart
        ("red", "1 to 2", 50.0),
    ]
    assert [row["Confined"] for row in table] == ["wardround's own", "no"]
    assert {row["Verified"] for row in table} == {"yes"}
    page = (tmp_path / "site/index.html").read_text("utf-8")
    assert "Pass^k is the probability" in page
    assert "stroke" not in page


def test_other_conditions_are_another_group(cli: Cli, tmp_path: Path) -> None:
    runs = [
        run(tmp_path / "all", "red"),
        run(tmp_path / "one", "red", task="stroke"),
        run(tmp_path / "seed", "red", seed=3),
        run(tmp_path / "ward", "red", ward="west"),
    ]
    table = rows(cli, tmp_path / "site", *runs)
    groups = {str(row["Run"]): row["Group"] for row in table}
    assert groups["all"] == groups["seed"]
    assert len({groups["all"], groups["one"], groups["ward"]}) == 3


def test_a_figure_that_a_person_wrote_does_not_show(cli: Cli, tmp_path: Path) -> None:
    forged = run(tmp_path / "forged", "green")
    before = rows(cli, tmp_path / "site", forged)
    lines = (forged / "trials.jsonl").read_text("utf-8").replace('"failed"', '"passed"')
    (forged / "trials.jsonl").write_text(lines, encoding="utf-8")
    refused = cli("leaderboard", forged, "--to", tmp_path / "other")
    assert refused.code == 2
    assert "not as wardround wrote it" in refused.err
    assert before[0]["Pass^1"] == 50.0


def test_an_incomplete_run_is_refused(cli: Cli, tmp_path: Path) -> None:
    whole = run(tmp_path / "whole", "red")
    part = Path(shutil.copytree(whole, tmp_path / "part"))
    document = orjson.loads((part / "run.json").read_bytes())
    assert document["tasks"]["count"] == 2
    first = (part / "trials.jsonl").read_bytes().splitlines(keepends=True)[0]
    (part / "trials.jsonl").write_bytes(first)
    (part / "seal.json").unlink(missing_ok=True)
    refused = cli("leaderboard", part, "--to", tmp_path / "site")
    assert refused.code == 2
    assert len(refused.err.splitlines()) <= 2


def test_a_trial_that_was_repeated_until_it_passed_is_refused(cli: Cli, tmp_path: Path) -> None:
    folder = wardround.run(TRIAGE, agent="oracle", out=tmp_path / "again").folder
    resume_run(folder, QUIET, again={Outcome.PASSED})
    refused = cli("leaderboard", folder, "--to", tmp_path / "site")
    assert refused.code == 2
    assert "two scored plays of the trial" in refused.err
    assert not (tmp_path / "site").exists()


def test_a_run_at_other_tasks_than_it_says_is_refused(cli: Cli, tmp_path: Path) -> None:
    tasks = tmp_path / "tasks.json"
    tasks.write_text('{"stroke": "red", "cough": "green"}')
    folder = run(tmp_path / "own", "red", tasks=tasks)
    assert rows(cli, tmp_path / "site", folder)[0]["Pass^1"] == 50.0
    tasks.write_text('{"stroke": "red", "cough": "red"}')
    refused = cli("leaderboard", folder, "--to", tmp_path / "other")
    assert refused.code == 2
    assert "is of other tasks than its run.json names" in refused.err


def test_a_folder_that_is_no_run_is_refused(cli: Cli, tmp_path: Path) -> None:
    refused = cli("leaderboard", tmp_path, "--to", tmp_path / "site")
    assert refused.code == 2
    assert "is not a run" in refused.err


def test_a_page_is_not_replaced(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/index.html").write_text("mine")
    refused = cli("leaderboard", run(tmp_path / "red", "red"), "--to", tmp_path / "site")
    assert refused.code == 2
    assert "already exists" in refused.err
