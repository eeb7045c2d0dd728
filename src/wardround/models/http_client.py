"""A client for OpenAI-compatible servers that uses less CPU than the usual one.

With hundreds of conversations at once, the usual client spends most of its time on three things:
checking all messages against their type annotations, building the same headers and URL for each
request, and searching one pool of all connections.
"""

from functools import cached_property
from typing import Any
from urllib.request import getproxies

import httpx2
import orjson
from openai import APIConnectionError, AsyncOpenAI, NotGiven, Omit
from openai.resources.chat import AsyncChat
from openai.resources.chat.completions import AsyncCompletions
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion
from pydantic import ValidationError

from wardround.models.bounds import tokens
from wardround.models.exchange import USED_TOKENS


class LeanOpenAI(AsyncOpenAI):
    """An OpenAI client for many conversations at once, without retries of its own."""

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
        """Sends the request body without validation; it contains JSON values only."""
        client = self._client
        fields = {k: v for k, v in body.items() if v is not None and not _is_omitted(v)}
        request = httpx2.Request(
            "POST",
            client.address,
            headers={**client.fixed_headers, **extra_headers},
            content=orjson.dumps(fields),
        )
        try:
            response = await client.http.send(request)
        except httpx2.HTTPError as error:
            raise APIConnectionError(request=request) from error
        if not response.is_success:
            raise client._make_status_error_from_response(response)
        completion = _read(response.content)
        used = _used(getattr(completion, "usage", None))
        token_counts = USED_TOKENS.get(None)
        if token_counts is not None and used is not None:
            token_counts.append(used)
        completion.usage = None if used is None else _usage(*used)
        return completion


def _used(reported: Any) -> tuple[int | None, int | None] | None:
    """The tokens read and written by a completion; None if none are reported."""
    fields = reported if isinstance(reported, dict) else getattr(reported, "__dict__", None)
    if not fields:
        return None
    return tokens(fields.get("prompt_tokens")), tokens(fields.get("completion_tokens"))


def _usage(read: int | None, written: int | None) -> CompletionUsage:
    """The usage in the form of OpenAI's client, which cannot say that a count is unknown."""
    read, written = read or 0, written or 0
    return CompletionUsage(
        prompt_tokens=read, completion_tokens=written, total_tokens=read + written
    )


def _is_omitted(value: object) -> bool:
    return isinstance(value, (Omit, NotGiven))


def _read(content: bytes) -> ChatCompletion:
    """The completion; if it deviates from OpenAI's types it is read without validation."""
    try:
        return ChatCompletion.model_validate_json(content)
    except ValidationError:
        return ChatCompletion.construct(**orjson.loads(content))


class ConnectionStack(httpx2.AsyncBaseTransport):
    """A pool of connections for one request each at a time, last used first."""

    def __init__(self) -> None:
        self._ssl = httpx2.create_ssl_context()
        self._idle: list[httpx2.AsyncHTTPTransport] = []
        self._all: list[httpx2.AsyncHTTPTransport] = []

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Sends a request over the most recently used idle connection, or a new one."""
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
    """The HTTP client; behind a proxy with the standard transport, which honours NO_PROXY."""
    transport = None if getproxies() else ConnectionStack()
    # Each request has its own deadline; connecting has a shorter one.
    timeout = httpx2.Timeout(None, connect=10.0)
    return httpx2.AsyncClient(transport=transport, timeout=timeout, follow_redirects=True)
