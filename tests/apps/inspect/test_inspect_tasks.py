"""Benchmarks as Inspect tasks, solvers as agents, and the same pass^k."""

import random
from pathlib import Path

import pytest

import wardround
from tests.cases import for_each
from wardround.agents.frameworks.self_driven import SAY
from wardround.core.plugins import BENCHMARKS, names
from wardround.core.trajectory import Said
from wardround.scoring.reliability import Tally, reliabilities

SITE = Path(__file__).parents[2] / "plugin" / "site"
TRIAGE = "triage_plugin.declaration:BENCHMARK"

# Inspect calls tenacity by a parameter that is deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:The 'initial' parameter:DeprecationWarning")


@pytest.fixture(autouse=True)
def _triage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SITE))
    monkeypatch.setenv("INSPECT_DISPLAY", "none/none")


def test_a_benchmark_is_a_task_with_pass_hat_k(tmp_path: Path) -> None:
    from tests.apps.inspect.solvers import model_that_says, played, values

    log = played(tmp_path, model_that_says("red"), trials=2)
    assert log.status == "success", log.error
    assert values(log) == {(id, trial): 1.0 for id in ("stroke", "cough") for trial in (1, 2)}
    assert log.results is not None
    assert [score.reducer for score in log.results.scores] == ["pass_k_1", "pass_k_2"]
    assert [score.metrics["mean"].value for score in log.results.scores] == [1.0, 1.0]
    assert log.samples is not None
    assert [m.role for m in log.samples[0].messages] == ["system", "user", "assistant", "user"]


@for_each(names(BENCHMARKS))
def test_every_benchmark_is_registered(name: str) -> None:
    from inspect_ai._util.registry import registry_lookup

    assert registry_lookup("task", f"wardround/{name}") is not None


@pytest.mark.parametrize("method", ["Desk.start", "Desk.step", "Desk.close"])
def test_a_trial_that_does_not_count_is_unscored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    from tests.apps.inspect.solvers import model_that_says, played, values

    async def broken(*_: object) -> None:
        raise ConnectionError("a value of the gold")

    monkeypatch.setattr(f"triage_plugin.benchmark.{method}", broken)
    log = played(tmp_path, model_that_says("red"))
    assert log.status == "success", log.error
    assert log.samples is not None
    assert not [m for s in log.samples for m in s.messages if "gold" in m.text]
    assert all(str(value) == "nan" for value in values(log).values())
    assert log.results is not None
    assert log.results.scores[0].unscored_samples == 2


def test_another_solver_speaks_by_a_tool(tmp_path: Path) -> None:
    from tests.apps.inspect.solvers import caller, model_that_calls, played, values

    log = played(tmp_path, model_that_calls(SAY.name, text="red"), agent=caller())
    assert [*values(log).values()] == [1.0, 1.0]


def test_a_solver_plays_trials_of_wardround(tmp_path: Path) -> None:
    from tests.apps.inspect.solvers import says
    from wardround.agents.frameworks.inspect_solver import inspect_agent

    run = wardround.run(TRIAGE, agent=inspect_agent(says("red"), "none/none"), out=tmp_path / "run")
    assert [trial.outcome for trial in run.trials()] == ["passed", "passed"]
    assert Said("agent", "red") in run.trajectory("stroke").events


def test_a_model_without_a_provider_is_refused() -> None:
    from tests.apps.inspect.solvers import says
    from wardround.agents.frameworks.inspect_solver import inspect_agent

    with pytest.raises(wardround.UserError, match="as PROVIDER/NAME, not 'gpt-5'"):
        inspect_agent(says("red"), "gpt-5")


def test_tokens_of_an_agent_that_plays_are_counted(tmp_path: Path) -> None:
    from tests.apps.inspect.solvers import caller, model_that_calls
    from wardround.agents.frameworks.inspect_solver import inspect_agent

    plays = inspect_agent(caller(model_that_calls(SAY.name, text="red")), "none/none")
    run = wardround.run(TRIAGE, agent=plays, out=tmp_path / "run")
    assert [trial.outcome for trial in run.trials()] == ["passed", "passed"]
    use = run.trials()[0].use["agent"]
    assert (use.requests, use.input_tokens, use.output_tokens) == (1, 3, 2)


def test_an_agent_that_needs_a_sample_of_inspect_is_refused(tmp_path: Path) -> None:
    from inspect_ai.agent import react

    from tests.apps.inspect.solvers import model_that_says
    from wardround.agents.frameworks.inspect_solver import inspect_agent
    from wardround.agents.frameworks.inspect_tools import TrialTools

    needs_sample = react(model=model_that_says("red"), tools=[TrialTools()], submit=False)
    with pytest.raises(wardround.UserError, match="use it in `inspect eval wardround/NAME"):
        wardround.run(TRIAGE, agent=inspect_agent(needs_sample, "none/none"), out=tmp_path / "run")


def test_pass_hat_k_is_that_of_inspect() -> None:
    """1,000 tables of trials, some of them not counted, by both."""
    """1,000 tables of trials, some of them not counted, by both."""
    from inspect_ai.scorer import Score, pass_k

    draw = random.Random(7)
    for _ in range(1_000):
        trials = [draw.choice([1.0, 0.0, None]) for _ in range(draw.randint(1, 8))]
        k = draw.randint(1, 8)
        scores = [Score.unscored() if t is None else Score(value=t) for t in trials]
        theirs = pass_k(k)(scores).as_float()
        counted = [trial for trial in trials if trial is not None]
        ours = reliabilities([Tally(len(counted), int(sum(counted)))], k)
        assert [each.pass_hat for each in ours] == ([] if theirs != theirs else [theirs])
