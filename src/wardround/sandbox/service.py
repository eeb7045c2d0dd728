"""The subprocess end of a worker: answers requests and handles interrupts."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from socket import socket
from threading import Lock, Thread
from typing import Any, Protocol

from wardround.sandbox.messages import receive, send


class Service(Protocol):
    """The requests that a worker process answers."""

    def answer(self, name: str, *arguments: Any) -> tuple[object, ...]:
        """Answer a request; arguments and answer are plain data."""

    def interrupt(self) -> None:
        """Stop the work on the current request; called from another thread."""


def serve(channel: socket, interrupts: socket, service: Service) -> None:
    """Answer each request until the other side closes.

    Args:
        channel: The socket of the requests.
        interrupts: The socket on which numbers of requests to interrupt arrive, a line each; the
            process ends when its other side closes.
        service: Answers the requests.
    """
    requests = _Requests(service)
    numbers = iter(interrupts.makefile("rb").readline, b"")
    Thread(target=requests.interrupt_each, args=[numbers], daemon=True).start()
    requests.answer_all(channel)


class _Requests:
    """Requests of one service, answered one at a time."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._lock = Lock()
        self._current = 0

    def answer_all(self, channel: socket) -> None:
        while True:
            number, name, *arguments = receive(channel)
            with self._numbered(number):
                answer = self._service.answer(name, *arguments)
            send(channel, *answer)

    def interrupt_each(self, numbers: Iterator[bytes]) -> None:
        for number in numbers:
            with self._lock:
                if self._current == int(number):
                    self._service.interrupt()
        os._exit(0)

    @contextmanager
    def _numbered(self, number: int) -> Iterator[None]:
        with self._lock:
            self._current = number
        try:
            yield
        finally:
            with self._lock:
                self._current = 0
