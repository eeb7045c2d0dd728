"""Attacks on the process that grades: its memory and signals, and what divides it off."""

import ctypes
import errno
import os
import resource
import signal
import socket
from typing import Any

from wardround.assessment.audit.hostile.attack import LIBC, attack, read_text, system_call


@attack("grader")
def parent_memory(targets: dict[str, Any]) -> object:
    return [
        read_text(f"/proc/{targets['parent']}/{name}") for name in ("environ", "maps", "cmdline")
    ] != [
        "",
        "",
        "",
    ]


@attack("grader")
def parent_memory_by_call(targets: dict[str, Any]) -> object:
    return system_call(101, 16, targets["parent"], 0, 0) == 0  # PTRACE_ATTACH


@attack("grader")
def memory_of_first_process(targets: dict[str, Any]) -> object:
    return os.getpid() != 1 and os.open(f"/proc/{os.getppid()}/mem", os.O_RDWR)


@attack("grader")
def other_descriptors(targets: dict[str, Any]) -> object:
    sockets = []
    for number in range(3, 256):
        try:
            target = os.fstat(number)
        except OSError:
            continue
        sockets.append((number, target.st_ino, target.st_dev))
    return [one for one in sockets if one[1:] in map(tuple, targets["inodes"])]


@attack("grader")
def file_behind_the_error_output(targets: dict[str, Any]) -> object:
    return os.read(os.open("/proc/self/fd/2", os.O_RDONLY | os.O_NONBLOCK), 30)


@attack("grader")
def new_namespace(targets: dict[str, Any]) -> object:
    return LIBC.unshare(0x10000000) == 0 or LIBC.unshare(0x20000) == 0


@attack("grader")
def cloned_namespace(targets: dict[str, Any]) -> object:
    pid = system_call(56, 0x10000000 | 17, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    return pid


@attack("grader")
def unmounted_cover(targets: dict[str, Any]) -> object:
    return LIBC.umount2(targets["suite_folder"].encode(), 2) == 0


@attack("grader")
def handles(targets: dict[str, Any]) -> object:
    return system_call(304, -100, ctypes.create_string_buffer(64), 0)


@attack("grader")
def x32_numbers(targets: dict[str, Any]) -> object:
    return system_call(0x40000000 + 39)


@attack("grader")
def parent_ended(targets: dict[str, Any]) -> object:
    os.kill(targets["parent"], 0)
    return True


@attack("grader")
def parent_signalled_by_handle(targets: dict[str, Any]) -> object:
    signal.pidfd_send_signal(os.pidfd_open(targets["parent"]), 0)
    return True


@attack("grader")
def parent_signalled_by_thread(targets: dict[str, Any]) -> object:
    return system_call(234, targets["parent"], targets["parent"], 0) == 0


@attack("grader")
def parent_queued(targets: dict[str, Any]) -> object:
    return system_call(129, targets["parent"], 0, ctypes.create_string_buffer(128)) == 0


@attack("grader")
def parent_signalled_by_file(targets: dict[str, Any]) -> object:
    import fcntl

    ours, theirs = socket.socketpair()
    fcntl.fcntl(ours, fcntl.F_SETOWN, targets["victim"])
    fcntl.fcntl(ours, 10, signal.SIGKILL)
    fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC)
    theirs.send(b"x")
    return None  # seen from outside


@attack("grader")
def parent_limits(targets: dict[str, Any]) -> object:
    return resource.prlimit(targets["parent"], resource.RLIMIT_NOFILE)


@attack("grader")
def parent_priority(targets: dict[str, Any]) -> object:
    os.setpriority(os.PRIO_PROCESS, targets["parent"], 19)
    return True


@attack("grader")
def parent_processors(targets: dict[str, Any]) -> object:
    os.sched_setaffinity(targets["parent"], {0})
    return True


@attack("grader")
def terminal(targets: dict[str, Any]) -> object:
    import fcntl
    import termios

    for number in range(3):
        try:
            fcntl.ioctl(number, termios.TIOCSTI, b"x")
        except OSError as error:
            if error.errno != errno.EPERM:
                return f"{number}: {error}"
    return None
