"""Messages between wardround and the process of a test program.

What comes from the program is JSON, so that whatever it has become it can send nothing but data.
"""

import json
import pickle
from socket import socket
from time import monotonic
from typing import Any

_HEAD = 4
MOST_BYTES = 16 << 20


class GarbledError(Exception):
    """The program sent what is no message."""


def ask(channel: socket, *message: object) -> Any:
    """Send a request from the program's side, and await its answer.

    Raises:
        EOFError: If the other side has closed.
    """
    tell(channel, *message)
    return pickle.loads(_read(channel))  # noqa: S301 - it comes from wardround


def tell(channel: socket, *message: object) -> None:
    """Send from the program's side what awaits no answer."""
    _send(channel, json.dumps(message).encode())


def answer(channel: socket, value: object) -> None:
    """Send an answer to the program."""
    _send(channel, pickle.dumps(value, pickle.HIGHEST_PROTOCOL))


def receive(channel: socket, ends: float) -> list[Any]:
    """The next request of a program.

    Args:
        channel: Where it comes.
        ends: Until when to wait, by the monotonic clock.

    Raises:
        EOFError: If the program has ended.
        TimeoutError: If none came.
        GarbledError: If it is none.
    """
    body = _read(channel, ends)
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise GarbledError from error
    if not isinstance(message, list) or not message:
        raise GarbledError
    return message


def _send(channel: socket, body: bytes) -> None:
    channel.sendall(len(body).to_bytes(_HEAD, "big") + body)


def _read(channel: socket, ends: float | None = None) -> bytes:
    size = int.from_bytes(_exactly(channel, _HEAD, ends), "big")
    if ends is not None and size > MOST_BYTES:
        raise GarbledError
    return _exactly(channel, size, ends)


def _exactly(channel: socket, size: int, ends: float | None) -> bytes:
    whole = bytearray()
    while len(whole) < size:
        if ends is not None:
            channel.settimeout(max(0.001, ends - monotonic()))
        part = channel.recv(min(size - len(whole), 1 << 20))
        if not part:
            raise EOFError
        whole += part
    return bytes(whole)
