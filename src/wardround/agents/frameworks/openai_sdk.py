"""An agent of the OpenAI Agents SDK as an agent of `wardround run`."""

from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import orjson
from agents import Agent, FunctionTool, ModelResponse, RunContextWrapper, RunHooks, Runner
from agents.tool_context import ToolContext

from wardround.agents.frameworks.self_driven import SAY, CarryOut, Reply, self_driven
from wardround.core.actions import Call, Say
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Ledger, Requested
from wardround.models.translate import provider_name

_MOST_TURNS = 1_000  # the trial has limits of its own


def openai_agent(agent: Agent[Any]) -> AgentMaker:
    """A maker of agents that play a trial by an agent of the SDK.

    Its own instructions precede the benchmark's, and its own tools are added to the trial's. Its
    final output is said to the person; if the trial goes on, it is run again with the answer.

    Example:
        # my_agent.py, for `wardround run NAME --agent my_agent:open_agents`
        def open_agents(model):
            return openai_agent(Agent("ward", model="gpt-5"))
    """
    return self_driven(partial(_opened, agent))


def _opened(
    agent: Agent[Any], briefing: Briefing, context: AgentContext, carry_out: CarryOut
) -> Reply:
    instructions = agent.instructions if isinstance(agent.instructions, str) else ""
    playing = replace(
        agent,
        instructions="\n\n".join(filter(None, [instructions, briefing.rules])),
        tools=[*agent.tools, *(_tool(spec, carry_out) for spec in (*briefing.tools, SAY))],
    )
    usage = _Usage(context.ledger, str(agent.model or "the SDK's own"))
    conversation: list[Any] = []

    async def reply(text: str) -> str:
        nonlocal conversation
        conversation.append({"role": "user", "content": text})
        ran = await Runner.run(playing, conversation, max_turns=_MOST_TURNS, hooks=usage)
        conversation = ran.to_input_list()
        return str(ran.final_output)

    return reply


def _tool(spec: ToolSpec, carry_out: CarryOut) -> FunctionTool:
    async def invoke(context: ToolContext[Any], text: str) -> str:
        try:
            arguments = orjson.loads(text or "{}")
        except orjson.JSONDecodeError:
            return "The arguments are not JSON."
        if spec.name == SAY.name:
            return await carry_out(Say(str(arguments.get("text", ""))))
        return await carry_out(Call(spec.name, arguments))

    name, schema = provider_name(spec.name), dict(spec.parameters)
    return FunctionTool(name, spec.description, schema, invoke, strict_json_schema=False)


class _Usage(RunHooks[Any]):
    """Counts the tokens of each request."""

    def __init__(self, ledger: Ledger, model: str) -> None:
        self._ledger = ledger
        self._model = model
        self._started = 0.0

    async def on_llm_start(self, *args: Any, **kwargs: Any) -> None:
        self._started = perf_counter()

    async def on_llm_end(
        self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse
    ) -> None:
        read, written = response.usage.input_tokens, response.usage.output_tokens
        seconds = perf_counter() - self._started
        self._ledger.record(Requested("agent", self._model, read, written, None, seconds))
