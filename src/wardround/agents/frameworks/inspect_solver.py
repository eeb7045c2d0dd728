"""An Inspect solver or agent as an agent of `wardround run`."""

from contextvars import ContextVar
from functools import partial
from typing import Literal, Unpack, cast

from inspect_ai.agent import Agent as InspectAgent
from inspect_ai.agent import as_solver, is_agent
from inspect_ai.hooks import Hooks, ModelUsageData, hooks
from inspect_ai.model import (
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    GenerateConfigArgs,
    ModelName,
    execute_tools,
    get_model,
)
from inspect_ai.solver import Solver, TaskState

from wardround.agents.frameworks.inspect_tools import trial_tools
from wardround.agents.frameworks.self_driven import SAY, CarryOut, Reply, self_driven
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.errors import UserError
from wardround.core.task import Briefing
from wardround.core.trajectory import Ledger, Requested

_ledger: ContextVar[Ledger] = ContextVar("wardround_ledger")


@hooks("wardround_usage", "Counts the tokens of a solver that plays a trial of wardround.")
class _Usage(Hooks):
    async def on_model_usage(self, data: ModelUsageData) -> None:
        if (ledger := _ledger.get(None)) is None:
            return
        read = data.usage.input_tokens + (data.usage.input_tokens_cache_read or 0)
        written = data.usage.output_tokens
        cost, seconds = data.usage.total_cost, data.call_duration
        ledger.record(Requested("agent", data.model_name, read, written, cost, seconds))


def inspect_agent(solver: Solver | InspectAgent, model: str) -> AgentMaker:
    """A maker of agents that play a trial by an Inspect solver.

    The solver gets the environment's tools, and the conversation as messages. Its final output is
    said to the person; if the trial goes on, it is called again with the answer.

    Args:
        solver: the solver or agent. One that needs a sample of Inspect, such as `react`, plays in
            `inspect eval` only.
        model: the model of `generate`, such as "openai/gpt-5"; an agent names its own.

    Raises:
        UserError: the model has no provider; in a trial: the agent needs a sample of Inspect.

    Example:
        # my_agent.py, for `wardround run NAME --agent my_agent:open_agents`
        def open_agents(model):
            return inspect_agent(my_solver(), "openai/gpt-5")
    """
    # Its stubs do not say that what is no agent is a solver.
    played = as_solver(solver) if is_agent(solver) else cast("Solver", solver)
    try:
        name = ModelName(model)
    except ValueError:
        raise UserError(f"Name the model as PROVIDER/NAME, not {model!r}.") from None
    return self_driven(partial(_opened, played, name))


def _opened(
    solver: Solver, model: ModelName, briefing: Briefing, context: AgentContext, carry_out: CarryOut
) -> Reply:
    rules = ChatMessageSystem(content=briefing.rules)
    state = TaskState(model, "trial", 1, "", [rules])

    async def reply(text: str) -> str:
        nonlocal state
        _ledger.set(context.ledger)
        state.tools = trial_tools((*briefing.tools, SAY), carry_out)
        state.messages.append(ChatMessageUser(content=text))
        try:
            state = await solver(state, _generate)
        except RuntimeError as error:
            if "active sample" not in str(error):
                raise
            raise UserError(
                f"This agent needs a sample of Inspect ({error}); use it in "
                "`inspect eval wardround/NAME --solver` instead."
            ) from error
        return state.output.completion

    return reply


async def _generate(
    state: TaskState,
    tool_calls: Literal["loop", "single", "none"] = "loop",
    **config: Unpack[GenerateConfigArgs],
) -> TaskState:
    """Inspect's `generate` outside its own evaluation."""
    model, settings = get_model(str(state.model)), GenerateConfig(**config)
    if tool_calls == "loop":
        messages, state.output = await model.generate_loop(
            state.messages, tools=state.tools, config=settings
        )
        state.messages.extend(messages)
        return state
    state.output = await model.generate(state.messages, tools=state.tools, config=settings)
    state.messages.append(state.output.message)
    if tool_calls == "single":
        state.messages.extend((await execute_tools(state.messages, state.tools)).messages)
    return state
