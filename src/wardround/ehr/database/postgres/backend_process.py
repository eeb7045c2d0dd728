"""The process of one session on wardround's own server: its memory limit, and its forced end.

PostgreSQL looks at requests to cancel or terminate a session only at chosen points. Some work has
none of them for minutes: planning of many joins, growth of an inlined expression, functions such
as `translate` and `normalize` on large values. Killing the process would make the server
restart all sessions. Two gentler means make the statement fail, after which the request to
terminate is obeyed:

1. no more memory: the next allocation fails, as it may anywhere in PostgreSQL;
2. the signal SIGFPE, which PostgreSQL turns into an error at once: for work that allocates nothing.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from wardround.ehr.database.postgres.server import Server

# Memory for handling the error itself; PostgreSQL's allocator asks for more than this at a time.
_ERROR_BYTES = 256 << 10
# The process has ended in the meantime; its status file with it, or there is no /proc.
_ENDED_ERRORS = (ProcessLookupError, FileNotFoundError, subprocess.CalledProcessError)
_DATA_SIZE = re.compile(r"^VmData:\s*(\d+) kB$", re.MULTILINE)


def bound_memory(server: Server, pid: int, most: int) -> None:
    """Limit the memory of a session's process (Linux).

    PostgreSQL reports a failed allocation as an error and continues.
    """
    if sys.platform != "linux":
        return
    if os.geteuid() == server.user.pw_uid:
        resource.prlimit(pid, resource.RLIMIT_DATA, (most, resource.RLIM_INFINITY))
    elif program := shutil.which("prlimit"):
        _run_as(server, program, f"--pid={pid}", f"--data={most}:")


def refuse_memory(server: Server, pid: int) -> None:
    """Limit the memory of a session's process to what it has now (Linux)."""
    status = Path(f"/proc/{pid}/status")
    with suppress(*_ENDED_ERRORS):
        if size := _DATA_SIZE.search(status.read_text()):
            bound_memory(server, pid, int(size[1]) * 1024 + _ERROR_BYTES)


def raise_fault(server: Server, pid: int) -> None:
    """Make the statement that a process executes fail at once."""
    with suppress(*_ENDED_ERRORS):
        _run_as(server, "/bin/sh", "-c", f"kill -s FPE {pid}")


def _run_as(server: Server, *command: str) -> None:
    """Run a command as the server's user.

    In a container without capabilities, root can neither limit nor signal others' processes.
    """
    same = os.geteuid() == server.user.pw_uid
    subprocess.run(  # noqa: S603 - the command is made here
        command,
        check=True,
        capture_output=True,
        user=None if same else server.user.pw_uid,
        group=None if same else server.user.pw_gid,
        extra_groups=None if same else [],
    )
