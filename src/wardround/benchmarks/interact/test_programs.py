"""Test programs on a trial's database; only here do programs check what an agent wrote."""

from collections.abc import Sequence

from wardround.benchmarks.interact.test_program_names import RESULT, RUNNERS
from wardround.ehr.database.postgres.statement_splitter import split_statements
from wardround.ehr.database.postgres.statements import AS_LOOKED_AT, Start, run_statements
from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.lockdown import Bounds
from wardround.sandbox.test_programs.program import read_program
from wardround.sandbox.test_programs.run import Finished, run_program
from wardround.scoring.soft_results import Rows
from wardround.scoring.sql_normalization import softened

_ENTRY = "wardround.benchmarks.interact.test_program_names:main"
_BOUNDS = Bounds()


def program_processes() -> ForkServer:
    """The server of processes for test programs."""
    return ForkServer(_ENTRY)


def check(
    source: str,
    submitted: Sequence[str],
    gold: Sequence[str],
    start: Start,
    processes: ForkServer,
    result: Rows | None = None,
    bounds: Bounds = _BOUNDS,
) -> Finished:
    """Runs a test program on the database as it is; what it does there stays.

    A program that hands the agent's statements on to nothing that runs SQL finds them run.

    Args:
        source: the program.
        submitted: the agent's statements.
        gold: the gold statements.
        start: the database, in the state before the agent's statements.
        processes: where it runs.
        result: the rows that the agent's statements returned, which the program finds as
            `pred_query_result`.
        bounds: how much it may use.

    Raises:
        InfraError: the server failed, or no process can be made.
    """
    try:
        program = read_program(source, RUNNERS)
    except SyntaxError as error:
        return Finished("broken", f"it is no test program: {error}")
    queries = _Queries(start, submitted)
    if not program.runs_statements:
        queries.execute(submitted)
    values = {RESULT: result} if RESULT in source else {}
    return run_program(program, (submitted, gold), queries, processes, bounds, values)


class _Queries:
    """The trial's database as a program reaches it."""

    def __init__(self, start: Start, submitted: Sequence[str]) -> None:
        self.name = start.workspace.name
        self._start = start
        self._submitted = {text for sql in submitted for text in _versions(sql)}

    def execute(self, texts: Sequence[str]) -> tuple[object, ...]:
        """Runs texts of statements; see `sandbox.test_programs.run.Database`.

        Settings that the agent's statements made in the session are then reset: the program is
        to see what they have written.
        """
        statements = [each for text in texts for each in split_statements(text)]
        ran = run_statements(self._start.workspace, statements, self._start.seconds)
        if not self._submitted.isdisjoint(statements):
            run_statements(self._start.workspace, AS_LOOKED_AT, self._start.seconds)
        if ran.error is not None:
            return ("error", ran.error.kind == "timeout", ran.state, str(ran.error))
        columns, rows = (ran.last.columns, ran.last.rows) if ran.last else ((), [])
        return ("rows", columns, rows, ran.changed)

    def rewrite(self, name: str, texts: Sequence[str]) -> list[str]:
        """Texts without what a name stands for: comments, DISTINCT or ROUND."""
        return [softened(text, (name,)).sql for text in texts]


def _versions(sql: str) -> tuple[str, ...]:
    """A statement as it was written and as programs rewrite it."""
    return sql, softened(sql).sql, softened(sql, ("comments",)).sql
