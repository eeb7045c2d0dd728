"""A standalone program that runs a PostgreSQL server for as long as any process uses it.

It imports only the standard library, so that it starts fast. Each user of the server holds a
shared lock on the users file, which the system releases when a process dies; once nobody holds it
the server is stopped.
"""

import ctypes
import fcntl
import os
import pwd
import resource
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

_PR_SET_PDEATHSIG = 1
# A server asked to stop during crash recovery may never do so; it is killed after this time.
_PATIENCE_SECONDS = 20


def main() -> None:
    """Run the server; arguments: users file, lock file, user or `-`, memory in bytes, command.

    It continues in the background once it holds the lock, which the server and all its processes
    inherit: the lock is free only when all of them have ended.
    """
    users, lock, user, memory, *command = sys.argv[1:]
    with Path(lock).open("w") as lock_file:
        fcntl.flock(lock_file, fcntl.LOCK_EX)
        if os.fork():
            os._exit(0)
        os.setsid()
        _bound_memory(int(memory))
        server = _start(None if user == "-" else pwd.getpwnam(user), command, lock_file.fileno())
    _keep(users, server)


def _start(
    user: pwd.struct_passwd | None, command: list[str], lock: int
) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - the command is wardround's own
        command,
        pass_fds=(lock,),
        preexec_fn=_stop_with_parent,
        user=None if user is None else user.pw_uid,
        group=None if user is None else user.pw_gid,
        extra_groups=None if user is None else [],
    )


def _keep(users: str, server: "subprocess.Popen[bytes]") -> None:
    with Path(users).open("w") as waited:
        fcntl.flock(waited, fcntl.LOCK_EX)
        for how in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
            server.send_signal(how)
            with suppress(subprocess.TimeoutExpired):
                server.wait(_PATIENCE_SECONDS)
                return


def _bound_memory(most: int) -> None:
    """Limit the memory of each server process; PostgreSQL survives failed allocations."""
    resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def _stop_with_parent() -> None:
    """Have the system shut the server down cleanly if this program is killed (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)


if __name__ == "__main__":
    main()
