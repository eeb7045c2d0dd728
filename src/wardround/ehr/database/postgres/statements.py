"""Runs a submission's statements in order on a trial's database, and restores its start state."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from wardround.core.errors import UserError
from wardround.ehr.database import QueryError, ResultTable, Workspace
from wardround.ehr.database.postgres.keywords import first_words
from wardround.ehr.database.postgres.statement_splitter import split_statements
from wardround.ehr.database.postgres.values import Values
from wardround.ehr.database.postgres.workspace import PostgresWorkspaceDriver

# Deadline of each statement, as in the published graders.
SECONDS = 60.0
# Limits of one submission, far beyond any sensible answer.
MOST_STATEMENTS = 200
MOST_LETTERS = 1_000_000
MOST_ROWS = 100_000
_BEGINNINGS = {("BEGIN",), ("START",)}

_OWN_SETTINGS = ("SET SESSION AUTHORIZATION DEFAULT", "RESET ROLE", "RESET ALL")
# Statements that reset the session to its start but keep written data.
RESET_SESSION = (*_OWN_SETTINGS, "DISCARD TEMP")
# The same, but temporary tables stay visible, last on the search path so that they hide no table.
RESET_SETTINGS = (
    *_OWN_SETTINGS,
    "SELECT set_config('search_path', current_setting('search_path') || ', pg_temp', false)",
)
# Deadline of a whole submission, in multiples of a statement's deadline.
_DEADLINES = 5


@dataclass(frozen=True, slots=True)
class Start:
    """The database state at the start of a request.

    Attributes:
        workspace: A trial's database.
        before: Texts of statements that lead from the workspace's initial state to this one.
        seconds: The deadline of each statement.
    """

    workspace: Workspace
    before: tuple[str, ...] = ()
    seconds: float = SECONDS

    def restore(self) -> None:
        """Restore the database to this state.

        Raises:
            QueryError: If one of the statements fails.
        """
        self.workspace.reset()
        statements = [each for text in self.before for each in split_statements(text)]
        # A transaction that the agent left open must not roll back what follows.
        if any(first_words(each, 1) in _BEGINNINGS for each in statements):
            statements.append("COMMIT")
        for statement in statements:
            self.workspace.execute(statement, rows=0, seconds=self.seconds)


@dataclass(frozen=True, slots=True)
class SubmissionOutcome:
    """The outcome of running statements in order.

    Attributes:
        done: The statements that succeeded, up to the first failure.
        last: The last result with columns, if any.
        changed: Number of rows changed by the last statement; None if it changes no rows.
        error: The failure, if any.
        state: Its SQLSTATE, if the server gave one.
    """

    done: tuple[str, ...] = ()
    last: Values | None = None
    changed: int | None = None
    error: QueryError | None = None
    state: str = ""

    @property
    def rows(self) -> Sequence[tuple[Any, ...]]:
        """The rows of the last result; empty if a statement failed."""
        return self.last.rows if self.last and not self.error else []


def read_submission(sql: str) -> tuple[str, ...]:
    """Split a submission into statements.

    Raises:
        QueryError: If it is too long or has too many statements.
    """
    if len(sql) > MOST_LETTERS:
        raise QueryError(
            f"The submission is longer than {MOST_LETTERS:,} characters; submit less.", "limit"
        )
    statements = split_statements(sql)
    if len(statements) > MOST_STATEMENTS:
        message = f"The submission has more than {MOST_STATEMENTS} statements; submit fewer."
        raise QueryError(message, "limit")
    return tuple(statements)


def execute_submission(workspace: Workspace, sql: str, rows: int, seconds: float) -> ResultTable:
    """Run the statements of a text and return the result of the last one.

    Args:
        workspace: The database.
        sql: The text.
        rows: The most rows of the result to keep.
        seconds: The deadline of each statement.

    Raises:
        QueryError: If a statement fails; the rest does not run.
    """
    *preceding, last = read_submission(sql) or (sql,)
    for statement in preceding:
        workspace.execute(statement, rows=0, seconds=seconds)
    return workspace.execute(last, rows=rows, seconds=seconds)


def run_statements(
    workspace: Workspace,
    statements: Sequence[str],
    seconds: float,
    rewrite: Callable[[str], str] = str,
) -> SubmissionOutcome:
    """Run statements in order, up to the first failure, and keep the last result.

    Args:
        workspace: The database.
        statements: Single statements.
        seconds: The deadline of each; all together may take five times as long.
        rewrite: Applied to each statement before it runs. A rewritten statement that fails to
            compile or run is retried as written.

    Raises:
        InfraError: If the server fails.
    """
    values = _values(workspace)
    done: list[str] = []
    last, changed = None, None
    ends = monotonic() + _DEADLINES * seconds
    for statement in statements:
        try:
            remaining = min(seconds, ends - monotonic())
            result = _run(values, rewrite(statement), statement, remaining)
        except QueryError as error:
            return SubmissionOutcome(
                tuple(done), last, changed, error, getattr(error.__cause__, "state", "")
            )
        done.append(statement)
        changed = result.changed
        last = result if result.columns else last
    return SubmissionOutcome(tuple(done), last, changed)


def _run(
    values: Callable[[str, float], Values], sql: str, original: str, remaining: float
) -> Values:
    try:
        return values(sql, remaining)
    except QueryError as error:
        if sql == original or error.kind not in ("syntax", "runtime"):
            raise
    return values(original, remaining)


def _values(workspace: Workspace) -> Callable[[str, float], Values]:
    driver = workspace.driver
    if not isinstance(driver, PostgresWorkspaceDriver):
        raise UserError(f"Database {workspace.name!r} is not a PostgreSQL database.")

    def values(sql: str, remaining: float) -> Values:
        if remaining <= 0:
            raise QueryError("All statements together take too long; make them cheaper.", "timeout")
        result = driver.values(sql, rows=MOST_ROWS, seconds=remaining)
        if result.truncated:
            raise QueryError(f"The result has more than {MOST_ROWS:,} rows; ask for less.", "limit")
        return result

    return values


def lasting(statements: tuple[str, ...]) -> tuple[str, ...]:
    """Statements that repeat the writes of these without their changes to the session."""
    return statements if all(map(_only_writes, statements)) else (*statements, *RESET_SESSION)


def _only_writes(statement: str) -> bool:
    """True if a statement certainly leaves its session's settings unchanged."""
    plain = first_words(statement, 1) in {("INSERT",), ("UPDATE",), ("DELETE",)}
    return plain and not re.search(r"set_config|u&", statement, re.IGNORECASE)
