"""Runs statements in a subprocess, so that a crash or memory exhaustion affects nothing else."""

import resource
from importlib import import_module
from typing import Any, Protocol

from wardround.core.errors import UserError
from wardround.ehr.database.interface import Limits, QueryError, ResultTable
from wardround.sandbox.resource_limits import data_bytes, set_soft_limit
from wardround.sandbox.service import serve
from wardround.sandbox.zygote import serve_forks


class Statements(Protocol):
    """An open database in this process.

    It is opened by a `module:function` that takes the file's path and the limits.
    """

    def run(self, sql: str, rows: int | None) -> ResultTable:
        """Run one statement.

        Raises:
            QueryError: If it fails.
        """

    def interrupt(self) -> None:
        """Cancel the running statement; called from another thread."""


class StatementService:
    """Opens one file and runs statements on it; see `service.Service`."""

    def __init__(self) -> None:
        self._statements: Statements | None = None
        self._initial_bytes = 0

    def answer(self, name: str, *arguments: Any) -> tuple[object, ...]:
        """Open the file or run a statement; returns a status with the result or the reason."""
        try:
            answer = self._open(*arguments) if name == "open" else self._run(*arguments)
        except QueryError as error:
            return ("failed", str(error), error.kind)
        except UserError as error:
            return ("refused", str(error))
        except MemoryError:
            return ("failed", "The query needs too much memory; ask for less at once.", "limit")
        return ("done", *answer)

    def interrupt(self) -> None:
        """Cancel the running statement."""
        if self._statements:
            self._statements.interrupt()

    def _open(
        self, opener: str, path: str, limits: dict[str, int], file_bytes: int
    ) -> tuple[object, ...]:
        """Open a file and limit the size of all files written from then on."""
        module, _, function = opener.partition(":")
        open_statements = getattr(import_module(module), function)
        set_soft_limit(resource.RLIMIT_FSIZE, resource.RLIM_INFINITY)
        self._statements = open_statements(path, Limits(**limits))
        self._initial_bytes = data_bytes()
        set_soft_limit(resource.RLIMIT_FSIZE, file_bytes)
        return ()

    def _run(self, sql: str, rows: int | None, memory: int) -> tuple[object, ...]:
        if self._initial_bytes:
            set_soft_limit(resource.RLIMIT_DATA, self._initial_bytes + memory)
        if self._statements is None:
            raise UserError("No database is open in this process.")
        table = self._statements.run(sql, rows)
        return (table.columns, table.rows, table.truncated, table.changed)


def main(number: int) -> None:
    """Fork a process for each open file.

    Args:
        number: The descriptor of the socket for requests of processes.
    """
    serve_forks(number, lambda channel, interrupts: serve(channel, interrupts, StatementService()))
