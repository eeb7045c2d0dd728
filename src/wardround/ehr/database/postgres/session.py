"""A session on a PostgreSQL server: single statements with deadlines and limits of size.

Everything goes by PostgreSQL's extended protocol, in which a statement is one statement: the
server itself refuses a second one after a semicolon. Statements whose answer can wait are sent
with others, so that a query takes two round trips in all.

psycopg's cursors cannot take its place: in every mode (plain, binary, streamed row by row) libpq
holds a row whole before Python sees any of it. Of a cell of 250 MB their client holds 715 MB; a
cursor on the server fails there for lack of memory. Here bytes are counted as they arrive, and of
a cell of 1 GB the client holds about 110 MB before it is refused (on a busy machine, where more
arrives between two looks, 375 MB were seen). `cells` and `arrays` stay with it: psycopg's own
types would make 30 days of a month and text of JSON anew.
"""

import fcntl
import select
import struct
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from random import SystemRandom
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from wardround.ehr.database.interface import Limits, QueryError
from wardround.ehr.database.postgres import cells

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.pq.abc import PGresult
    from psycopg.rows import TupleRow

# Makes, of a result, a function that gives a row by its number.
Reader: TypeAlias = "Callable[[PGresult], Callable[[int], tuple[Any, ...]]]"

_CHUNK = 200
# The server stops a statement by itself; it is asked to this much later. A statement that
# catches its own cancelling is given up.
_CANCEL_AFTER = 0.3
_GRACE_SECONDS = 1.0
# A cancel request that arrives later than this could hit the next statement.
_CANCEL_SECONDS = 10
_OWN_SECONDS = 60.0
_LOOK_EVERY = 0.25

# The states of a transaction as libpq numbers them.
_IDLE, _FAILED = 0, 3


class StatementError(Exception):
    """The server's error about a statement.

    Attributes:
        state: The five characters of SQLSTATE; empty when the connection is gone and the server
            did not say why.
        compiled: True if the statement compiled and failed as it ran.
    """

    def __init__(self, message: str, state: str, compiled: bool):
        super().__init__(message)
        self.state = state
        self.compiled = compiled


class OverdueError(Exception):
    """A statement did not end in time, nor when it was asked to; its connection is closed."""


@dataclass
class Outcome:
    """The result of a statement.

    Attributes:
        tag: What the server did, as `SELECT 3`.
    """

    columns: tuple[str, ...] = ()
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    truncated: bool = False
    tag: str = ""


class Session:
    """A connection used for single statements; one thread at a time.

    Args:
        connection: What it takes over.
        limits: How large a result may be.
    """

    def __init__(self, connection: "Connection[TupleRow]", limits: Limits):
        self.pid = connection.info.backend_pid
        self._connection = connection
        self._limits = limits
        self._pg = connection.pgconn
        self._pg.enter_pipeline_mode()
        self._poll = select.poll()
        self._unread = 0
        self._received = 0
        self._ends = monotonic()
        self._cancelled: float | None = None
        self._compiled = True
        self._last_state = ""
        self._refused: QueryError | None = None
        self._watch: Callable[[], QueryError | None] = _no_reason

    @property
    def closed(self) -> bool:
        """True if the connection cannot be used any more."""
        return self._connection.closed

    @property
    def in_transaction(self) -> bool:
        """True if a transaction is open, failed or not."""
        return self._pg.transaction_status != _IDLE

    @property
    def failed(self) -> bool:
        """True if the open transaction can only be rolled back."""
        return self._pg.transaction_status == _FAILED

    def send(self, *statements: bytes) -> None:
        """Send own statements without waiting; if one fails the rest is skipped."""
        with self._sending():
            for statement in statements:
                self._pg.send_query_params(statement, [])
            self._sync()

    def reset(self) -> None:
        """Go back, without waiting, to how the session was when it was opened.

        DISCARD ALL leaves the seed of random(), so that a new one is set.
        """
        seed = SystemRandom().uniform(-1, 1)
        self.send(b"ROLLBACK")
        self.send(b"DISCARD ALL")
        self.send(b"SELECT pg_catalog.setseed(%r)" % seed)

    def settle(self) -> None:
        """Wait for the answers to what was sent.

        Raises:
            StatementError: The first failure in it.
        """
        self._start(_OWN_SECONDS)
        self._compiled = True
        error = None
        for result in self._results():
            error = error or self._failure(result)
        if error is not None:
            raise error

    def compile(self, sql: str, seconds: float, *before: bytes) -> bool:
        """Compile a statement without running it; True if it returns rows.

        Args:
            sql: The statement.
            seconds: The deadline, for running it too.
            before: Own statements that are run first, in the same round trip.

        Raises:
            StatementError: If it does not compile.
        """
        self._start(seconds)
        self._compiled = False
        with self._sending():
            for statement in before:
                self._pg.send_query_params(statement, [])
            self._pg.send_prepare(b"", sql.encode())
            self._pg.send_describe_prepared(b"")
            self._sync()
        error, returns = None, False
        for result in self._results():
            error = error or self._failure(result)
            returns = result.nfields > 0
        if error is not None:
            raise error
        return returns

    def run(
        self,
        most: int | None,
        *,
        stop_at_most: bool,
        watch: "Callable[[], QueryError | None] | None" = None,
        reader: Reader = cells.reader,
    ) -> Outcome:
        """Run the compiled statement.

        Args:
            most: The most rows to keep; None keeps all.
            stop_at_most: Whether to cancel the statement once it has given so many.
            watch: Called now and then, while the server works, for a reason to cancel.
            reader: Makes rows of a result.

        Raises:
            StatementError: If the statement fails.
            QueryError: If the result is too large, or `watch` found a reason.
            OverdueError: If it cannot be ended.
        """
        self._watch = watch or _no_reason
        self._compiled = True
        with self._sending():
            self._pg.send_query_prepared(b"", [])
            self._sync()
            self._in_chunks(_CHUNK if most is None else min(most + 1, _CHUNK))
        outcome, error = Outcome(), None
        held = 0
        for result in self._results():
            error = error or self._failure(result)
            held = self._keep(result, outcome, most, held, reader)
            if outcome.truncated and stop_at_most:
                self._cancel()
        if self._refused is not None:
            raise self._refused
        if error is not None and not (outcome.truncated and stop_at_most):
            raise error
        return outcome

    def close(self) -> None:
        """Close the connection; what runs on it is cancelled."""
        if not self.closed:
            self._drop_connection()

    def interrupt(self) -> None:
        """Ask the server to cancel what runs, and wait until it got the request; any thread may."""
        from psycopg import Error

        # A session that does not react is given up soon after.
        with suppress(Error):
            self._connection.cancel_safe(timeout=_CANCEL_SECONDS)

    def _sync(self) -> None:
        self._pg.pipeline_sync()
        self._unread += 1
        while self._pg.flush():
            self._wait(select.POLLOUT | select.POLLIN, 1)
            self._pg.consume_input()

    @contextmanager
    def _sending(self) -> Iterator[None]:
        from psycopg import OperationalError

        try:
            yield
        except OperationalError:
            self._lost()

    def _start(self, seconds: float) -> None:
        self._received = 0
        self._cancelled = None
        self._last_state = ""
        self._refused = None
        self._watch = _no_reason
        self._ends = monotonic() + seconds

    def _in_chunks(self, rows: int) -> None:
        from psycopg import pq

        if pq.version() >= 170_000:
            self._pg.set_chunked_rows_mode(rows)
        else:
            self._pg.set_single_row_mode()

    def _keep(
        self, result: "PGresult", outcome: Outcome, most: int | None, held: int, reader: Reader
    ) -> int:
        """Take over a result's rows; returns how many bytes are held then."""
        outcome.tag = (result.command_status or b"").decode() or outcome.tag
        if result.nfields and not outcome.columns:
            outcome.columns = tuple(_name(result, index) for index in range(result.nfields))
        room = result.ntuples if most is None else most - len(outcome.rows)
        outcome.truncated = outcome.truncated or result.ntuples > room
        read = reader(result)
        for index in range(min(room, result.ntuples)):
            if self._refused is not None:
                break
            try:
                row = read(index)
            except (ValueError, ArithmeticError, RecursionError):
                self._refuse(_unreadable())
                break
            held += cells.size(row)
            self._check_size(row, held)
            outcome.rows.append(row)
        return held

    def _check_size(self, row: tuple[Any, ...], held: int) -> None:
        most = self._limits.cell_bytes
        if cells.longest(row) > most:
            self._refuse(
                QueryError(f"A value is longer than {most:,} bytes; ask for a part.", "limit")
            )
        elif held > self._limits.result_bytes:
            self._refuse(self._too_large())

    def _too_large(self) -> QueryError:
        most = self._limits.result_bytes
        return QueryError(
            f"The result is larger than {most:,} bytes; ask for fewer rows or columns.", "limit"
        )

    def _refuse(self, reason: QueryError) -> None:
        """Cancel what runs, and take in no more of what it gives."""
        self._refused = self._refused or reason
        self._cancel()

    def _results(self) -> "Iterator[PGresult]":
        """The server's answers, up to the end of all that was sent."""
        from psycopg.pq import ConnStatus, ExecStatus

        while self._unread:
            while self._pg.is_busy():
                self._receive()
            result = self._pg.get_result()
            if result is not None and result.status == ExecStatus.PIPELINE_SYNC:
                self._unread -= 1
            elif result is not None and result.status != ExecStatus.PIPELINE_ABORTED:
                yield result
            if self._pg.status != ConnStatus.OK:
                self._lost()

    def _receive(self) -> None:
        """Read what has arrived, or act on a statement that is late.

        Bytes are counted as they are read, so that not even one giant row can fill the memory.
        Those that arrive meanwhile are missed, so the count is too low rather than too high.
        """
        from psycopg import OperationalError

        patience = self._patience()
        if not self._wait(select.POLLIN, min(patience, _LOOK_EVERY)):
            self._check_watch() if patience > 0 else self._act_on_late()
            return
        waiting = _waiting(self._pg.socket)
        try:
            self._pg.consume_input()
        except OperationalError:
            self._lost()
        self._received += max(0, waiting - _waiting(self._pg.socket))
        if self._received > 2 * self._limits.result_bytes:
            self._drop_connection()
            raise self._too_large()

    def _wait(self, what: int, seconds: float) -> bool:
        self._poll.register(self._pg.socket, what)
        return bool(self._poll.poll(max(0.0, seconds) * 1000))

    def _patience(self) -> float:
        if self._cancelled is None:
            return self._ends + _CANCEL_AFTER - monotonic()
        return self._cancelled + _GRACE_SECONDS - monotonic()

    def _check_watch(self) -> None:
        if reason := self._watch():
            self._refuse(reason)

    def _act_on_late(self) -> None:
        if self._cancelled is not None:
            self._connection.close()
            raise self._refused or OverdueError
        self._cancel()

    def _cancel(self) -> None:
        if self._cancelled is None:
            # The server itself stops it at the deadline.
            self._cancelled = min(monotonic(), self._ends)
            self.interrupt()

    def _drop_connection(self) -> None:
        if self._unread:
            self._cancel()
        self._connection.close()

    def _lost(self) -> None:
        self._connection.close()
        message = "The connection to the database was lost"
        raise StatementError(message, self._last_state, self._compiled)

    def _failure(self, result: "PGresult") -> StatementError | None:
        from psycopg.pq import DiagnosticField, ExecStatus

        if result.status in (ExecStatus.COPY_IN, ExecStatus.COPY_OUT, ExecStatus.COPY_BOTH):
            message = "COPY between server and client is not possible"
            return StatementError(message, "0A000", self._compiled)
        if result.status != ExecStatus.FATAL_ERROR:
            return None
        # Of a connection that is ended this is the last that is heard.
        self._last_state = (result.error_field(DiagnosticField.SQLSTATE) or b"").decode()
        text = result.error_field(DiagnosticField.MESSAGE_PRIMARY) or result.error_message
        message = text.decode(errors="replace").strip()
        return StatementError(message, self._last_state, self._compiled)


def _unreadable() -> QueryError:
    return QueryError(
        "The result cannot be read as this session is set; leave client_encoding, bytea_output "
        "and the like as they were.",
        "runtime",
    )


def _no_reason() -> None:
    """Give no reason to cancel."""


def _name(result: "PGresult", index: int) -> str:
    return (result.fname(index) or b"").decode(errors="replace")


def _waiting(socket: int) -> int:
    """The bytes that have arrived and are not read yet."""
    return int(struct.unpack("i", fcntl.ioctl(socket, termios.FIONREAD, b"\0\0\0\0"))[0])
