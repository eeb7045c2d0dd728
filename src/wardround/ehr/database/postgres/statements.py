"""Statements run one after the other on a trial's own database, and the state they begin with."""

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

# The published graders' deadline of each statement.
SECONDS = 60.0
# Limits of one submission; more is no answer to any request.
MOST_STATEMENTS = 200
MOST_LETTERS = 1_000_000
MOST_ROWS = 100_000
_BEGINNINGS = {("BEGIN",), ("START",)}

_OWN_SETTINGS = ("SET SESSION AUTHORIZATION DEFAULT", "RESET ROLE", "RESET ALL")
# Statements that reset the session as if it had just begun; what was written stays.
AS_BEGUN = (*_OWN_SETTINGS, "DISCARD TEMP")
# Likewise, but temporary tables can still be named; none stands before a table of the same name.
AS_LOOKED_AT = (
    *_OWN_SETTINGS,
    "SELECT set_config('search_path', current_setting('search_path') || ', pg_temp', false)",
)
# All statements of a submission together may take so many deadlines.
_DEADLINES = 5


@dataclass(frozen=True, slots=True)
class Start:
    """The state that a request begins with.

    Attributes:
        workspace: A trial's own database, which is written to and put back.
        before: Texts of statements that lead from its start to this state.
        seconds: The deadline of each statement.
    """

    workspace: Workspace
    before: tuple[str, ...] = ()
    seconds: float = SECONDS

    def restore(self) -> None:
        """Restore the database to this state, whatever was done to it.

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
class Ran:
    """The outcome of statements.

    Attributes:
        done: The statements that were run, up to the first that failed.
        last: The last result with columns; None where there is none.
        changed: How many rows the last statement changed, where it is one that changes rows.
        error: Why a statement failed.
        state: PostgreSQL's code of that failure, where the server gave one.
    """

    done: tuple[str, ...] = ()
    last: Values | None = None
    changed: int | None = None
    error: QueryError | None = None
    state: str = ""

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        """The rows of the last result; none where a statement failed."""
        return self.last.rows if self.last and not self.error else []


def read_submission(sql: str) -> tuple[str, ...]:
    """The statements of what was submitted.

    Raises:
        QueryError: If it is too much to be an answer.
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
    """Runs the statements of a text up to the first that fails and returns the last one's result.

    Args:
        workspace: the database.
        sql: the text.
        rows: how many rows of the result are returned.
        seconds: the deadline of each statement.

    Raises:
        QueryError: one of them fails.
    """
    *others, last = read_submission(sql) or (sql,)
    for statement in others:
        workspace.execute(statement, rows=0, seconds=seconds)
    return workspace.execute(last, rows=rows, seconds=seconds)


def run_statements(
    workspace: Workspace,
    statements: Sequence[str],
    seconds: float,
    rewrite: Callable[[str], str] = str,
) -> Ran:
    """Run statements in order, up to the first that fails; the last result counts.

    Args:
        workspace: Where.
        statements: Each by itself.
        seconds: The deadline of each; all together may take five times as long.
        rewrite: What is run instead of each statement. What the database refuses of that is run
            as it was written.

    Raises:
        InfraError: The server failed.
    """
    values = _values(workspace)
    done: list[str] = []
    last, changed = None, None
    ends = monotonic() + _DEADLINES * seconds
    for statement in statements:
        try:
            left = min(seconds, ends - monotonic())
            found = _run(values, rewrite(statement), statement, left)
        except QueryError as error:
            return Ran(tuple(done), last, changed, error, getattr(error.__cause__, "state", ""))
        done.append(statement)
        changed = found.changed
        last = found if found.columns else last
    return Ran(tuple(done), last, changed)


def _run(values: Callable[[str, float], Values], sql: str, written: str, left: float) -> Values:
    try:
        return values(sql, left)
    except QueryError as error:
        if sql == written or error.kind not in ("syntax", "runtime"):
            raise
    return values(written, left)


def _values(workspace: Workspace) -> Callable[[str, float], Values]:
    driver = workspace.driver
    if not isinstance(driver, PostgresWorkspaceDriver):
        raise UserError(f"Database {workspace.name!r} is not a PostgreSQL database.")

    def values(sql: str, left: float) -> Values:
        if left <= 0:
            raise QueryError("All statements together take too long; make them cheaper.", "timeout")
        found = driver.values(sql, rows=MOST_ROWS, seconds=left)
        if found.truncated:
            raise QueryError(f"The result has more than {MOST_ROWS:,} rows; ask for less.", "limit")
        return found

    return values


def lasting(statements: tuple[str, ...]) -> tuple[str, ...]:
    """Statements that, run again, leave what these wrote and nothing that they set in a session."""
    return statements if all(map(_only_writes, statements)) else (*statements, *AS_BEGUN)


def _only_writes(statement: str) -> bool:
    """True if a statement cannot have changed its session; a doubtful one may have."""
    plain = first_words(statement, 1) in {("INSERT",), ("UPDATE",), ("DELETE",)}
    return plain and not re.search(r"set_config|u&", statement, re.IGNORECASE)
