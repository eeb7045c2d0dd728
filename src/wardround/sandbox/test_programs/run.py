"""Runs a test program in a separate process and answers its requests for SQL."""

import signal
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from socket import socket
from time import monotonic
from types import MappingProxyType
from typing import Literal, Protocol, TypeAlias

from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.lockdown import Bounds
from wardround.sandbox.test_programs import channel
from wardround.sandbox.test_programs.program import Program

State: TypeAlias = Literal["passed", "failed", "broken"]


class Database(Protocol):
    """The database as seen by a test program."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    def execute(self, texts: Sequence[str]) -> tuple[object, ...]:
        """Runs texts of statements.

        Returns:
            "rows" with the columns, rows and number of changed rows of the last result; or
            "error" with True for a timeout, the SQLSTATE and the message.
        """
        ...

    def rewrite(self, name: str, texts: Sequence[str]) -> list[str]:
        """The texts after the named rewriting."""
        ...


@dataclass(frozen=True, slots=True)
class Finished:
    """The outcome of a test program.

    Attributes:
        state: `passed`, `failed` if the database is in the wrong state, `broken` if the program
            itself failed.
        reason: a description of the failure without values of the database.
        gaps: limits that could not be enforced on this system.
        line: the line at which the program ended; 0 if unknown.
        returned: True if it failed by what it returned, and raised nothing.
    """

    state: State
    reason: str
    gaps: tuple[str, ...] = ()
    line: int = 0
    returned: bool = False


def run_program(
    program: Program,
    statements: tuple[Sequence[str], Sequence[str]],
    database: Database,
    processes: ForkServer,
    bounds: Bounds,
    values: Mapping[str, object] = MappingProxyType({}),
) -> Finished:
    """Runs a test program on a database; its writes are kept.

    Args:
        program: the program.
        statements: the agent's and the gold's.
        database: the database for its SQL.
        processes: the fork server; its entry calls `serve_programs`.
        bounds: the program's limits.
        values: further global names of the program.

    Raises:
        InfraError: no process can be started.
    """
    with processes.process() as (process, requests):
        dialogue = _Dialogue(requests, database, bounds)
        try:
            return dialogue.finished(program, statements, values)
        except TimeoutError:
            return Finished("broken", dialogue.too_long)
        except channel.GarbledError:
            return Finished("broken", "it sent what is not a message")
        except (EOFError, OSError):
            return Finished("broken", _exit_reason(process.end(), bounds))


class _Dialogue:
    """The requests of one program and their answers."""

    def __init__(self, requests: socket, database: Database, bounds: Bounds) -> None:
        self._channel = requests
        self._database = database
        self._bounds = bounds
        self._ends = monotonic() + bounds.whole

    def finished(
        self,
        program: Program,
        statements: tuple[Sequence[str], Sequence[str]],
        values: Mapping[str, object],
    ) -> Finished:
        """Answers the program's requests until it reports its outcome."""
        arguments = (*map(list, statements), self._database.name)
        while True:
            silent = monotonic() + self._bounds.silent
            match channel.receive(self._channel, min(self._ends, silent)):
                case ["begin"]:
                    bounds = astuple(self._bounds)
                    reply: object = (bounds, program, arguments, dict(values))
                case ["execute", list(texts)]:
                    reply = self._database.execute(list(map(str, texts)))
                case ["rewrite", str(name), list(texts)]:
                    reply = self._database.rewrite(name, list(map(str, texts)))
                case [
                    "end",
                    "passed" | "failed" | "broken" as state,
                    str(error),
                    int(line),
                    list(gaps),
                ]:
                    returned = state == "failed" and not error
                    return Finished(state, _where(state, error, line), tuple(gaps), line, returned)
                case _:
                    raise channel.GarbledError
            channel.answer(self._channel, reply)

    @property
    def too_long(self) -> str:
        """The reason for a program that exceeded a time limit."""
        if monotonic() >= self._ends:
            return f"it took more than {self._bounds.whole:g} s"
        return f"it did nothing for {self._bounds.silent:g} s"


def _where(state: State, raised: str, line: int) -> str:
    if state == "passed":
        return ""
    line_text = f" in line {line}" if line else ""
    if state == "broken":
        return f"{raised}{line_text}"
    return f"it ends with {raised}{line_text}" if raised else "it returns that it failed"


def _exit_reason(status: int, bounds: Bounds) -> str:
    by = status & 0x7F
    if by == signal.SIGXCPU:
        return f"it computed for more than {bounds.computing} s"
    if by and by != signal.SIGKILL:
        return f"its process ended with {signal.Signals(by).name}"
    return "it ended its process without saying how the test went"
