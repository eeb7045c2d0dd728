"""The preloaded process that workers are forked from; it contains no data."""

import gc
import os
import signal
from collections.abc import Callable
from socket import recv_fds, socket

# A request and its answer: a process number, or the status with which one ended.
WORD = 8


def serve_forks(number: int, run: Callable[[socket], object]) -> None:
    """Fork and end processes on request, until the other side closes.

    A request with a descriptor is answered with the number of a new process, which runs on that
    socket and ends; one with a process number, with the status that it ended with.

    Args:
        number: The descriptor of the socket on which requests come.
        run: What each new process does with its socket.
    """
    gc.freeze()
    with socket(fileno=number) as control:
        while True:
            request, descriptors, _, _ = recv_fds(control, WORD, 1)
            if not request:
                return
            if descriptors:
                answer = _fork(control, descriptors[0], run)
            else:
                answer = _end(int.from_bytes(request))
            control.sendall(answer.to_bytes(WORD))


def _fork(control: socket, number: int, run: Callable[[socket], object]) -> int:
    """Make a process that runs on a socket; its number."""
    process = os.fork()
    if process == 0:
        try:
            control.close()
            os.setsid()
            run(socket(fileno=number))
        finally:
            os._exit(0)
    os.close(number)
    return process


def _end(process: int) -> int:
    """End a process if it has not ended; its status."""
    # A process that has ended stays until it is waited for, so the number is no one else's.
    os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    return status
