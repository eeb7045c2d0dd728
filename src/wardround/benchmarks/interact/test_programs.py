"""Test programs on a trial's database; only here do programs check what an agent wrote."""

from collections.abc import Sequence
from dataclasses import dataclass

from wardround.benchmarks.interact.test_program_names import RUNNERS
from wardround.ehr.database import QueryError
from wardround.ehr.database.postgres.statement_splitter import split_statements
from wardround.ehr.database.postgres.statements import AS_LOOKED_AT, Ran, Start, run_statements
from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.lockdown import Bounds
from wardround.sandbox.test_programs.program import read_program
from wardround.sandbox.test_programs.run import Finished, run_program
from wardround.scoring.sql_normalization import softened

_ENTRY = "wardround.benchmarks.interact.test_program_names:main"
_BOUNDS = Bounds()


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a test program.

    Attributes:
        finished: how the program ended.
        error: why the first of the agent's statements that failed did.
        done: the agent's statements before that one.
    """

    finished: Finished
    error: QueryError | None
    done: tuple[str, ...]


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
    """Runs a test program on the database as it is; what it does there stays.

    A program that hands the agent's statements on to nothing that runs SQL finds them run.

    Args:
        source: the program.
        submitted: the agent's statements.
        gold: the gold statements.
        start: the database, in the state before the agent's statements.
        processes: where it runs.
        bounds: how much it may use.

    Raises:
        InfraError: the server failed, or no process can be made.
    """
    queries = _Queries(start, submitted)
    try:
        program = read_program(source, RUNNERS)
    except SyntaxError as error:
        return queries.checked(Finished("broken", f"it is no test program: {error}"))
    if not program.runs_statements:
        queries.execute(submitted)
    return queries.checked(run_program(program, submitted, gold, queries, processes, bounds))


class _Queries:
    """Runs SQL for a program, and records how the agent's statements go."""

    def __init__(self, start: Start, submitted: Sequence[str]) -> None:
        self.name = start.workspace.name
        self._start = start
        self._submitted = tuple(submitted)
        self._error: QueryError | None = None
        self._done = self._submitted

    def execute(self, texts: Sequence[str]) -> tuple[object, ...]:
        """Runs texts of statements; see `sandbox.test_programs.run.Database`.

        Settings that the agent's statements made in the session are then reset: the program is
        to see what they have written.
        """
        statements = [each for text in texts for each in split_statements(text)]
        ran = run_statements(self._start.workspace, statements, self._start.seconds)
        if any(map(self._indexes, statements)):
            run_statements(self._start.workspace, AS_LOOKED_AT, self._start.seconds)
        if ran.error is None:
            columns, rows = (ran.last.columns, ran.last.rows) if ran.last else ((), [])
            return ("rows", columns, rows, ran.changed)
        self._record_failure(statements[len(ran.done)], ran)
        return ("error", ran.error.kind == "timeout", ran.state, str(ran.error))

    def rewrite(self, name: str, texts: Sequence[str]) -> list[str]:
        """Texts without what a name stands for: comments, DISTINCT or ROUND."""
        return [softened(text, (name,)).sql for text in texts]

    def checked(self, finished: Finished) -> Checked:
        """The result, with how the agent's statements went."""
        return Checked(finished, self._error, self._done)

    def _record_failure(self, failed: str, ran: Ran) -> None:
        """Records a failed statement, if it is the first of the agent's."""
        indexes = self._indexes(failed)
        if indexes and self._error is None:
            self._error = ran.error
            self._done = self._submitted[: indexes[0]]

    def _indexes(self, statement: str) -> list[int]:
        """The indexes of a statement among the agent's."""
        return [index for index, each in enumerate(self._submitted) if _same(each, statement)]


def _same(written: str, run: str) -> bool:
    return run in (written, softened(written).sql, softened(written, ("comments",)).sql)
