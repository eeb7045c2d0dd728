"""Every installed benchmark as an Inspect task: `inspect eval wardround/NAME`.

A sample is a trial. Its setup opens the trial and gives the solver the environment's tools; the
scorer ends and grades it. People, sandbox, limits and judges are those of `wardround run`.
"""

from typing import Any

from inspect_ai import Epochs, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef

from wardround.agents.frameworks.self_driven import SAY
from wardround.apps.api import open_trials, task_ids
from wardround.apps.inspect.samples import SampleTrials
from wardround.core.actions import Say
from wardround.core.plugins import BENCHMARKS, names


def _talk(trials: SampleTrials) -> Solver:
    """The solver by default: calls tools, and says what the model writes without a call."""

    @solver(name="wardround_agent")
    def agent() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            state.tools = [tool for tool in state.tools if ToolDef(tool).name != SAY.name]
            while not state.completed:
                state = await generate(state, tool_calls="single")
                if not state.completed and not state.output.message.tool_calls:
                    reply = await trials.step(state, Say(state.output.completion))
                    state.messages.append(ChatMessageUser(content=reply.text))
            return state

        return solve

    return agent()


def inspect_task(benchmark: str, *, trials: int = 1, **options: Any) -> Task:
    """A benchmark as an Inspect task, with pass^k for each k up to the number of trials.

    Args:
        benchmark: its name, or `module:Class`.
        trials: the trials of a sample (Inspect's epochs).
        options: options of `wardround.open_trials`, such as `task`, `database` and `role_models`.

    Raises:
        UserError: the tasks cannot be read.
    """
    opened = SampleTrials(lambda: open_trials(benchmark, attempts=1, **options))

    @solver(name="wardround_trial")
    def begin() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            return await opened.begin(state)

        return solve

    @scorer(name="wardround", metrics=[mean(), stderr()])
    def grade() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            return await opened.grade(state)

        return score

    return Task(
        MemoryDataset([Sample(id, id=id) for id in task_ids(benchmark, **options)], benchmark),
        setup=begin(),
        solver=_talk(opened),
        scorer=grade(),
        cleanup=opened.forget,
        epochs=Epochs(trials, [f"pass_k_{k}" for k in range(1, trials + 1)]),
    )


def _registered(name: str) -> None:
    @task(name=name)
    def of_benchmark(trials: int = 1, **options: Any) -> Task:
        return inspect_task(name, trials=trials, **options)


for _name in names(BENCHMARKS):
    _registered(_name)
