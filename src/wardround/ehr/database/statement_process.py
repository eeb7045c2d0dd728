"""A subprocess for running statements, killed if it ignores an interrupt."""

from dataclasses import asdict
from functools import cache
from typing import Any

from wardround.core.errors import UserError
from wardround.ehr.database.interface import (
    Limits,
    QueryError,
    ResultTable,
    process_ended,
    too_late,
)
from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.worker import Worker, WorkerEndedError, WorkerLateError

_ENTRY = "wardround.ehr.database.statement_service:main"


class StatementProcess:
    """Runs statements on one open file, one at a time; see `statement_service`.

    Args:
        opener: `module:function` that opens the file in the subprocess.
        libraries: Modules that the opener's processes share, imported once for all.
        path: The file's absolute path.
        limits: Limits that the engine enforces.
        file_bytes: The largest file that the subprocess may write; 0 forbids writing.
    """

    def __init__(
        self,
        opener: str,
        libraries: tuple[str, ...],
        path: str,
        limits: Limits,
        file_bytes: int,
    ) -> None:
        self._worker = Worker(_processes(opener.partition(":")[0], *libraries))
        self._unopened: tuple[Any, ...] | None = (opener, path, asdict(limits), file_bytes)

    def run(self, sql: str, rows: int | None, seconds: float, memory: int) -> ResultTable:
        """Run one statement.

        Raises:
            QueryError: If it fails; if `alive` is then False, it ended the process.
            UserError: If the file cannot be opened.
        """
        if self._unopened:
            self._ask(None, "open", *self._unopened)
            self._unopened = None
        columns, rows_read, truncated, changed = self._ask(seconds, "run", sql, rows, memory)
        return ResultTable(columns, rows_read, truncated, changed)

    @property
    def alive(self) -> bool:
        """True if the process can run another statement."""
        return self._worker.alive

    def kill(self) -> None:
        """Kill the process; a running statement fails."""
        self._worker.kill()

    def close(self) -> None:
        """End the process and close its pipes."""
        self._worker.close()

    def _ask(self, seconds: float | None, *request: object) -> tuple[Any, ...]:
        try:
            reply = self._worker.ask(seconds, *request)
        except WorkerEndedError as error:
            raise process_ended() from error
        except WorkerLateError as error:
            raise too_late(seconds) from error
        status, *answer = reply.values
        if status == "failed":
            raise too_late(seconds) if reply.interrupted else QueryError(*answer)
        if status == "refused":
            raise UserError(*answer)
        return tuple(answer)


@cache
def _processes(*modules: str) -> ForkServer:
    """The server of processes that have some modules, one for each set in this process."""
    return ForkServer(_ENTRY, modules)
