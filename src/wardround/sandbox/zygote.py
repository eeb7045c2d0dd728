"""The preloaded process from which workers are forked; it contains no data."""

import gc
import os
import signal
from collections.abc import Callable, Sequence
from socket import recv_fds, socket

# Bytes of a request and of its answer: a process number or an exit status.
WORD = 8
# Most sockets of a process.
_SOCKETS = 2


def serve_forks(number: int, run: Callable[..., object]) -> None:
    """Fork and end processes on request, until the other side closes.

    A request with descriptors forks a process that runs on these sockets; the answer is its number.
    A request with a process number ends that process; the answer is its exit status.

    Args:
        number: The descriptor of the socket for requests.
        run: Called in each new process with its sockets.
    """
    gc.freeze()
    with socket(fileno=number) as control:
        while True:
            request, descriptors, _, _ = recv_fds(control, WORD, _SOCKETS)
            if not request:
                return
            if descriptors:
                answer = _fork(control, descriptors, run)
            else:
                answer = _end(int.from_bytes(request))
            control.sendall(answer.to_bytes(WORD))


def _fork(control: socket, descriptors: Sequence[int], run: Callable[..., object]) -> int:
    """Fork a process that runs on sockets; returns its number."""
    process = os.fork()
    if process == 0:
        try:
            control.close()
            os.setsid()
            run(*(socket(fileno=number) for number in descriptors))
        finally:
            os._exit(0)
    for number in descriptors:
        os.close(number)
    return process


def _end(process: int) -> int:
    """Kill a process if it still runs; returns its status."""
    # An ended process keeps its number until it is waited for, so this cannot kill another.
    os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    return status
