"""Runs a test program in a process of its own, and does for it what it asks of the database."""

import signal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Literal, TypeAlias

from wardround.benchmarks.interact.sql_normalization import softened
from wardround.benchmarks.interact.test_programs import channel
from wardround.benchmarks.interact.test_programs.program import Program, read_program
from wardround.benchmarks.interact.test_programs.statements import (
    AS_LOOKED_AT,
    Ran,
    Start,
    run_statements,
)
from wardround.ehr.database import QueryError
from wardround.ehr.database.postgres.statement_splitter import split_statements
from wardround.sandbox.fork_server import ForkedProcess, ForkServer
from wardround.sandbox.lockdown import Bounds

State: TypeAlias = Literal["passed", "failed", "broken"]

_BOUNDS = Bounds()
_ENTRY = "wardround.benchmarks.interact.test_programs.program_process:main"


@dataclass(frozen=True, slots=True)
class Checked:
    """How a test program went.

    Attributes:
        state: `passed`, `failed` when it says that the state is not what was wanted, `broken` when
            it could not say it.
        reason: What is wrong, in words that hold nothing of the database.
        error: Why the first of the agent's statements that failed did.
        done: The agent's statements before that one.
        gaps: What could not be kept from the program on this system.
        line: The program's line at which it ended; 0 where it ended at none.
    """

    state: State
    reason: str
    error: QueryError | None
    done: tuple[str, ...]
    gaps: tuple[str, ...] = ()
    line: int = 0


def program_processes() -> ForkServer:
    """The server of processes for test programs."""
    return ForkServer(_ENTRY)


def check(
    source: str,
    submitted: Sequence[str],
    gold: Sequence[str],
    start: Start,
    processes: ForkServer,
    bounds: Bounds = _BOUNDS,
) -> Checked:
    """Run a test program on the database as it is; what it does there stays.

    Args:
        source: The program.
        submitted: The agent's statements.
        gold: The gold statements.
        start: The database, in the state before the agent's statements.
        processes: Where it is run.
        bounds: How much it may use.

    Raises:
        InfraError: The server failed, or no process can be made.
    """
    desk = _Desk(start, submitted)
    try:
        program = read_program(source)
    except SyntaxError as error:
        return desk.checked("broken", f"it is no test program: {error}")
    if not program.runs_statements:
        desk.execute(list(submitted))
    with processes.process() as process:
        talk = _Talk(process, desk, bounds)
        try:
            return talk.checked(program, submitted, gold)
        except TimeoutError:
            return desk.checked("broken", talk.too_long)
        except channel.GarbledError:
            return desk.checked("broken", "it sent what is no message")
        except (EOFError, OSError):
            return desk.checked("broken", _how_ended(process.end(), bounds))


class _Talk:
    """A program's requests, and what it is answered."""

    def __init__(self, process: ForkedProcess, desk: "_Desk", bounds: Bounds) -> None:
        self._channel = process.channel
        self._desk = desk
        self._bounds = bounds
        self._ends = monotonic() + bounds.whole

    def checked(self, program: Program, submitted: Sequence[str], gold: Sequence[str]) -> Checked:
        """How it went, when it has said so."""
        bounds = (self._bounds.computing, self._bounds.silent, self._bounds.whole)
        begin = ((*bounds, self._bounds.memory), program.source, list(submitted), list(gold))
        while True:
            silent = monotonic() + self._bounds.silent
            request, *given = channel.receive(self._channel, min(self._ends, silent))
            match request, given:
                case "begin", []:
                    reply: object = (*begin, self._desk.name, program.rolls_back)
                case "execute", [list(texts)]:
                    reply = self._desk.execute(texts)
                case "soften", [str(what), list(texts)]:
                    reply = [softened(str(text), (what,)).sql for text in texts]
                case "end", [
                    ("passed" | "failed" | "broken") as state,
                    str(raised),
                    int(line),
                    list(gaps),
                ]:
                    ended = self._desk.checked(state, _where(state, raised, line))
                    return replace(ended, gaps=tuple(gaps), line=line)
                case _:
                    raise channel.GarbledError
            channel.answer(self._channel, reply)

    @property
    def too_long(self) -> str:
        """What is said of a program that did not end."""
        if monotonic() >= self._ends:
            return f"it took more than {self._bounds.whole:g} s"
        return f"it did nothing for {self._bounds.silent:g} s"


class _Desk:
    """Runs for a program what it asks for, and notes how the agent's statements do."""

    def __init__(self, start: Start, submitted: Sequence[str]) -> None:
        self._start = start
        self._submitted = tuple(submitted)
        self._error: QueryError | None = None
        self._done = self._submitted

    @property
    def name(self) -> str:
        """The database's name."""
        return self._start.workspace.name

    def execute(self, texts: list[Any]) -> tuple[object, ...]:
        """Run texts of statements; their last result, or why one failed.

        What the agent's set in the session is then forgotten: the program is to see what they
        have written.
        """
        statements = [each for text in texts for each in split_statements(str(text))]
        ran = run_statements(self._start.workspace, statements, self._start.seconds)
        if any(map(self._places, statements)):
            run_statements(self._start.workspace, AS_LOOKED_AT, self._start.seconds)
        if ran.error is None:
            last = ran.last
            columns, rows = (last.columns, last.rows) if last else ((), [])
            return ("rows", columns, rows, ran.changed)
        self._note(statements[len(ran.done)], ran)
        return ("error", ran.error.kind == "timeout", ran.state, str(ran.error))

    def checked(self, state: State, reason: str) -> Checked:
        """How the program went, with how the agent's statements did."""
        return Checked(state, reason, self._error, self._done)

    def _note(self, failed: str, ran: Ran) -> None:
        """Note that a statement failed, if it is the first of the agent's that did."""
        places = self._places(failed)
        if places and self._error is None:
            self._error = ran.error
            self._done = self._submitted[: places[0]]

    def _places(self, statement: str) -> list[int]:
        """Where a statement is among the agent's."""
        return [place for place, each in enumerate(self._submitted) if _same(each, statement)]


def _same(written: str, run: str) -> bool:
    return run in (written, softened(written).sql, softened(written, ("comments",)).sql)


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
