"""The tools of the trial that is being played, as Inspect's tools."""

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

from inspect_ai.tool import Tool, ToolDef, ToolParams, ToolSource

from wardround.agents.frameworks.self_driven import SAY, CarryOut
from wardround.core.actions import Call, Say
from wardround.core.tools import ToolSpec

_current: ContextVar[Sequence[Tool]] = ContextVar("wardround_tools")


class TrialTools(ToolSource):
    """The current trial's tools, for agents that take tools when they are made.

    Example:
        react(tools=[TrialTools()], submit=False)
    """

    async def tools(self) -> list[Tool]:
        """The tools.

        Raises:
            LookupError: no trial is being played.
        """
        return list(_current.get())


def trial_tools(specs: Sequence[ToolSpec], carry_out: CarryOut) -> list[Tool]:
    """Tools that carry out an action in the trial; they become the current ones."""
    tools = [_tool(spec, carry_out).as_tool() for spec in specs]
    _current.set(tools)
    return tools


def _tool(spec: ToolSpec, carry_out: CarryOut) -> ToolDef:
    async def execute(**arguments: Any) -> str:
        is_said = spec.name == SAY.name
        return await carry_out(
            Say(str(arguments.get("text", ""))) if is_said else Call(spec.name, arguments)
        )

    parameters = ToolParams.model_validate(spec.parameters)
    return ToolDef(execute, spec.name, spec.description, parameters, max_output=0)
