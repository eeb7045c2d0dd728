"""Runs a test program in a separate process and answers its requests for SQL."""

import signal
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from time import monotonic
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias

from wardround.sandbox.fork_server import ForkedProcess, ForkServer
from wardround.sandbox.lockdown import Bounds
from wardround.sandbox.test_programs import channel
from wardround.sandbox.test_programs.program import Program

State: TypeAlias = Literal["passed", "failed", "broken"]


class Database(Protocol):
    """The database as a test program reaches it."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    def execute(self, texts: Sequence[str]) -> tuple[object, ...]:
        """Runs texts of statements.

        Returns:
            "rows", the columns, the rows and the number of changed rows of the last result; or
            "error", whether it was a timeout, PostgreSQL's code and the message.
        """
        ...

    def rewrite(self, name: str, texts: Sequence[str]) -> list[str]:
        """Texts of SQL after the rewriting of a name."""
        ...


@dataclass(frozen=True, slots=True)
class Finished:
    """The outcome of a test program.

    Attributes:
        state: `passed`, `failed` if the state is not what was wanted, `broken` if the program
            could not tell.
        reason: what is wrong, in words that hold nothing of the database.
        gaps: limits that could not be enforced on this system.
        line: the program's line at which it ended; 0 if there is none.
    """

    state: State
    reason: str
    gaps: tuple[str, ...] = ()
    line: int = 0


def run_program(
    program: Program,
    statements: tuple[Sequence[str], Sequence[str]],
    database: Database,
    processes: ForkServer,
    bounds: Bounds,
    values: Mapping[str, object] = MappingProxyType({}),
) -> Finished:
    """Runs a test program on a database; what it does there stays.

    Args:
        program: the program.
        statements: the agent's and the gold's.
        database: where its SQL runs.
        processes: where it runs itself; its entry calls `serve_programs`.
        bounds: how much it may use.
        values: further global names of the program.

    Raises:
        InfraError: no process can be made.
    """
    with processes.process() as process:
        dialogue = _Dialogue(process, database, bounds)
        try:
            return dialogue.finished(program, statements, values)
        except TimeoutError:
            return Finished("broken", dialogue.too_long)
        except channel.GarbledError:
            return Finished("broken", "it sent what is no message")
        except (EOFError, OSError):
            return Finished("broken", _how_ended(process.end(), bounds))


class _Dialogue:
    """The requests of one program, and the answers."""

    def __init__(self, process: ForkedProcess, database: Database, bounds: Bounds) -> None:
        self._channel = process.channel
        self._database = database
        self._bounds = bounds
        self._ends = monotonic() + bounds.whole

    def finished(
        self,
        program: Program,
        statements: tuple[Sequence[str], Sequence[str]],
        values: Mapping[str, object],
    ) -> Finished:
        """Answers the program's requests until it reports how it went."""
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
                    return Finished(state, _where(state, error, line), tuple(gaps), line)
                case _:
                    raise channel.GarbledError
            channel.answer(self._channel, reply)

    @property
    def too_long(self) -> str:
        """The reason given for a program that did not end."""
        if monotonic() >= self._ends:
            return f"it took more than {self._bounds.whole:g} s"
        return f"it did nothing for {self._bounds.silent:g} s"


def _finished(state: State, details: list[Any]) -> Finished:
    match details:
        case [str(error), int(line), list(gaps)]:
            return Finished(state, _where(state, error, line), tuple(gaps), line)
    raise channel.GarbledError


def _where(state: State, raised: str, line: int) -> str:
    if state == "passed":
        return ""
    place = f" in line {line}" if line else ""
    if state == "broken":
        return f"{raised}{place}"
    return f"it ends with {raised}{place}" if raised else "it returns that it failed"


def _how_ended(status: int, bounds: Bounds) -> str:
    by = status & 0x7F
    if by == signal.SIGXCPU:
        return f"it computed for more than {bounds.computing} s"
    if by and by != signal.SIGKILL:
        return f"its process ended with {signal.Signals(by).name}"
    return "it ended its process without saying how the test went"
