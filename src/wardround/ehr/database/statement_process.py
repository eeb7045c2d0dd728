"""A process of its own for running statements, stopped and replaced when it does not obey."""

from dataclasses import asdict
from typing import Any

from wardround.core.errors import UserError
from wardround.ehr.database.interface import Limits, QueryError, ResultTable
from wardround.sandbox.worker import Worker, WorkerEndedError, WorkerLateError

_ENTRY = "wardround.ehr.database.statement_service:main"


class StatementProcess:
    """Runs statements on one open file, one at a time; see `statement_service`.

    Args:
        opener: `module:function` that opens the file there.
        path: The file's absolute path.
        limits: What the engine enforces.
        file_bytes: How large the files that it writes may become; 0 for none.
    """

    def __init__(self, opener: str, path: str, limits: Limits, file_bytes: int) -> None:
        self._worker = Worker(_ENTRY)
        self._unopened: tuple[Any, ...] | None = (opener, path, asdict(limits), file_bytes)

    def run(self, sql: str, rows: int | None, seconds: float, memory: int) -> ResultTable:
        """Run one statement.

        Raises:
            QueryError: If it gives no result; with `alive` False the process has ended over it.
            UserError: If the file cannot be opened.
        """
        if self._unopened:
            self._ask(None, "open", *self._unopened)
            self._unopened = None
        columns, rows_read, truncated, changed = self._ask(seconds, "run", sql, rows, memory)
        return ResultTable(columns, rows_read, truncated, changed)

    @property
    def alive(self) -> bool:
        """True if it takes another statement."""
        return self._worker.alive

    def kill(self) -> None:
        """End it, whatever it does; a statement that runs fails."""
        self._worker.kill()

    def close(self) -> None:
        """End it and close what led to it."""
        self._worker.close()

    def _ask(self, seconds: float | None, *request: object) -> tuple[Any, ...]:
        try:
            reply = self._worker.ask(seconds, *request)
        except WorkerEndedError as error:
            message = "The query ended the process that ran it; let it need less memory."
            raise QueryError(message, "limit") from error
        except WorkerLateError as error:
            raise _too_late(seconds) from error
        status, *answer = reply.values
        if status == "failed":
            raise _too_late(seconds) if reply.interrupted else QueryError(*answer)
        if status == "refused":
            raise UserError(*answer)
        return tuple(answer)


def _too_late(seconds: float | None) -> QueryError:
    return QueryError(f"The query was stopped after {seconds:g} s; make it cheaper.", "timeout")
