"""The harness: a model with native tool calls plays a trial of `wardround session`."""

import json
from typing import Any

import verifiers.v1 as vf
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionMessage

from wardround_verifiers.session import Session, idle_session, next_trial

Messages = list[Any]


class WardroundHarnessConfig(vf.HarnessConfig):
    """The options of the harness: none of its own."""


class WardroundHarness(vf.Harness[WardroundHarnessConfig]):
    """Plays a trial in this process; the model has the trial's tools and nothing else."""

    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Plays a trial; its grade is the state of the trace.

        Raises:
            HarnessError: the trial does not count, so that nothing is learned from it.
        """
        command, task = tuple(trace.task.data.command), data.id or ""
        trial = next_trial(command, task)
        async with (
            idle_session(command) as session,
            AsyncOpenAI(base_url=endpoint, api_key=secret, max_retries=0) as client,
        ):
            opened = await session.ask(open=task, trial=trial)
            await _play(session, opened, client, ctx.model, trace)
            end = await session.ask(finish=True)
        trace.info["wardround"] = {"outcome": end["outcome"], "trial": trial}
        if not end["counts"]:
            raise vf.HarnessError(f"the trial does not count: {end['outcome']}")
        trace.state.reward = next(iter(end["rewards"].values()))
        return vf.ProgramResult(0, "", "")


async def _play(
    session: Session, opened: dict[str, Any], client: AsyncOpenAI, model: str, trace: vf.Trace
) -> None:
    """Plays until the trial is over, or a condition of verifiers stops it."""
    tools = [{"type": "function", "function": tool} for tool in opened["tools"]]
    given = {"tools": tools} if tools else {}
    observation = opened["observation"]
    messages: Messages = [
        {"role": "system", "content": opened["rules"]},
        {"role": "user", "content": observation["text"]},
    ]
    while not observation["done"] and trace.stop_condition is None:
        answer = await client.chat.completions.create(model=model, messages=messages, **given)
        message = answer.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        observation = await _act(session, message, messages)


async def _act(
    session: Session, message: ChatCompletionMessage, messages: Messages
) -> dict[str, Any]:
    """Carries out a message's calls in order, or says its words; returns the last observation."""
    observation: dict[str, Any] = {"done": False}
    for call in message.tool_calls or ():
        if observation["done"]:
            text = "The trial is over."
        elif (arguments := _arguments(call.function.arguments)) is None:
            text = "The arguments are not a JSON object."
        else:
            answer = await session.ask(call=call.function.name, arguments=arguments)
            observation = answer["observation"]
            text = observation["text"]
        messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
    if not message.tool_calls:
        observation = (await session.ask(say=message.content or ""))["observation"]
        messages.append({"role": "user", "content": observation["text"]})
    return observation


def _arguments(text: str) -> dict[str, Any] | None:
    try:
        arguments = json.loads(text or "{}")
    except json.JSONDecodeError:
        return None
    return arguments if isinstance(arguments, dict) else None
