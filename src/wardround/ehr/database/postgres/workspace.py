"""A trial's own copy of a PostgreSQL database, kept in one transaction as long as possible.

The session is the only one connected to its copy. All statements run in one outer transaction,
each after a savepoint, so that `reset` is a rollback. A statement that PostgreSQL runs only outside
transactions, or that controls transactions itself, commits the outer transaction; from then on
statements run in autocommit mode and `reset` takes a new copy. The transaction state is read from
the server's replies, so that no irreversible statement is mistaken for a reversible one.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock

from wardround.core.errors import InfraError, UserError
from wardround.ehr.database.driver import CATALOGUE_SECONDS
from wardround.ehr.database.interface import (
    Cell,
    ColumnInfo,
    Limits,
    QueryError,
    ResultTable,
    too_late,
)
from wardround.ehr.database.names import quote_text
from wardround.ehr.database.postgres import catalogue, cells, content, values
from wardround.ehr.database.postgres.clones import MOST_SPARE, Clones
from wardround.ehr.database.postgres.connection import Address
from wardround.ehr.database.postgres.errors import (
    explain_error,
    holds_too_much,
    too_many_locks,
)
from wardround.ehr.database.postgres.keywords import first_words
from wardround.ehr.database.postgres.sandbox import check_text, memory_bound
from wardround.ehr.database.postgres.session import (
    Outcome,
    OverdueError,
    Reader,
    Session,
    StatementError,
)
from wardround.ehr.database.postgres.values import Values

_START = (b"BEGIN", b"SET CONSTRAINTS ALL IMMEDIATE")
_UNDO = (b"ROLLBACK TO SAVEPOINT wardround", b"RELEASE SAVEPOINT wardround")
_WHOLE_SECONDS = 24 * 3600.0

# Transaction commands, which would act on the outer transaction.
_CONTROL = {
    "ABORT",
    "BEGIN",
    "COMMIT",
    "END",
    "RELEASE",
    "ROLLBACK",
    "SAVEPOINT",
    "START",
}
# SQLSTATEs of statements that cannot run inside a transaction.
_OUTSIDE_ONLY = {"25001", "2D000", "55P04"}
_BEGUN_ANEW = "The database is as it was at the start: what was written since is lost."
_COUNTED = {"DELETE", "INSERT", "MERGE", "UPDATE"}


class PostgresWorkspaceDriver:
    """A trial's writable copy of a PostgreSQL database; see `WorkspaceDriver`.

    `now()` is constant between resets, as within any transaction.

    Args:
        address: The source database.
        clones: The pool of its copies.
        limits: Limits of one statement.
    """

    dialect = "postgres"

    def __init__(self, address: Address, clones: Clones, limits: Limits):
        self.name, self.url = address.name, address.url
        self._address = address
        self._clones = clones
        self._limits = limits
        self._lock = RLock()
        self._closed = False
        self._begin()

    def run(self, sql: str, rows: int | None, seconds: float, memory: int | None) -> ResultTable:
        """Run one statement, which may write; see `PostgresDriver.run`.

        The statement runs to its end even if it returns more than `rows` rows.

        Raises:
            QueryError: If the statement fails. A statement that ignores cancellation ends the
                session, and the workspace restarts from its initial state.
            InfraError: If the connection was lost; the workspace restarts likewise.
        """
        outcome = self._execute(sql, rows, seconds, memory, cells.reader)
        return ResultTable(
            outcome.columns, outcome.rows, outcome.truncated, _changed_rows(outcome.tag)
        )

    def values(self, sql: str, *, rows: int | None, seconds: float) -> Values:
        """Run one statement as `run` does, returning Python values instead of cells.

        Raises:
            QueryError: As `run`.
            InfraError: As `run`.
        """
        outcome = self._execute(sql, rows, seconds, None, values.reader)
        return Values(outcome.columns, outcome.rows, outcome.truncated, _changed_rows(outcome.tag))

    def tables(self) -> list[str]:
        """The names of tables and views, in order of creation."""
        return catalogue.tables(self._rows)

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of a table, in order."""
        return catalogue.columns(self._rows, table)

    def fingerprint(self) -> str:
        """A hash of schema and rows as this trial sees them, uncommitted changes included."""
        with self._session():
            return content.fingerprint(self._ask)

    def reset(self) -> None:
        """Restore the initial state, by a rollback if possible, else with a new copy."""
        with self._lock:
            self._check_open()
            session = self._clone.session
            if not session.closed and self._is_in_outer(session) and self._try_roll_back(session):
                session.send(*_START)
            else:
                self._begin_anew()

    def close(self) -> None:
        """Return the copy to the pool; idempotent."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            session = self._clone.session
            clean = (
                not session.closed and self._is_in_outer(session) and self._try_roll_back(session)
            )
            self._clones.give_back(self._clone, clean=clean)

    def _rows(self, sql: str) -> Sequence[tuple[Cell, ...]]:
        """The rows of a query run with the agent's settings and limits."""
        return self.run(sql, None, CATALOGUE_SECONDS, None).rows

    def _begin(self) -> None:
        """Take a copy, skipping those whose sessions ended while idle."""
        for _ in range(MOST_SPARE + 1):
            self._clone = self._clones.take()
            self._plain = False
            try:
                self._clone.session.send(*_START)
                self._clone.session.settle()
                self._breaks = self._clones.breaks()
            except (StatementError, OverdueError, InfraError):
                self._clones.give_back(self._clone, clean=False)
            else:
                return
        raise InfraError(f"Database {self.url} ends the sessions of agents; look at its log.")

    def _begin_anew(self) -> None:
        self._clones.give_back(self._clone, clean=False)
        self._begin()

    @contextmanager
    def _session(self) -> Iterator[Session]:
        """The session, locked for this thread."""
        with self._lock:
            self._check_open()
            if self._clone.session.closed:
                self._begin_anew()
            try:
                self._clone.session.settle()
            except StatementError as error:
                if self._clone.session.closed:
                    raise self._lost(error.state) from error
                self._plain = True
            except OverdueError:
                raise self._lost("") from None
            yield self._clone.session

    def _check_open(self) -> None:
        if self._closed:
            raise UserError(f"This workspace of {self.name!r} is closed; ask for another.")

    def _lost(self, state: str) -> QueryError | InfraError:
        """The error for a lost session, by the query's fault or the server's."""
        if state and self._clones.breaks() == self._breaks:
            return QueryError(
                f"The session was ended by what was run in it. {_BEGUN_ANEW}", "runtime"
            )
        return InfraError(
            f"The connection to database {self.url} was lost, and what was written on it with it."
        )

    def _is_in_outer(self, session: Session) -> bool:
        """Return True if the session is still in the outer transaction."""
        try:
            session.settle()
        except (StatementError, OverdueError):
            return False
        return not self._plain

    def _execute(
        self, sql: str, rows: int | None, seconds: float, memory: int | None, reader: Reader
    ) -> Outcome:
        check_text(sql, self._limits)
        words = first_words(sql)
        _refuse(words)
        with self._session() as session, memory_bound(self._address, session, self._limits, memory):
            try:
                return self._run(sql, words[0], rows, seconds, reader)
            except StatementError as error:
                if session.closed:
                    raise self._lost(error.state) from error
                if holds_too_much(error):
                    session.close()
                    self._clones.end(self._clone)
                    raise QueryError(
                        f"{explain_error(error, seconds)} {_BEGUN_ANEW}", "limit"
                    ) from error
                raise explain_error(error, seconds) from error
            except QueryError as error:
                if session.closed or self._clones.fills_lock_table(self._clone):
                    session.close()
                    self._clones.end(self._clone)
                    raise QueryError(f"{error} {_BEGUN_ANEW}", error.kind) from error
                raise
            except OverdueError:
                self._clones.end(self._clone)
                raise QueryError(f"{too_late(seconds)} {_BEGUN_ANEW}", "timeout") from None

    def _run(
        self, sql: str, word: str, rows: int | None, seconds: float, reader: Reader
    ) -> Outcome:
        if word in _CONTROL:
            self._leave_outer()
        if not self._plain:
            try:
                return self._within(sql, rows, seconds, reader)
            except StatementError as error:
                if error.state not in _OUTSIDE_ONLY:
                    raise
                self._leave_outer()
        return self._outside(sql, rows, seconds, reader)

    def _within(self, sql: str, rows: int | None, seconds: float, reader: Reader) -> Outcome:
        session = self._clone.session
        try:
            session.compile(sql, seconds, b"SAVEPOINT wardround", _timeout(seconds))
            outcome = session.run(rows, stop_at_most=False, watch=self._watch, reader=reader)
        except (StatementError, QueryError):
            if not session.closed:
                session.send(*_UNDO)
            raise
        session.send(b"RELEASE SAVEPOINT wardround")
        return outcome

    def _outside(self, sql: str, rows: int | None, seconds: float, reader: Reader) -> Outcome:
        session = self._clone.session
        session.settle()
        # In a failed transaction the timeout cannot be set, and nothing runs for long.
        session.compile(sql, seconds, *(() if session.failed else (_timeout(seconds),)))
        return session.run(rows, stop_at_most=False, watch=self._watch, reader=reader)

    def _leave_outer(self) -> None:
        if not self._plain:
            self._plain = True
            self._clone.session.send(b"COMMIT")
            self._clone.session.settle()

    def _try_roll_back(self, session: Session) -> bool:
        """Roll back to the start; returns False if the session is lost or too slow."""
        try:
            self._roll_back(session)
        except (StatementError, OverdueError):
            return False
        return True

    def _roll_back(self, session: Session) -> None:
        session.reset()
        session.settle()
        # A rollback does not restore sequences.
        for name, state in self._clones.sequences.items():
            if self._own_rows(content.sequence_sql(name)) != [state]:
                last, given_out = state
                literal = quote_text(name)
                session.send(f"SELECT setval({literal}, {last!s}, {bool(given_out)})".encode())
        session.settle()

    def _own_rows(self, sql: str) -> list[tuple[Cell, ...]]:
        """The rows of wardround's own query, without a savepoint."""
        session = self._clone.session
        session.compile(sql, _WHOLE_SECONDS)
        return session.run(None, stop_at_most=False).rows

    def _ask(self, sql: str) -> list[tuple[Cell, ...]]:
        """The rows of wardround's own query, independent of the agent's settings."""
        session = self._clone.session
        within = session.in_transaction
        path = f"SET LOCAL search_path = {self._clones.search_path}".encode()
        first = b"SAVEPOINT wardround" if within else b"BEGIN"
        try:
            session.compile(sql, _WHOLE_SECONDS, first, path, b"SET LOCAL statement_timeout = 0")
            return session.run(None, stop_at_most=False).rows
        except StatementError as error:
            raise explain_error(error, _WHOLE_SECONDS) from error
        finally:
            if not session.closed:
                session.send(*(_UNDO if within else (b"ROLLBACK",)))
                session.settle()

    def _watch(self) -> QueryError | None:
        """The reason to cancel a statement that blocks other trials or fills the disk."""
        if self._clones.fills_lock_table(self._clone):
            return too_many_locks()
        most = self._limits.file_bytes
        if self._clones.growth(self._clone) <= most:
            return None
        return QueryError(f"The statement writes more than {most:,} bytes; write less.", "limit")


def _refuse(words: tuple[str, ...]) -> None:
    """Refuse empty and forbidden statements.

    Raises:
        QueryError: If the statement is either.
    """
    if not words:
        raise QueryError("The statement is empty.", "syntax")
    if words[0] == "COPY" or words == ("PREPARE", "TRANSACTION"):
        raise QueryError(f"{' '.join(words)} is not allowed here.", "denied")


def _timeout(seconds: float) -> bytes:
    return b"SET statement_timeout = %d" % max(1, int(seconds * 1000))


def _changed_rows(tag: str) -> int | None:
    """The number of rows changed, from a command tag; None if the command changes none.

    >>> _changed_rows("INSERT 0 5"), _changed_rows("SELECT 5")
    (5, None)
    """
    word, *counts = tag.split()
    return int(counts[-1]) if word in _COUNTED else None
