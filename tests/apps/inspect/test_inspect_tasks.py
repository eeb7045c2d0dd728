"""Benchmarks as Inspect tasks, solvers as agents, and the same pass^k."""

import random
from pathlib import Path

import pytest
from inspect_ai import eval as evaluate
from inspect_ai import task_with
from inspect_ai._util.registry import registry_lookup
from inspect_ai.agent import Agent, AgentState, agent, as_solver, react
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, ModelOutput, ModelUsage, execute_tools, get_model
from inspect_ai.scorer import Score, pass_k
from inspect_ai.solver import Generate, Solver, TaskState, solver

import wardround
from wardround.agents.frameworks.inspect_solver import inspect_agent
from wardround.agents.frameworks.inspect_tools import TrialTools
from wardround.agents.frameworks.self_driven import SAY
from wardround.apps.inspect.tasks import inspect_task
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


def model_that_says(*texts: str) -> Model:
    """A model that says the texts one after the other, again and again; it counts no tokens."""
    said = iter(texts * 100)

    def output(*_: object) -> ModelOutput:
        made = ModelOutput.from_content("mockllm/model", next(said))
        made.usage = ModelUsage(input_tokens=3, output_tokens=2, total_tokens=5)
        return made

    return get_model("mockllm/model", custom_outputs=output)


def model_that_calls(tool: str, **arguments: str) -> Model:
    def output(*_: object) -> ModelOutput:
        made = ModelOutput.for_tool_call("mockllm/model", tool, dict(arguments))
        made.usage = ModelUsage(input_tokens=3, output_tokens=2, total_tokens=5)
        return made

    return get_model("mockllm/model", custom_outputs=output)


def played(folder: Path, model: Model, *, trials: int = 1, agent: Agent | None = None) -> EvalLog:
    task = inspect_task(TRIAGE, trials=trials)
    if agent is not None:
        task = task_with(task, solver=as_solver(agent))
    [log] = evaluate(task, model=model, log_dir=str(folder))
    return log


def values(log: EvalLog) -> dict[tuple[str, int], object]:
    assert log.samples is not None
    scores = {(str(s.id), s.epoch): s.scores for s in log.samples}
    return {key: score and score["wardround"].value for key, score in scores.items()}


def test_a_benchmark_is_a_task_with_pass_hat_k(tmp_path: Path) -> None:
    log = played(tmp_path, model_that_says("red"), trials=2)
    assert log.status == "success", log.error
    assert values(log) == {(id, trial): 1.0 for id in ("stroke", "cough") for trial in (1, 2)}
    assert log.results is not None
    assert [score.reducer for score in log.results.scores] == ["pass_k_1", "pass_k_2"]
    assert [score.metrics["mean"].value for score in log.results.scores] == [1.0, 1.0]
    assert log.samples is not None
    assert [m.role for m in log.samples[0].messages] == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize("name", names(BENCHMARKS))
def test_every_benchmark_is_registered(name: str) -> None:
    assert registry_lookup("task", f"wardround/{name}") is not None


@pytest.mark.parametrize("method", ["Desk.start", "Desk.step", "Desk.close"])
def test_a_trial_that_does_not_count_is_unscored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
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


@agent
def caller(model: Model | None = None) -> Agent:
    """Calls the current trial's tools once."""

    async def execute(state: AgentState) -> AgentState:
        tools = await TrialTools().tools()
        output = await (model or get_model()).generate(state.messages, tools=tools)
        state.messages.append(output.message)
        state.messages.extend((await execute_tools(state.messages, tools)).messages)
        return state

    return execute


def test_another_solver_speaks_by_a_tool(tmp_path: Path) -> None:
    log = played(tmp_path, model_that_calls(SAY.name, text="red"), agent=caller())
    assert [*values(log).values()] == [1.0, 1.0]


@solver
def says(text: str) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("none", text)
        return state

    return solve


def test_a_solver_plays_trials_of_wardround(tmp_path: Path) -> None:
    run = wardround.run(TRIAGE, agent=inspect_agent(says("red"), "none/none"), out=tmp_path / "run")
    assert [trial.outcome for trial in run.trials()] == ["passed", "passed"]
    assert Said("agent", "red") in run.trajectory("stroke").events


def test_a_model_without_a_provider_is_refused() -> None:
    with pytest.raises(wardround.UserError, match="as PROVIDER/NAME, not 'gpt-5'"):
        inspect_agent(says("red"), "gpt-5")


def test_tokens_of_an_agent_that_plays_are_counted(tmp_path: Path) -> None:
    plays = inspect_agent(caller(model_that_calls(SAY.name, text="red")), "none/none")
    run = wardround.run(TRIAGE, agent=plays, out=tmp_path / "run")
    assert [trial.outcome for trial in run.trials()] == ["passed", "passed"]
    use = run.trials()[0].use["agent"]
    assert (use.requests, use.input_tokens, use.output_tokens) == (1, 3, 2)


def test_an_agent_that_needs_a_sample_of_inspect_is_refused(tmp_path: Path) -> None:
    needs_sample = react(model=model_that_says("red"), tools=[TrialTools()], submit=False)
    with pytest.raises(wardround.UserError, match="use it in `inspect eval wardround/NAME"):
        wardround.run(TRIAGE, agent=inspect_agent(needs_sample, "none/none"), out=tmp_path / "run")


def test_pass_hat_k_is_that_of_inspect() -> None:
    """1,000 tables of trials, some of them not counted, by both."""
    draw = random.Random(7)
    for _ in range(1_000):
        trials = [draw.choice([1.0, 0.0, None]) for _ in range(draw.randint(1, 8))]
        k = draw.randint(1, 8)
        scores = [Score.unscored() if t is None else Score(value=t) for t in trials]
        theirs = pass_k(k)(scores).as_float()
        counted = [trial for trial in trials if trial is not None]
        ours = reliabilities([Tally(len(counted), int(sum(counted)))], k)
        assert [each.pass_hat for each in ours] == ([] if theirs != theirs else [theirs])
