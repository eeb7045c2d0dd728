"""A program that is an MCP client, such as a coding agent, as an agent of `wardround run`."""

import asyncio
import os
import secrets
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import uvicorn
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
)

from wardround.agents.frameworks.self_driven import SAY, CarryOut, Reply, self_driven
from wardround.core.actions import Call, Say
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.errors import AgentError, UserError
from wardround.core.task import Briefing

ADDRESS = "{url}"


def mcp_agent(*command: str) -> AgentMaker:
    """A maker of agents that play a trial by a program.

    The trial's tools, and `say` to speak to the person, are an MCP server (streamable HTTP) on a
    loopback address, which stands for `{url}` in the command. The program reads the instructions
    and the person's words from standard input; its standard output is said to the person. If the
    trial goes on, the program is started again with the answer. Its tokens are not known.

    Args:
        command: the program and its arguments.

    Raises:
        UserError: no word of the command has `{url}`; in a trial: the program cannot be started.

    Example:
        # my_agent.py, for `wardround run NAME --agent my_agent:open_agents`
        def open_agents(model):
            return mcp_agent("my-client", "--mcp-server", "{url}")
    """
    if not any(ADDRESS in word for word in command):
        raise UserError(f"The command has no {ADDRESS}, the address of the trial's tools.")
    return self_driven(partial(_opened, command))


def _opened(
    command: tuple[str, ...], briefing: Briefing, context: AgentContext, carry_out: CarryOut
) -> Reply:
    path = f"/{secrets.token_urlsafe()}/mcp"  # nobody else on this machine knows it
    bound = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{bound.getsockname()[1]}{path}"
    app = _server(briefing, carry_out).streamable_http_app(streamable_http_path=path)
    http = _Http(uvicorn.Config(app, log_level="critical"))
    context.cleanup.push_async_callback(_stop, http, asyncio.create_task(http.serve([bound])))
    words = [word.replace(ADDRESS, address) for word in command]
    before = f"{briefing.rules}\n\n"

    async def reply(text: str) -> str:
        nonlocal before
        output = await _output(words, f"{before}{text}")
        before = ""
        return output

    return reply


async def _output(words: list[str], text: str) -> str:
    """The standard output of a program that reads the text."""
    try:
        program = await asyncio.create_subprocess_exec(
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise UserError(f"{words[0]} cannot be started ({error.strerror}).") from None
    try:
        written, _ = await program.communicate(text.encode())
    finally:
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        await program.wait()  # an event loop that closes first leaves its pipes open
    if program.returncode:
        raise AgentError(f"{words[0]} ended with exit code {program.returncode}.")
    return written.decode(errors="replace").strip()


def _server(briefing: Briefing, carry_out: CarryOut) -> Server[dict[str, Any]]:
    tools = [
        Tool(name=spec.name, description=spec.description, input_schema=dict(spec.parameters))
        for spec in (*briefing.tools, SAY)
    ]

    async def list_tools(
        context: ServerRequestContext[dict[str, Any]], params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=tools)

    async def call_tool(
        context: ServerRequestContext[dict[str, Any]], params: CallToolRequestParams
    ) -> CallToolResult:
        arguments = params.arguments or {}
        is_said = params.name == SAY.name
        action = Say(str(arguments.get("text", ""))) if is_said else Call(params.name, arguments)
        return CallToolResult(content=[TextContent(type="text", text=await carry_out(action))])

    return Server("trial", on_list_tools=list_tools, on_call_tool=call_tool)


class _Http(uvicorn.Server):
    """An HTTP server that leaves signals to the run."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Captures none."""
        yield


async def _stop(http: uvicorn.Server, work: asyncio.Task[None]) -> None:
    http.should_exit = http.force_exit = True
    await work
