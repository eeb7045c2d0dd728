"""Serves an application over HTTP, and ends what is too large or too slow before it is read."""

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from wardround.core.errors import UserError

HEADER_SECONDS = 10.0
BODY_SECONDS = 30.0
# The time that requests have to end by themselves once the server is told to end.
LAST_SECONDS = 30
_BACKLOG = 2048
# Bodies of the largest size that all requests together may hold.
_HELD_BODIES = 4
# The ASGI application that refuses a request, made from its status and reason.
Refusal = Callable[[int, str], ASGIApp]


class BoundedBodies:
    """Reads each body before the application sees the request, within a size and a time.

    A request that says that its body is larger is refused before any of it is read. All bodies
    that are held at once have a bound too.

    Args:
        app: the application.
        most_bytes: the largest body.
        refusal: makes the answer to a request that is refused.
        seconds: the longest time that a body may take.
    """

    def __init__(
        self, app: ASGIApp, most_bytes: int, refusal: Refusal, seconds: float = BODY_SECONDS
    ) -> None:
        self._app = app
        self._most = most_bytes
        self._held = 0
        self._refusal = refusal
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = bytearray()
        try:
            if await self._read(body, scope, receive):
                await self._app(scope, _replayed(bytes(body), receive), send)
        except _RefusedError as refused:
            answer = self._refusal(refused.status, str(refused))
            await answer(scope, receive, _closing(send))
        finally:
            self._held -= len(body)

    async def _read(self, body: bytearray, scope: Scope, receive: Receive) -> bool:
        """Read the whole body; returns False if the client went away.

        Raises:
            _RefusedError: it is too large or too slow, or too many others are being read.
        """
        sizes = [value for name, value in scope["headers"] if name == b"content-length"]
        if any(value.isdigit() and int(value[:20]) > self._most for value in sizes):
            raise self._too_large()
        try:
            async with asyncio.timeout(self._seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return False
                    part = message.get("body", b"")
                    body += part
                    self._held += len(part)
                    if len(body) > self._most:
                        raise self._too_large()
                    if self._held > _HELD_BODIES * self._most:
                        raise _RefusedError(503, "Too many bodies arrive at once; try it later.")
                    if not message.get("more_body", False):
                        return True
        except TimeoutError:
            raise _RefusedError(408, "The body came too slowly; send it again.") from None

    def _too_large(self) -> "_RefusedError":
        return _RefusedError(413, f"The body is larger than {self._most:,} bytes.")


class _RefusedError(Exception):
    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class TimedProtocol(H11Protocol):
    """HTTP whose connections are closed when a request's headers take too long."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begins to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops waiting."""
        self._stop()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Stops waiting once the headers of a request are whole."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._stop()

    def on_response_complete(self) -> None:
        """Waits for the next request, unless its headers came with the last one."""
        before = self.cycle
        super().on_response_complete()
        if self.cycle is before and not self.transport.is_closing():
            self._wait()

    def _wait(self) -> None:
        self._stop()
        self._waiting = self.loop.call_later(HEADER_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def run_server(app: ASGIApp, host: str, port: int, announce: Callable[[], None]) -> None:
    """Serves an application until it is interrupted; see `serve_app`."""
    run_until_interrupted(serve_app(app, host, port, announce))


def run_until_interrupted(serving: Coroutine[Any, Any, None]) -> None:
    """Runs a server in a new event loop; an interrupt or a request to end is its usual end."""
    # The HTTP server raises a signal again once it has stopped, and what is open has to be closed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        asyncio.run(serving)


async def serve_app(app: ASGIApp, host: str, port: int, announce: Callable[[], None]) -> None:
    """Serves an application in the running event loop until it is interrupted.

    Args:
        app: the application.
        host: the address to listen on.
        port: its port.
        announce: called once connections are accepted.

    Raises:
        UserError: the address is taken, or is not this machine's.
        KeyboardInterrupt: it was interrupted.
    """
    # Request addresses contain search terms, so they are not logged.
    config = Config(
        app,
        http=TimedProtocol,
        ws="none",
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=LAST_SECONDS,
    )
    server = Server(config)
    with _listening(host, port) as listener:
        announce()
        try:
            await server.serve(sockets=[listener])
        except asyncio.CancelledError:
            # Its connections are closed at once, and not left to the garbage collector.
            if server.started:
                server.force_exit = True
                await server.shutdown(sockets=[listener])
            raise


def _listening(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), family=_family(host), backlog=_BACKLOG)
    except OSError as error:
        raise UserError(
            f"{host}:{port} cannot be listened on ({_reason(error)}); choose another "
            "--port or --host."
        ) from None


def _reason(error: OSError) -> str:
    # The exception's own text repeats the address.
    return os.strerror(error.errno) if error.errno else str(error)


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A receive that gives a body that was read already."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def next_message() -> Message:
        return left.pop() if left else await receive()

    return next_message


def _closing(send: Send) -> Send:
    """A send that tells the client that the connection ends with the answer."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message.get("headers", ()), (b"connection", b"close")]
        await send(message)

    return sent
