"""`wardround mcp`: the record's tools and the assistant for any MCP client."""

from collections.abc import Mapping
from contextlib import AsyncExitStack, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from wardround.apps.command_line.common_options import (
    AGENT_OPTIONS,
    MODEL_OPTIONS,
    TEMPERATURE,
)
from wardround.apps.command_line.extras import needs_extra
from wardround.apps.command_line.parameters import CommandOption, options_command, with_defaults
from wardround.apps.command_line.serve import (
    HOST,
    SERVED_LIMITS,
    SERVED_OPTIONS,
    USER_HEADER,
    USERS,
    chosen_serving,
    opened_by,
    people_of,
    title_of,
)
from wardround.core.errors import UserError

if TYPE_CHECKING:
    from wardround.assistant.served_agent import Serving
    from wardround.assistant.users import User

_OPTIONS = (
    *SERVED_OPTIONS,
    CommandOption(
        "fhir",
        Path,
        "The same record as FHIR, made by `wardround data fhir`, to read resources of.",
    ),
    CommandOption("http", bool, "Serve over HTTP, at /mcp. [standard input and output]", False),
    USERS,
    USER_HEADER,
    HOST,
    CommandOption("port", int, "The port to listen on.", 8768, at_least=1, at_most=65535),
)
_OWN = {option.name for option in _OPTIONS}


def mcp(typed: dict[str, Any]) -> None:
    """Serves MCP clients until it is interrupted, or until the client leaves."""
    options = with_defaults(_OPTIONS, typed)
    named = [name for name in ("users", "user_header") if options[name]]
    if named and not options["http"]:
        raise UserError(
            f"--{named[0].replace('_', '-')} is for --http; over standard input and output the "
            "person at this machine asks, who has no token and sees everything."
        )
    if not options["http"]:  # one client asks
        options["processes"] = typed.get("processes", 1)
    users = people_of(options)
    serving = chosen_serving(options, {k: v for k, v in typed.items() if k not in _OWN})
    with needs_extra("mcp"):
        import wardround.apps.mcp_server  # noqa: F401
        from wardround.apps.web.bounded_server import run_until_interrupted
    if serving.notice:
        typer.echo(f"Note: {serving.notice}", err=True)
    run_until_interrupted(_serve(options, serving, users))


async def _serve(
    options: Mapping[str, Any], serving: "Serving", users: "Mapping[str, User]"
) -> None:
    from wardround.apps.mcp_server import http_app, make_server, serve_stdio
    from wardround.apps.web.bounded_server import serve_app
    from wardround.apps.web.signed_in import SignedIn

    async with AsyncExitStack() as stack:
        fhir = None
        if options["fhir"]:
            from wardround.ehr.fhir.reader_pool import ReaderPool
            from wardround.ehr.fhir.record import Record

            fhir = stack.enter_context(closing(ReaderPool(Record.open(options["fhir"]))))
        opened = await stack.enter_async_context(opened_by(serving, options, users, fhir))
        server = make_server(opened, title_of(serving))
        if not options["http"]:
            await serve_stdio(server)
            return
        address = f"http://{options['host']}:{options['port']}"
        announced = partial(typer.echo, f"MCP at {address}/mcp; stop with Ctrl+C.", err=True)
        signed_in = SignedIn(users, options["user_header"])
        app = http_app(server, address, signed_in)
        await serve_app(app, options["host"], options["port"], announced)


command = options_command(
    "mcp",
    "Let MCP clients read a database with the tools and limits of trials, and ask its assistant.",
    {
        "Options": _OPTIONS,
        "Agent": AGENT_OPTIONS,
        "Models": (*MODEL_OPTIONS, TEMPERATURE),
        "Limits": SERVED_LIMITS,
    },
    mcp,
)
