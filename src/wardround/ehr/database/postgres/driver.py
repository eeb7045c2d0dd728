"""Reads PostgreSQL databases through sessions of read-only roles."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from threading import Lock, Semaphore

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
from wardround.ehr.database.postgres import catalogue, content
from wardround.ehr.database.postgres.clones import Clones
from wardround.ehr.database.postgres.connection import Address, find_address
from wardround.ehr.database.postgres.errors import explain_error
from wardround.ehr.database.postgres.keywords import first_words
from wardround.ehr.database.postgres.owner import Owner
from wardround.ehr.database.postgres.sandbox import (
    check_text,
    memory_bound,
    open_session,
    search_path,
)
from wardround.ehr.database.postgres.session import OverdueError, Session, StatementError
from wardround.ehr.database.postgres.workspace import PostgresWorkspaceDriver

_WHOLE_SECONDS = 24 * 3600.0
_TRIES = 5
# Time for a statement to obey its interruption, and for its thread to close the session.
_OBEYING_SECONDS = 0.5
# Statements that are queries even without columns; the server refuses writes inside them.
_QUERIES = {("SELECT",), ("WITH",), ("TABLE",), ("VALUES",)}


class _EndedError(Exception):
    """The session was ended before its statement began."""


class PostgresDriver:
    """A read-only PostgreSQL database; see `Driver`.

    Concurrent statements have separate sessions, and each session its own role, so that none can
    see or terminate another.

    Args:
        address: The database's address; released by `close`.
        limits: Limits of one statement.
    """

    dialect = "postgres"

    def __init__(self, address: Address, limits: Limits = Limits()):  # noqa: B008 - it is frozen
        self.name, self.url = address.name, address.url
        self._address = address
        self._limits = limits
        self._owner = Owner(address)
        try:
            self._readers = self._owner.readers()
            self._path = search_path(address)
        except BaseException:
            self._owner.close()
            raise
        self._settings = {
            "default_transaction_read_only": "on",
            "idle_in_transaction_session_timeout": "60s",
            "search_path": self._path,
        }
        self._copying = Lock()
        self._clones: Clones | None = None
        self._lock = Lock()
        self._turns = Semaphore(limits.processes)
        self._idle: list[Session] = []
        self._busy: list[Session] = []
        self._closed = False
        self._known: tuple[str, str] = ("", "")

    def run(self, sql: str, rows: int | None, seconds: float, memory: int | None) -> ResultTable:
        """Run one read-only statement.

        Memory is limited on wardround's own server only, not on one given by URL.
        """
        check_text(sql, self._limits)
        for _ in range(_TRIES):
            # Retry: the session was ended while idle, for example to copy the database.
            with suppress(_EndedError):
                return self._execute(sql, rows, seconds, memory)
        raise InfraError(f"Database {self.url} ends the sessions of agents; look at its log.")

    def _execute(
        self, sql: str, rows: int | None, seconds: float, memory: int | None
    ) -> ResultTable:
        with self._session() as session, memory_bound(self._address, session, self._limits, memory):
            try:
                return self._read(session, sql, rows, seconds)
            except StatementError as error:
                if session.closed:
                    raise self._lost(error, seconds) from error
                raise explain_error(error, seconds) from error
            except QueryError:
                if session.closed:
                    self._owner.end(session.pid)
                raise
            except OverdueError:
                self._owner.end(session.pid)
                raise too_late(seconds) from None

    def _lost(self, error: StatementError, seconds: float) -> Exception:
        """The error to raise for a session that has ended."""
        self._owner.check()
        if not error.compiled:
            return _EndedError()
        if error.state:
            return explain_error(error, seconds)
        return InfraError(f"The connection to database {self.url} was lost.")

    def _read(self, session: Session, sql: str, rows: int | None, seconds: float) -> ResultTable:
        limit = b"SET LOCAL statement_timeout = %d" % max(1, int(seconds * 1000))
        try:
            returns = session.compile(sql, seconds, b"BEGIN READ ONLY", limit)
            if not returns and first_words(sql, 1) not in _QUERIES:
                raise _no_query(sql)
            outcome = session.run(rows, stop_at_most=True)
            if not returns:
                raise QueryError("The query names no column; ask for one at least.", "syntax")
        finally:
            if not session.closed:
                # The reply is read when the session is used again.
                session.reset()
        return ResultTable(outcome.columns, outcome.rows, outcome.truncated)

    def tables(self) -> list[str]:
        """The names of tables and views, in order of creation."""
        return catalogue.tables(self._rows)

    def columns(self, table: str) -> list[ColumnInfo]:
        """The columns of a table, in order."""
        return catalogue.columns(self._rows, table)

    def fingerprint(self) -> str:
        """A hash of schema and rows, cached until the server's row counters change."""
        stamp = content.stamp(self._ask)
        if self._known[0] != stamp:
            self._known = (stamp, content.fingerprint(self._ask))
        return self._known[1]

    def copy(self) -> PostgresWorkspaceDriver:
        """A writable copy for one trial, from a pool.

        The first call copies the database itself, to which nobody else may then be connected.
        """
        with self._copying:
            self._check_open()
            if self._clones is None:
                with self._exclusive():
                    self._clones = Clones(self._owner, {"search_path": self._path}, self._limits)
        return PostgresWorkspaceDriver(self._address, self._clones, self._limits)

    def close(self) -> None:
        """Interrupt running statements, close all sessions and drop their roles.

        A statement that looks at no request to stop is ended with its session.
        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
            idle, self._idle = self._idle, []
            busy = list(self._busy)
            for session in busy:
                session.interrupt()
        for session in idle:
            session.close()
        for session in busy:
            if not self._owner.sees_end(session.pid, _OBEYING_SECONDS):
                self._owner.end(session.pid)
        if self._clones is not None:
            self._clones.close()
        self._owner.close()
        self._address.leave()

    def _rows(self, sql: str) -> Sequence[tuple[Cell, ...]]:
        return self.run(sql, None, CATALOGUE_SECONDS, None).rows

    def _ask(self, sql: str) -> Sequence[tuple[Cell, ...]]:
        return self.run(sql, None, _WHOLE_SECONDS, None).rows

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Wait for running statements and close all sessions for the duration of the block."""
        with ExitStack() as turns:
            for _ in range(self._limits.processes):
                turns.enter_context(self._turns)
            while self._idle:
                self._idle.pop().close()
            yield

    @contextmanager
    def _session(self) -> Iterator[Session]:
        with self._turns:
            session = self._take()
            try:
                yield session
            finally:
                self._give_back(session)

    def _take(self) -> Session:
        while True:
            with self._lock:
                self._check_open()
                session = self._idle.pop() if self._idle else None
            if session is None:
                session = self._new_session()
            if _is_reset(session):
                with self._lock:
                    self._busy.append(session)
                return session

    def _new_session(self) -> Session:
        login = self._owner.new_login(self._readers)
        return open_session(self._address, login, self._settings, self._limits)

    def _check_open(self) -> None:
        if self._closed:
            raise UserError(f"Database {self.name!r} is closed; open it again to query it.")

    def _give_back(self, session: Session) -> None:
        with self._lock:
            self._busy.remove(session)
            if not self._closed and not session.closed:
                self._idle.append(session)
                return
        session.close()


def _is_reset(session: Session) -> bool:
    """Return True if a session was reset after its last use; False if the server ended it."""
    try:
        session.settle()
    except (StatementError, OverdueError):
        session.close()
        return False
    return True


def _no_query(sql: str) -> QueryError:
    words = first_words(sql, 1)
    if not words:
        return QueryError("This is not a query: it is empty; send one SELECT.", "syntax")
    return QueryError(f"Only reading is allowed, and this is {words[0]}.", "denied")


def open_location(location: str, limits: Limits) -> PostgresDriver:
    """Open a database for agents."""
    address = find_address(location)
    try:
        return PostgresDriver(address, limits)
    except BaseException:
        address.leave()
        raise
