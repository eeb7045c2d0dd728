"""Runs a task's test programs on a trial's database."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from wardround.ehr.database.postgres.statement_splitter import split_statements
from wardround.ehr.database.postgres.statements import RESET_SETTINGS, Start, run_statements
from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.lockdown import Bounds
from wardround.sandbox.test_programs.program import read_program
from wardround.sandbox.test_programs.run import Finished, run_program
from wardround.scoring.published_functions import RUNNERS
from wardround.scoring.soft_results import Rows
from wardround.scoring.sql_normalization import softened


class ProgramQueries:
    """Runs a program's SQL; see `sandbox.test_programs.run.Database`.

    Args:
        start: The database and its state.
        resetting: Statements after which the session's settings are reset, so that the program
            sees what they wrote.
        rewritten: Applies the named rewriting to a text of SQL.
    """

    def __init__(
        self, start: Start, resetting: Iterable[str], rewritten: Callable[[str, str], str]
    ) -> None:
        self.name = start.workspace.name
        self._start = start
        self._resetting = frozenset(resetting)
        self._rewritten = rewritten

    def execute(self, texts: Sequence[str]) -> tuple[object, ...]:
        """Run texts of statements; returns the last result or the error as a tuple."""
        statements = [each for text in texts for each in split_statements(text)]
        outcome = run_statements(self._start.workspace, statements, self._start.seconds)
        if not self._resetting.isdisjoint(statements):
            run_statements(self._start.workspace, RESET_SETTINGS, self._start.seconds)
        if outcome.error is not None:
            return ("error", outcome.error.kind == "timeout", outcome.state, str(outcome.error))
        columns, rows = (outcome.last.columns, outcome.last.rows) if outcome.last else ((), [])
        return ("rows", columns, rows, outcome.changed)

    def rewrite(self, name: str, texts: Sequence[str]) -> list[str]:
        """The texts after the named rewriting."""
        return [self._rewritten(name, text) for text in texts]


# Entry point of the processes that run programs.
ENTRY = "wardround.benchmarks.interact.gold.program_process:main"
# The variable with the rows that the agent's statements returned before the test.
_RESULT = "pred_query_result"
_BOUNDS = Bounds()


def check(
    source: str,
    submitted: Sequence[str],
    gold: Sequence[str],
    start: Start,
    processes: ForkServer,
    result: Rows | None = None,
    bounds: Bounds = _BOUNDS,
) -> Finished:
    """Runs a test program on the state before the submission; its changes remain.

    If the program does not run the agent's statements itself, they are run before it.

    Raises:
        InfraError: the server failed, or no process can be made.
    """
    if not _runs_submission(source):
        _queries(submitted, start).execute(submitted)
    return check_afterwards(source, submitted, gold, start, processes, result, bounds)


def check_afterwards(
    source: str,
    submitted: Sequence[str],
    gold: Sequence[str],
    start: Start,
    processes: ForkServer,
    result: Rows | None = None,
    bounds: Bounds = _BOUNDS,
) -> Finished:
    """Runs a test program on the state that the submission has left; its changes remain.

    A program that runs the agent's statements itself runs them a second time, as published.

    Args:
        source: the program.
        submitted: the agent's statements.
        gold: the gold statements.
        start: the database.
        processes: the server of processes that run programs.
        result: the rows that the agent's statements returned, the program's
            `pred_query_result`.
        bounds: the program's limits.

    Raises:
        InfraError: the server failed, or no process can be made.
    """
    try:
        program = read_program(source, RUNNERS)
    except SyntaxError as error:
        return Finished("broken", f"it is not a test program: {error}")
    values = {_RESULT: result} if _RESULT in source else {}
    queries = _queries(submitted, start)
    return run_program(program, (submitted, gold), queries, processes, bounds, values)


def _runs_submission(source: str) -> bool:
    """True if a program runs the agent's statements itself, or cannot be run at all."""
    try:
        return read_program(source, RUNNERS).runs_statements
    except SyntaxError:
        return True


def _queries(submitted: Sequence[str], start: Start) -> ProgramQueries:
    # Programs may run the statements as written or after one of the published rewrites.
    rewrites = (str, lambda sql: softened(sql).sql, partial(_without, "comments"))
    versions = (rewrite(sql) for sql in submitted for rewrite in rewrites)
    return ProgramQueries(start, versions, _without)


def _without(name: str, sql: str) -> str:
    """Removes comments, DISTINCT or ROUND from SQL, by the removal's name."""
    return softened(sql, (name,)).sql
