"""The assistant and the tools of its record as an MCP server, over stdio or HTTP."""

import logging
from collections.abc import Mapping
from typing import Any

import orjson
from mcp import MCPError
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import (
    INTERNAL_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from wardround import __version__
from wardround.apps.web.bounded_server import BoundedBodies
from wardround.apps.web.signed_in import SignedIn
from wardround.assistant.open_assistant import Opened
from wardround.assistant.users import LOCAL, RefusedError
from wardround.core.actions import Call

log = logging.getLogger(__name__)

# Questions and statements are texts; nothing larger is read from a client.
MOST_BYTES = 1024 * 1024

ASK = Tool(
    name="ask",
    title="Ask the assistant",
    description="Asks the assistant a question about the patient records in plain words. It "
    "answers with its query and rows, asks back, or says why it cannot answer. Give the "
    "conversation of its reply to go on with it.",
    input_schema={
        "type": "object",
        "properties": {
            "question": {"type": "string", "description": "The question or the next message."},
            "conversation": {
                "type": "string",
                "description": "The conversation to go on with; leave it out for a new one.",
            },
        },
        "required": ["question"],
        "additionalProperties": False,
    },
    annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
)

_READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
Context = ServerRequestContext[dict[str, Any]]


class NamedPerson:
    """Passes on each request with its person's name in place of the token; see `KnownNames`.

    A request whose person is not known has no token then, and is refused by the server.
    """

    def __init__(self, app: ASGIApp, signed_in: SignedIn) -> None:
        self._app = app
        self._signed_in = signed_in

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or refuses it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        if reason := self._signed_in.refusal(request):
            await _refused(403, reason)(scope, receive, send)
            return
        name = self._signed_in.person(request)
        headers = [header for header in scope["headers"] if header[0] != b"authorization"]
        if name is not None:
            headers.append((b"authorization", f"Bearer {name}".encode("latin-1")))
        await self._app({**scope, "headers": headers}, receive, send)


class KnownNames(TokenVerifier):
    """Takes the names that `NamedPerson` puts in place of tokens, to which sessions are bound."""

    async def verify_token(self, token: str) -> AccessToken:
        """The person, as the client's id."""
        return AccessToken(token=token, client_id=token, scopes=[])


def make_server(opened: Opened, title: str) -> Server[dict[str, Any]]:
    """The server.

    Args:
        opened: the assistant and the record's tools.
        title: the agent and its database.
    """

    async def list_tools(
        context: Context, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        try:
            specs = await opened.tools.specs(_person())
        except RefusedError as refused:
            raise MCPError(INTERNAL_ERROR, str(refused)) from None
        record = [
            Tool(
                name=spec.name,
                description=spec.description,
                input_schema=dict(spec.parameters),
                annotations=_READS,
            )
            for spec in specs
        ]
        return ListToolsResult(tools=[ASK, *record])

    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        arguments = params.arguments or {}
        try:
            if params.name == ASK.name:
                return _text(await _asked(opened, arguments))
            result = await opened.tools.call(_person(), Call(params.name, arguments))
            return _text(result.text, is_error=result.is_error)
        except RefusedError as refused:
            return _text(str(refused), is_error=True)

    read_only = f"Read-only access to patient records: {title}. {opened.assistant.notice}"
    return Server(
        "wardround",
        title=title,
        version=__version__,
        instructions=read_only.strip(),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def serve_stdio(server: Server[dict[str, Any]]) -> None:
    """Serves one client over standard input and output, until it closes them."""
    try:
        async with stdio_server() as (reads, writes):
            await server.run(reads, writes, server.create_initialization_options())
    except* BrokenPipeError:
        log.warning("the client left before it had all answers")


def http_app(server: Server[dict[str, Any]], address: str, signed_in: SignedIn) -> Starlette:
    """The server as an HTTP application at `/mcp`.

    Args:
        server: the server.
        address: its own address.
        signed_in: knows the people who may call.
    """
    if signed_in.is_local:
        app = server.streamable_http_app()
    else:
        url = AnyHttpUrl(address)
        auth = AuthSettings(issuer_url=url, resource_server_url=url, validate_token_resource=False)
        # Known people may reach it by any name of the machine, or by that of a proxy.
        by_any_name = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        app = server.streamable_http_app(
            auth=auth, token_verifier=KnownNames(), transport_security=by_any_name
        )
    app.add_middleware(BoundedBodies, most_bytes=MOST_BYTES, refusal=_refused)
    app.add_middleware(NamedPerson, signed_in=signed_in)
    return app


def _refused(status: int, reason: str) -> ASGIApp:
    return PlainTextResponse(reason, status)


async def _asked(opened: Opened, arguments: Mapping[str, Any]) -> str:
    question, conversation = arguments.get("question"), arguments.get("conversation", "")
    unknown = arguments.keys() - ASK.input_schema["properties"].keys()
    if unknown or not isinstance(question, str) or not isinstance(conversation, str):
        raise RefusedError(
            "Give the question, and the conversation if there is one, as text, and nothing else."
        )
    answered = await opened.assistant.ask(_person(), question, conversation)
    answer, notice = answered.answer, opened.assistant.notice_for(_person())
    replied = {
        "conversation": answered.conversation,
        "answer": answer.text or None,
        "problem": answer.problem or None,
        **({"caution": answer.caution} if answer.caution else {}),
        "queries": [
            {
                "sql": query.sql,
                "columns": query.headings,
                "rows": query.rows,
                "is_cut_off": query.is_cut_off,
            }
            for query in answer.queries
        ],
        "is_over": answer.is_over,
        **({"notice": notice} if notice else {}),
    }
    return orjson.dumps(replied, default=str).decode()


def _person() -> str:
    token = get_access_token()
    return token.client_id if token is not None else LOCAL


def _text(text: str, *, is_error: bool = False) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text)], is_error=is_error)
