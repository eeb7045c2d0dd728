"""OpenAI-compatible servers at little CPU: a client that spares what the usual one repeats.

Two things take most of the usual client's time when hundreds of conversations run at once: walking
all messages of a conversation against their type annotations at every request, and searching one
pool of all connections.
"""

from functools import cached_property
from typing import Any
from urllib.request import getproxies

import httpx2
from openai import NOT_GIVEN, AsyncOpenAI, NotGiven, Omit
from openai._base_client import make_request_options
from openai.resources.chat import AsyncChat
from openai.resources.chat.completions import AsyncCompletions
from openai.types.chat import ChatCompletion


class LeanOpenAI(AsyncOpenAI):
    """The OpenAI client without retries of its own, for many conversations at once."""

    def __init__(self, base_url: str, api_key: str) -> None:
        super().__init__(
            base_url=base_url, api_key=api_key, max_retries=0, http_client=_http_client()
        )

    @cached_property
    def chat(self) -> "_LeanChat":
        """The chat endpoints."""
        return _LeanChat(self)


class _LeanChat(AsyncChat):
    @cached_property
    def completions(self) -> "_LeanCompletions":
        return _LeanCompletions(self._client)


class _LeanCompletions(AsyncCompletions):
    async def create(  # type: ignore[override]
        self, *, extra_headers: Any, extra_body: Any, stream: bool, **body: Any
    ) -> ChatCompletion:
        """Sends the request body as it is: it holds JSON values already."""
        given = {k: v for k, v in body.items() if not isinstance(v, (Omit, NotGiven))}
        options = make_request_options(
            timeout=given.pop("timeout", NOT_GIVEN),
            extra_headers=extra_headers,
            extra_body=extra_body,
            security={"bearer_auth": True},
        )
        return await self._post(
            "/chat/completions", body=given, options=options, cast_to=ChatCompletion
        )


class OneByOne(httpx2.AsyncBaseTransport):
    """Connections that each carry one request at a time, taken from and laid back on a pile."""

    def __init__(self) -> None:
        self._ssl = httpx2.create_ssl_context()
        self._idle: list[httpx2.AsyncHTTPTransport] = []
        self._all: list[httpx2.AsyncHTTPTransport] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Sends a request over the connection that was used last."""
        connection = self._idle.pop() if self._idle else self._open()
        try:
            return await connection.handle_async_request(request)
        finally:
            self._idle.append(connection)

    async def aclose(self) -> None:
        """Closes all connections."""
        for connection in self._all:
            await connection.aclose()

    def _open(self) -> httpx2.AsyncHTTPTransport:
        limits = httpx2.Limits(keepalive_expiry=60.0)
        self._all.append(httpx2.AsyncHTTPTransport(verify=self._ssl, limits=limits))
        return self._all[-1]


def _http_client() -> httpx2.AsyncClient:
    """Behind a proxy, the usual transport: it knows which hosts to reach without one."""
    transport = None if getproxies() else OneByOne()
    # The deadline of a whole request is set with the request; connecting gets less.
    return httpx2.AsyncClient(transport=transport, timeout=httpx2.Timeout(None, connect=10.0))
