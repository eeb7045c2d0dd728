"""Messages between wardround and the process of a test program.

The program's side sends JSON, so that even a compromised process can send data only.
"""

import json
import pickle
from socket import socket
from typing import Any

from wardround.sandbox.messages import OversizedError, receive_body, send_body

MOST_BYTES = 16 << 20


class GarbledError(Exception):
    """The program sent an invalid message."""


def ask(channel: socket, *message: object) -> Any:
    """Send a request from the program's side and wait for the answer.

    Raises:
        EOFError: If the other side has closed.
    """
    tell(channel, *message)
    return pickle.loads(receive_body(channel))  # noqa: S301 - it comes from wardround


def tell(channel: socket, *message: object) -> None:
    """Send a message from the program's side without waiting for an answer."""
    send_body(channel, json.dumps(message).encode())


def answer(channel: socket, value: object) -> None:
    """Send an answer to the program."""
    send_body(channel, pickle.dumps(value, pickle.HIGHEST_PROTOCOL))


def receive(channel: socket, deadline: float) -> list[Any]:
    """Return the next request of a program.

    Args:
        channel: The socket.
        deadline: The deadline, on the monotonic clock.

    Raises:
        EOFError: If the program has ended.
        TimeoutError: If no request arrived in time.
        GarbledError: If the message is not a request.
    """
    try:
        message = json.loads(receive_body(channel, deadline=deadline, most_bytes=MOST_BYTES))
    except (OversizedError, ValueError, RecursionError) as error:
        raise GarbledError from error
    if not isinstance(message, list) or not message:
        raise GarbledError
    return message
