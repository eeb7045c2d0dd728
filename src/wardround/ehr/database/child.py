"""The process that runs statements: what a statement does to it, it does to no one else."""

import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from socket import socket
from threading import Lock, Thread
from typing import Any, Protocol

from wardround.core.errors import UserError
from wardround.ehr.database.interface import Limits, QueryError, ResultTable
from wardround.ehr.database.messages import receive, send


class Statements(Protocol):
    """An open database in this process; `module:function` names what opens one.

    The function takes the file's path and the limits.
    """

    def run(self, sql: str, rows: int | None) -> ResultTable:
        """Run one statement.

        Raises:
            QueryError: If it gives no result.
        """

    def interrupt(self) -> None:
        """Stop what runs; called from another thread."""

    def close(self) -> None:
        """Let go of the file."""


class Child:
    """Answers requests one after the other until the other side closes."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running = 0
        self._statements: Statements | None = None
        self._data_bytes = 0

    def serve(self, channel: socket) -> None:
        """Answer every request: its number, what to do, and with what."""
        while True:
            number, name, *arguments = receive(channel)
            with self._numbered(number):
                answer = self._answer(name, arguments)
            send(channel, *answer)

    def obey(self, numbers: Iterator[bytes]) -> None:
        """Interrupt each statement whose number comes; end when the other side is gone."""
        for number in numbers:
            with self._lock:
                if self._statements and self._running == int(number):
                    self._statements.interrupt()
        os._exit(0)

    @contextmanager
    def _numbered(self, number: int) -> Iterator[None]:
        with self._lock:
            self._running = number
        try:
            yield
        finally:
            with self._lock:
                self._running = 0

    def _answer(self, name: str, arguments: list[Any]) -> tuple[object, ...]:
        try:
            return ("done", *getattr(self, f"_{name}")(*arguments))
        except QueryError as error:
            return ("failed", str(error), error.kind)
        except UserError as error:
            return ("refused", str(error))
        except MemoryError:
            return ("failed", "The query needs too much memory; ask for less at once.", "limit")

    def _open(
        self, opener: str, path: str, limits: dict[str, int], file_bytes: int
    ) -> tuple[object, ...]:
        """Open a file; from then on no file can be written beyond so many bytes."""
        module, _, function = opener.partition(":")
        open_statements = getattr(import_module(module), function)
        _bound(resource.RLIMIT_FSIZE, resource.RLIM_INFINITY)
        self._statements = open_statements(path, Limits(**limits))
        self._data_bytes = _data_bytes()
        _bound(resource.RLIMIT_FSIZE, file_bytes)
        return ()

    def _run(self, sql: str, rows: int | None, memory: int) -> tuple[object, ...]:
        if self._data_bytes:
            _bound(resource.RLIMIT_DATA, self._data_bytes + memory)
        if self._statements is None:
            raise UserError("No database is open in this process.")
        table = self._statements.run(sql, rows)
        return (table.columns, table.rows, table.truncated, table.changed)

    def _close(self) -> tuple[object, ...]:
        if self._statements:
            self._statements.close()
            self._statements = None
        return ()


def _bound(which: int, most: int) -> None:
    _, hard = resource.getrlimit(which)
    resource.setrlimit(which, (most, hard))


def _data_bytes() -> int:
    """What this process holds already, on systems that bound it; 0 elsewhere."""
    statistics = Path("/proc/self/statm")
    if not statistics.exists():
        return 0
    return int(statistics.read_text().split()[5]) * resource.getpagesize()


def main(channel: int) -> None:
    """Run statements for the process at the other end of a socket and of the standard input."""
    child = Child()
    Thread(target=child.obey, args=[iter(sys.stdin.buffer.readline, b"")], daemon=True).start()
    with socket(fileno=channel) as requests:
        child.serve(requests)
