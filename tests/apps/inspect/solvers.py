"""Models, agents and solvers of Inspect, which takes long to import: tests do where they run."""

from pathlib import Path

from inspect_ai import eval as evaluate
from inspect_ai import task_with
from inspect_ai.agent import Agent, AgentState, agent, as_solver
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, ModelOutput, ModelUsage, execute_tools, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from wardround.agents.frameworks.inspect_tools import TrialTools
from wardround.apps.inspect.tasks import inspect_task

TRIAGE = "triage_plugin.declaration:BENCHMARK"


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


@solver
def says(text: str) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("none", text)
        return state

    return solve
