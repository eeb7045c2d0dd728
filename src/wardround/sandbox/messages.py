"""Messages over a socket: four bytes of length, then the body.

A body is bytes. `send` and `receive` pickle plain data only, so that an untrusted process cannot
send code.
"""

import pickle
from io import BytesIO
from socket import MSG_PEEK, socket
from time import monotonic
from typing import Any

_HEAD = 4
_CHUNK = 1 << 20


class OversizedError(Exception):
    """A message is larger than the reader's limit."""


class _PlainUnpickler(pickle.Unpickler):
    """Unpickles plain data only, so that a compromised process cannot run code here."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} is not plain data")


def send(channel: socket, *message: object) -> None:
    """Send a message of plain data: texts, numbers, bytes, tuples, lists, dicts."""
    send_body(channel, pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


def receive(channel: socket, seconds: float | None = None) -> tuple[Any, ...]:
    """Return the next message of plain data.

    Args:
        channel: The socket.
        seconds: Timeout for the beginning of the message; None waits forever.

    Raises:
        EOFError: If the other side has closed.
        TimeoutError: If no message began in time.
    """
    channel.settimeout(seconds)
    channel.recv(1, MSG_PEEK)
    channel.settimeout(None)
    message: tuple[Any, ...] = _PlainUnpickler(BytesIO(receive_body(channel))).load()
    return message


def send_body(channel: socket, body: bytes) -> None:
    """Send the bytes of one message."""
    channel.sendall(len(body).to_bytes(_HEAD, "big") + body)


def receive_body(
    channel: socket, *, deadline: float | None = None, most_bytes: int | None = None
) -> bytes:
    """Return the bytes of the next message.

    Args:
        channel: The socket.
        deadline: Deadline for the complete message, on the monotonic clock; None uses the
            socket's own timeout.
        most_bytes: Maximum size.

    Raises:
        EOFError: If the other side has closed.
        TimeoutError: If it did not come in time.
        OversizedError: If it is too large.
    """
    size = int.from_bytes(_read_exactly(channel, _HEAD, deadline), "big")
    if most_bytes is not None and size > most_bytes:
        raise OversizedError
    return _read_exactly(channel, size, deadline)


def _read_exactly(channel: socket, size: int, deadline: float | None) -> bytes:
    received = bytearray()
    while len(received) < size:
        if deadline is not None:
            channel.settimeout(max(0.001, deadline - monotonic()))
        part = channel.recv(min(size - len(received), _CHUNK))
        if not part:
            raise EOFError
        received += part
    return bytes(received)
