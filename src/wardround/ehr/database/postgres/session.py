"""A session on a PostgreSQL server: single statements with deadlines and size limits.

Statements use PostgreSQL's extended protocol, in which the server itself refuses a second
statement after a semicolon. Statements whose reply can wait are pipelined, so that a query takes
two round trips.

psycopg's cursors cannot replace it: in every mode (plain, binary, streamed row by row) libpq
buffers a complete row before Python sees any of it. For a cell of 250 MB their client uses
715 MB; a server-side cursor runs out of memory. Here bytes are counted as they arrive, and a cell
of 1 GB is refused after about 110 MB (375 MB were seen on a busy machine, where more arrives
between two checks). `cells` stays as well: psycopg's own types would turn a month into 30 days
and reformat JSON.
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

from wardround.core.cancellation import is_cancelled
from wardround.ehr.database.interface import Limits, QueryError
from wardround.ehr.database.postgres import cells

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg.pq.abc import PGresult
    from psycopg.rows import TupleRow

# From a result to a function that returns a row by its index.
Reader: TypeAlias = "Callable[[PGresult], Callable[[int], tuple[Any, ...]]]"

_CHUNK = 200
# The server cancels a statement at its deadline; the client sends a cancel request this much
# later, and gives up on a statement that catches it.
_CANCEL_AFTER = 0.3
_GRACE_SECONDS = 1.0
# A cancel request that arrives later than this could hit the next statement.
_CANCEL_SECONDS = 10
_OWN_SECONDS = 60.0
_LOOK_EVERY = 0.25

# libpq's transaction states.
_IDLE, _FAILED = 0, 3


class StatementError(Exception):
    """An error of the server about a statement.

    Attributes:
        state: The SQLSTATE; empty if the connection was lost without a reason.
        compiled: True if the statement compiled and failed while running.
    """

    def __init__(self, message: str, state: str, compiled: bool):
        super().__init__(message)
        self.state = state
        self.compiled = compiled


class OverdueError(Exception):
    """A statement missed its deadline and ignored cancellation; its connection is closed."""


@dataclass
class Outcome:
    """The result of a statement.

    Attributes:
        tag: The server's command tag, such as `SELECT 3`.
    """

    columns: tuple[str, ...] = ()
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    truncated: bool = False
    tag: str = ""


class Session:
    """A connection used for single statements; not thread-safe.

    Args:
        connection: The connection, owned by the session from here on.
        limits: Limits of a result.
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
        """True if the connection is no longer usable."""
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
        """Send wardround's own statements without waiting; a failure skips the rest."""
        with self._sending():
            for statement in statements:
                self._pg.send_query_params(statement, [])
            self._sync()

    def reset(self) -> None:
        """Restore the session's initial settings, without waiting.

        DISCARD ALL keeps the seed of random(), so a new one is set.
        """
        seed = SystemRandom().uniform(-1, 1)
        self.send(b"ROLLBACK")
        self.send(b"DISCARD ALL")
        self.send(b"SELECT pg_catalog.setseed(%r)" % seed)

    def settle(self) -> None:
        """Wait for the replies to `send`.

        Raises:
            StatementError: The first failure.
        """
        self._start(_OWN_SECONDS)
        self._compiled = True
        error = None
        for result in self._results():
            error = error or self._failure(result)
        if error is not None:
            raise error

    def compile(self, sql: str, seconds: float, *before: bytes) -> bool:
        """Compile a statement without running it; returns True if it returns rows.

        Args:
            sql: The statement.
            seconds: The deadline of compiling and running it.
            before: wardround's own statements to run first, in the same round trip.

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
            stop_at_most: True to cancel the statement after `most` rows.
            watch: Polled while the server works; returns a reason to cancel, or None.
            reader: Converts rows of a result.

        Raises:
            StatementError: If the statement fails.
            QueryError: If the result is too large, or `watch` returned a reason.
            OverdueError: If the statement cannot be cancelled.
        """
        self._watch = watch or _no_reason
        self._compiled = True
        with self._sending():
            self._pg.send_query_prepared(b"", [])
            self._sync()
            self._in_chunks(_CHUNK if most is None else min(most + 1, _CHUNK))
        outcome, error = Outcome(), None
        held_bytes = 0
        for result in self._results():
            error = error or self._failure(result)
            held_bytes = self._keep(result, outcome, most, held_bytes, reader)
            if outcome.truncated and stop_at_most:
                self._cancel()
        if self._refused is not None:
            raise self._refused
        if error is not None and not (outcome.truncated and stop_at_most):
            raise error
        return outcome

    def close(self) -> None:
        """Cancel the running statement and close the connection."""
        if not self.closed:
            self._drop_connection()

    def interrupt(self) -> None:
        """Send a cancel request and wait until the server has received it; thread-safe."""
        from psycopg import Error

        # A session that ignores the request is given up soon after.
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
        self,
        result: "PGresult",
        outcome: Outcome,
        most: int | None,
        held_bytes: int,
        reader: Reader,
    ) -> int:
        """Append a result's rows to the outcome; returns the bytes held so far."""
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
            held_bytes += cells.size(row)
            self._check_size(row, held_bytes)
            outcome.rows.append(row)
        return held_bytes

    def _check_size(self, row: tuple[Any, ...], held_bytes: int) -> None:
        most = self._limits.cell_bytes
        if cells.longest(row) > most:
            self._refuse(
                QueryError(f"A value is longer than {most:,} bytes; ask for a part.", "limit")
            )
        elif held_bytes > self._limits.result_bytes:
            self._refuse(self._too_large())

    def _too_large(self) -> QueryError:
        most = self._limits.result_bytes
        return QueryError(
            f"The result is larger than {most:,} bytes; ask for fewer rows or columns.", "limit"
        )

    def _refuse(self, reason: QueryError) -> None:
        """Cancel the running statement and ignore its further output."""
        self._refused = self._refused or reason
        self._cancel()

    def _results(self) -> "Iterator[PGresult]":
        """The server's replies, up to the last statement sent."""
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
        """Read arrived bytes, or act on a statement that is late.

        Bytes are counted as they are read, so that even one giant row cannot fill the memory.
        Bytes that arrive between counting and reading are missed, so the count is a lower bound.
        """
        from psycopg import OperationalError

        patience = self._patience()
        if not self._wait(select.POLLIN, min(patience, _LOOK_EVERY)):
            self._check_watch() if patience > 0 else self._act_on_late()
            return
        waiting = _unread_bytes(self._pg.socket)
        try:
            self._pg.consume_input()
        except OperationalError:
            self._lost()
        self._received += max(0, waiting - _unread_bytes(self._pg.socket))
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
        if is_cancelled():
            self._cancel()
        if reason := self._watch():
            self._refuse(reason)

    def _act_on_late(self) -> None:
        if self._cancelled is not None:
            self._connection.close()
            raise self._refused or OverdueError
        self._cancel()

    def _cancel(self) -> None:
        if self._cancelled is None:
            # The server itself cancels it at the deadline.
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
        # If the connection ends, this is the last state received.
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


def _unread_bytes(socket: int) -> int:
    """The number of bytes that have arrived and are not read yet."""
    return int(struct.unpack("i", fcntl.ioctl(socket, termios.FIONREAD, b"\0\0\0\0"))[0])
