"""Runs a test program in a process of its own, and the SQL that it asks for."""

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
    """The result of a test program.

    Attributes:
        state: `passed`, `failed` when it says that the state is not what was wanted, `broken` when
            it could not say it.
        reason: What is wrong, in words that hold nothing of the database.
        error: Why the first of the agent's statements that failed did.
        done: The agent's statements before that one.
        gaps: Limits that could not be enforced on this system.
        line: The program's line at which it ended; 0 if there is none.
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
    queries = _Queries(start, submitted)
    try:
        program = read_program(source)
    except SyntaxError as error:
        return queries.checked("broken", f"it is no test program: {error}")
    if not program.runs_statements:
        queries.execute(list(submitted))
    with processes.process() as process:
        dialogue = _Dialogue(process, queries, bounds)
        try:
            return dialogue.checked(program, submitted, gold)
        except TimeoutError:
            return queries.checked("broken", dialogue.too_long)
        except channel.GarbledError:
            return queries.checked("broken", "it sent what is no message")
        except (EOFError, OSError):
            return queries.checked("broken", _how_ended(process.end(), bounds))


class _Dialogue:
    """The requests of one program, and the answers."""

    def __init__(self, process: ForkedProcess, queries: "_Queries", bounds: Bounds) -> None:
        self._channel = process.channel
        self._queries = queries
        self._bounds = bounds
        self._ends = monotonic() + bounds.whole

    def checked(self, program: Program, submitted: Sequence[str], gold: Sequence[str]) -> Checked:
        """Answer the program's requests until it reports how it went."""
        bounds = (self._bounds.computing, self._bounds.silent, self._bounds.whole)
        begin = ((*bounds, self._bounds.memory), program.source, list(submitted), list(gold))
        while True:
            silent = monotonic() + self._bounds.silent
            request, *given = channel.receive(self._channel, min(self._ends, silent))
            match request, given:
                case "begin", []:
                    reply: object = (*begin, self._queries.name, program.rolls_back)
                case "execute", [list(texts)]:
                    reply = self._queries.execute(texts)
                case "soften", [str(what), list(texts)]:
                    reply = [softened(str(text), (what,)).sql for text in texts]
                case "end", [
                    ("passed" | "failed" | "broken") as state,
                    str(raised),
                    int(line),
                    list(gaps),
                ]:
                    ended = self._queries.checked(state, _where(state, raised, line))
                    return replace(ended, gaps=tuple(gaps), line=line)
                case _:
                    raise channel.GarbledError
            channel.answer(self._channel, reply)

    @property
    def too_long(self) -> str:
        """The reason given for a program that did not end."""
        if monotonic() >= self._ends:
            return f"it took more than {self._bounds.whole:g} s"
        return f"it did nothing for {self._bounds.silent:g} s"


class _Queries:
    """Runs SQL for a program, and records how the agent's statements go."""

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
        """Run texts of statements: their last result, or why one failed.

        Settings that the agent's statements made in the session are then reset: the program is
        to see what they have written.
        """
        statements = [each for text in texts for each in split_statements(str(text))]
        ran = run_statements(self._start.workspace, statements, self._start.seconds)
        if any(map(self._indexes, statements)):
            run_statements(self._start.workspace, AS_LOOKED_AT, self._start.seconds)
        if ran.error is None:
            last = ran.last
            columns, rows = (last.columns, last.rows) if last else ((), [])
            return ("rows", columns, rows, ran.changed)
        self._record_failure(statements[len(ran.done)], ran)
        return ("error", ran.error.kind == "timeout", ran.state, str(ran.error))

    def checked(self, state: State, reason: str) -> Checked:
        """The result, with how the agent's statements went."""
        return Checked(state, reason, self._error, self._done)

    def _record_failure(self, failed: str, ran: Ran) -> None:
        """Record a failed statement, if it is the first of the agent's."""
        indexes = self._indexes(failed)
        if indexes and self._error is None:
            self._error = ran.error
            self._done = self._submitted[: indexes[0]]

    def _indexes(self, statement: str) -> list[int]:
        """The indexes of a statement among the agent's."""
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
