"""Runs a PostgreSQL server for as long as anybody uses it; a program of its own.

It needs nothing but the standard library, so that it starts at once. Whoever uses the server
holds a shared lock on the users file, which the system takes back from a process that dies; when
nobody holds it any more the server is stopped.
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
# One that is told to end while it recovers from a crash may wait for ever.
_PATIENCE_SECONDS = 20


def main() -> None:
    """Takes users file, server's lock, user (or -), bytes of memory, and what starts the server.

    It goes on in the background once it holds the lock, which it hands on to the server and all
    its processes: while it is held some of them live.
    """
    users, lock, user, memory, *command = sys.argv[1:]
    with Path(lock).open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if os.fork():
            os._exit(0)
        os.setsid()
        _bound_memory(int(memory))
        server = _start(None if user == "-" else pwd.getpwnam(user), command, held.fileno())
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
    """Bound what each process of the server may allocate; PostgreSQL survives being refused."""
    resource.setrlimit(resource.RLIMIT_DATA, (most, resource.getrlimit(resource.RLIMIT_DATA)[1]))


def _stop_with_parent() -> None:
    """Have the system stop the server, in good order, if this program is killed (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)


if __name__ == "__main__":
    main()
