"""Messages between a process that asks and the process that runs statements."""

import pickle
from io import BytesIO
from socket import socket
from typing import Any

_HEAD = 4


class _Plain(pickle.Unpickler):
    """Reads plain data only: whatever the other side has become, it cannot run code here."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"{module}.{name} is no plain data")


def send(channel: socket, *message: object) -> None:
    """Send a message of plain data: texts, numbers, bytes, tuples, lists, dicts."""
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    channel.sendall(len(body).to_bytes(_HEAD, "big") + body)


def receive(channel: socket) -> tuple[Any, ...]:
    """The next message.

    Raises:
        EOFError: If the other side has closed.
        TimeoutError: If none began within the channel's timeout.
    """
    head = channel.recv(_HEAD)
    channel.settimeout(None)
    head += _exactly(channel, _HEAD - len(head)) if head else b""
    if not head:
        raise EOFError
    body = _exactly(channel, int.from_bytes(head, "big"))
    message: tuple[Any, ...] = _Plain(BytesIO(body)).load()
    return message


def _exactly(channel: socket, size: int) -> bytes:
    whole = bytearray()
    while len(whole) < size:
        part = channel.recv(min(size - len(whole), 1 << 20))
        if not part:
            raise EOFError
        whole += part
    return bytes(whole)
