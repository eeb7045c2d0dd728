"""OpenAI-compatible servers at little CPU: a client that spares what the usual one repeats.

Three things take most of the usual client's time when hundreds of conversations run at once:
walking all messages of a conversation against their type annotations at every request, building
each request's headers and address anew, and searching one pool of all connections.
"""

from functools import cached_property
from typing import Any
from urllib.request import getproxies

import httpx2
import orjson
from openai import APIConnectionError, AsyncOpenAI, NotGiven, Omit
from openai.resources.chat import AsyncChat
from openai.resources.chat.completions import AsyncCompletions
from openai.types.chat import ChatCompletion
from pydantic import ValidationError


class LeanOpenAI(AsyncOpenAI):
    """The OpenAI client without retries of its own, for many conversations at once."""

    def __init__(self, base_url: str, api_key: str) -> None:
        self.http = _http_client()
        super().__init__(base_url=base_url, api_key=api_key, max_retries=0, http_client=self.http)
        self.address = httpx2.URL(base_url.rstrip("/") + "/chat/completions")
        self.fixed_headers = {
            "content-type": "application/json",
            "authorization": f"Bearer {api_key}",
        }

    @cached_property
    def chat(self) -> "_LeanChat":
        """The chat endpoints."""
        return _LeanChat(self)


class _LeanChat(AsyncChat):
    @cached_property
    def completions(self) -> "_LeanCompletions":
        return _LeanCompletions(self._client)


class _LeanCompletions(AsyncCompletions):
    _client: LeanOpenAI

    async def create(  # type: ignore[override]
        self, *, extra_headers: dict[str, str], **body: Any
    ) -> ChatCompletion:
        """Sends the request body as it is: it holds JSON values already."""
        client = self._client
        given = {k: v for k, v in body.items() if v is not None and not _left_out(v)}
        request = httpx2.Request(
            "POST",
            client.address,
            headers={**client.fixed_headers, **extra_headers},
            content=orjson.dumps(given),
        )
        try:
            response = await client.http.send(request)
        except httpx2.HTTPError as error:
            raise APIConnectionError(request=request) from error
        if not response.is_success:
            raise client._make_status_error_from_response(response)
        return _read(response.content)


def _left_out(value: object) -> bool:
    return isinstance(value, (Omit, NotGiven))


def _read(content: bytes) -> ChatCompletion:
    """The completion; servers that stray from the standard's types are read without checking."""
    try:
        return ChatCompletion.model_validate_json(content)
    except ValidationError:
        return ChatCompletion.construct(**orjson.loads(content))


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
    timeout = httpx2.Timeout(None, connect=10.0)
    return httpx2.AsyncClient(transport=transport, timeout=timeout, follow_redirects=True)
