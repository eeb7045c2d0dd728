"""The process from which those of test programs are made, each in a millisecond or two.

It has loaded all that a program may use and holds nothing of anybody's.
"""

import gc
import os
import signal
import sys
from importlib import import_module
from socket import recv_fds, socket
from types import TracebackType
from typing import Any, NoReturn

from wardround.benchmarks.interact.test_programs import channel
from wardround.benchmarks.interact.test_programs.connection import error_modules
from wardround.benchmarks.interact.test_programs.lockdown import Bounds, Lockdown, prepare
from wardround.benchmarks.interact.test_programs.namespace import MODULES, Queries, namespace
from wardround.benchmarks.interact.test_programs.program import NAME

# An order and its answer: a number, of a process or of how one ended.
WORD = 8
_FILE = "<test program>"
# What is needed here and is no program's business.
_WITHHELD = ("_ctypes", "_socket", "ctypes", "resource", "socket", "subprocess", "threading")
# The program's own faults, whatever the agent did.
_FAULTS = (
    ImportError,
    MemoryError,
    NameError,
    PermissionError,
    RecursionError,
    SyntaxError,
)


def main(number: int) -> None:
    """Make and end processes as they are ordered, until the other side closes."""
    for module in MODULES:
        import_module(module)
    sys.modules.update(error_modules())
    lockdown = prepare()
    gc.freeze()
    with socket(fileno=number) as control:
        while True:
            order, given, _, _ = recv_fds(control, WORD, 1)
            if not order:
                return
            done = _begin(control, given[0], lockdown) if given else _end(int.from_bytes(order))
            control.sendall(done.to_bytes(WORD))


def _begin(control: socket, number: int, lockdown: Lockdown) -> int:
    """Make a process that serves a channel; its number."""
    process = os.fork()
    if process == 0:
        control.close()
        os.setsid()
        _serve(socket(fileno=number), lockdown)
    os.close(number)
    return process


def _end(process: int) -> int:
    """End a process and its kin, if it has not ended; how it ended."""
    # What has ended is there until it is waited for, so the number is no one else's.
    os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    return status


def _serve(talk: socket, lockdown: Lockdown) -> NoReturn:
    """Run one program and tell how it went."""
    try:
        bounds, source, submitted, gold, name, rolls_back = channel.ask(talk, "begin")
        gaps = lockdown.apply(Bounds(*bounds))
        for module in _WITHHELD:
            sys.modules.pop(module, None)
        ended = _ended(talk, source, (submitted, gold, name), rolls_back)
        channel.tell(talk, "end", *ended, gaps)
    finally:
        os._exit(0)


def _ended(
    talk: socket, source: str, given: tuple[Any, ...], rolls_back: bool
) -> tuple[str, str, int]:
    """How a program went: an outcome, the name of what it raised, and its line."""

    def ask(*request: object) -> Any:
        return channel.ask(talk, *request)

    try:
        names = namespace(ask)
        exec(compile(source, _FILE, "exec"), names)  # noqa: S102 - that is what this process is for
        result = names[NAME](*given, Queries(ask).connection(rolls_back))
    except _FAULTS as error:
        return "broken", _said(error), _line(error.__traceback__)
    except Exception as error:
        return "failed", type(error).__name__, _line(error.__traceback__)
    except BaseException as error:
        return "broken", f"it ended itself ({type(error).__name__})", _line(error.__traceback__)
    return ("passed" if result is None or bool(result) else "failed"), "", 0


def _said(error: BaseException) -> str:
    text = f"{type(error).__name__}: {error}"
    return text[:300].rstrip(".: ")


def _line(traceback: TracebackType | None) -> int:
    """The last line of the program itself."""
    line = 0
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == _FILE:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
