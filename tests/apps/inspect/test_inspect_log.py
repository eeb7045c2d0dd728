"""A run as an Inspect log, read back by Inspect."""

import os
import stat
from datetime import datetime
from pathlib import Path

import pytest

import wardround
from tests.apps.commands import Cli
from wardround.core.benchmark import AgentContext
from wardround.core.task import Briefing

SITE = Path(__file__).parents[2] / "plugin" / "site"
TRIAGE = "triage_plugin.declaration:BENCHMARK"


class Caller:
    """Calls a tool that is not there, and then says "red"."""

    def __init__(self, briefing: Briefing, context: AgentContext) -> None:
        self._acted = False

    async def act(self, observation: wardround.Observation) -> wardround.Action:
        if self._acted:
            return wardround.Say("red")
        self._acted = True
        return wardround.Call("beds", {"ward": "west"})


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(SITE))
    return wardround.run(TRIAGE, agent=Caller, trials=2, out=tmp_path / "run").folder


@pytest.mark.parametrize("ending", ["eval", "json"])
def test_a_run_is_an_inspect_log(cli: Cli, tmp_path: Path, run: Path, ending: str) -> None:
    from inspect_ai.log import read_eval_log
    from inspect_ai.model import ChatMessageAssistant

    path = tmp_path / f"log.{ending}"
    wrote = cli("export", "inspect", run, "--to", path)
    assert wrote.code == 0, wrote.err
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    log = read_eval_log(str(path))
    trials = wardround.load_run(run).trials()
    assert log.samples is not None
    assert {(s.id, s.epoch) for s in log.samples} == {(t.task, t.trial + 1) for t in trials}
    graded = {(s.id, s.epoch): s.scores for s in log.samples}
    for trial in trials:
        score = graded[trial.task, trial.trial + 1]
        assert score is not None
        assert score["wardround"].value == float(trial.outcome == "passed")
    assert [m.role for m in log.samples[0].messages[:2]] == ["user", "assistant"]
    called = log.samples[0].messages[1]
    assert isinstance(called, ChatMessageAssistant)
    assert [call.function for call in called.tool_calls or ()] == ["beds"]
    assert log.results is not None
    assert set(log.results.scores[0].metrics) == {"pass^1", "pass^2"}


def test_a_log_is_never_replaced(cli: Cli, tmp_path: Path, run: Path) -> None:
    (tmp_path / "log.eval").write_text("mine")
    refused = cli("export", "inspect", run, "--to", tmp_path / "log.eval")
    assert refused.code == 2
    assert "exists already" in refused.err
    assert "neither .eval nor .json" in cli("export", "inspect", run, "--to", "log.txt").err


def test_a_log_says_when_the_run_began_and_ended(cli: Cli, tmp_path: Path, run: Path) -> None:
    from inspect_ai.log import read_eval_log

    os.utime(run / "run.json", (1_000, 1_000))
    os.utime(run / "trials.jsonl", (1_060, 1_060))
    cli("export", "inspect", str(run), "--to", str(tmp_path / "log.eval"))
    stats = read_eval_log(tmp_path / "log.eval").stats
    began, ended = map(datetime.fromisoformat, (stats.started_at, stats.completed_at))
    assert (ended - began).total_seconds() == 60
