"""A process of one's own for running statements, stopped and replaced when it does not obey."""

import os
import subprocess
import sys
from dataclasses import asdict
from socket import socket, socketpair
from threading import Lock
from typing import Any

from wardround.core.errors import UserError
from wardround.ehr.database.interface import Limits, QueryError, ResultTable
from wardround.ehr.database.messages import receive, send

# How long after its deadline a statement may take to obey before its process is ended.
GRACE_SECONDS = 0.5
# An interrupt that comes before the engine has begun is lost, so it is sent again.
_REPEAT_SECONDS = 0.05

_START = """
import sys
sys.path[:] = sys.argv[2:]
from wardround.ehr.database.child import main
main(int(sys.argv[1]))
"""
# No keys and no home: nothing of the user's is in reach of a function that reads settings.
_KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")
_ENVIRONMENT = {"TZ": "UTC", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}


class StatementProcess:
    """Runs statements on one open file, one at a time; see `child`.

    Args:
        opener: `module:function` that opens the file there.
        path: The file.
        limits: What the engine enforces.
        file_bytes: How large the files that it writes may become; 0 for none.
    """

    def __init__(self, opener: str, path: str, limits: Limits, file_bytes: int) -> None:
        self._lock = Lock()
        self._number = 0
        self._channel, theirs = socketpair()
        with theirs:
            self._process = _start(theirs)
        self._unopened: tuple[Any, ...] | None = (opener, path, asdict(limits), file_bytes)

    def run(self, sql: str, rows: int | None, seconds: float, memory: int) -> ResultTable:
        """Run one statement.

        Raises:
            QueryError: If it gives no result; with `alive` False the process has ended over it.
            UserError: If the file cannot be opened.
        """
        self._open()
        columns, kept, truncated, changed = self._ask(seconds, "run", sql, rows, memory)
        return ResultTable(columns, kept, truncated, changed)

    @property
    def alive(self) -> bool:
        """Whether it takes another statement."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End it, whatever it does; a statement that runs fails."""
        with self._lock:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        """End it and let go of what led to it."""
        self.kill()
        if self._process.stdin:
            self._process.stdin.close()
        self._channel.close()

    def _open(self) -> None:
        if self._unopened:
            self._ask(None, "open", *self._unopened)
            self._unopened = None

    def _ask(self, seconds: float | None, *request: object) -> tuple[Any, ...]:
        self._number += 1
        try:
            send(self._channel, self._number, *request)
            status, *answer = self._answer(seconds)
        except (EOFError, OSError) as error:
            self.kill()
            message = "The query ended the process that ran it; let it need less memory."
            raise QueryError(message, "limit") from error
        if status == "failed":
            raise QueryError(*answer)
        if status == "refused":
            raise UserError(*answer)
        return tuple(answer)

    def _answer(self, seconds: float | None) -> tuple[Any, ...]:
        try:
            return self._received(seconds)
        except TimeoutError:
            answer = self._interrupted()
        if answer is None or answer[0] == "failed":
            message = f"The query was stopped after {seconds:g} s; make it cheaper."
            return ("failed", message, "timeout")
        return answer

    def _interrupted(self) -> tuple[Any, ...] | None:
        for _ in range(round(GRACE_SECONDS / _REPEAT_SECONDS)):
            self._interrupt()
            try:
                return self._received(_REPEAT_SECONDS)
            except TimeoutError:
                continue
        self.kill()
        return None

    def _received(self, seconds: float | None) -> tuple[Any, ...]:
        self._channel.settimeout(seconds)
        return receive(self._channel)

    def _interrupt(self) -> None:
        if self._process.stdin:
            self._process.stdin.write(b"%d\n" % self._number)
            self._process.stdin.flush()


def _start(channel: socket) -> subprocess.Popen[bytes]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return subprocess.Popen(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-I", "-S", "-c", _START, str(channel.fileno()), *sys.path],
        pass_fds=[channel.fileno()],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=kept | _ENVIRONMENT,
    )
