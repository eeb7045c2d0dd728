"""The process that runs one test program, and the one that it is forked from."""

import sys
from importlib import import_module
from socket import socket
from types import TracebackType
from typing import Any

from wardround.benchmarks.interact.test_programs import channel
from wardround.benchmarks.interact.test_programs.connection import error_modules
from wardround.benchmarks.interact.test_programs.namespace import MODULES, Queries, namespace
from wardround.benchmarks.interact.test_programs.program import NAME
from wardround.sandbox.lockdown import Bounds, Lockdown, prepare_lockdown
from wardround.sandbox.zygote import serve_forks

_FILE = "<test program>"
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
    """Load all that a program may use, then fork a process for each.

    Args:
        number: The descriptor of the socket on which processes are asked for.
    """
    for module in MODULES:
        import_module(module)
    sys.modules.update(error_modules())
    lockdown = prepare_lockdown("test programs")
    serve_forks(number, lambda requests: _run_program(requests, lockdown))


def _run_program(requests: socket, lockdown: Lockdown) -> None:
    """Run one program and report how it went."""
    bounds, source, submitted, gold, name, rolls_back = channel.ask(requests, "begin")
    gaps = lockdown.apply(Bounds(*bounds))
    outcome = _outcome(requests, source, (submitted, gold, name), rolls_back)
    channel.tell(requests, "end", *outcome, gaps)


def _outcome(
    requests: socket, source: str, given: tuple[Any, ...], rolls_back: bool
) -> tuple[str, str, int]:
    """Run a program: its state, the name of what it raised, and its line."""

    def ask(*request: object) -> Any:
        return channel.ask(requests, *request)

    try:
        names = namespace(ask)
        exec(compile(source, _FILE, "exec"), names)  # noqa: S102 - that is what this process is for
        result = names[NAME](*given, Queries(ask).connection(rolls_back))
    except _FAULTS as error:
        return "broken", _message(error), _line(error.__traceback__)
    except Exception as error:
        return "failed", type(error).__name__, _line(error.__traceback__)
    except BaseException as error:
        return "broken", f"it ended itself ({type(error).__name__})", _line(error.__traceback__)
    return ("passed" if result is None or bool(result) else "failed"), "", 0


def _message(error: BaseException) -> str:
    """The error's class and text, cut to a line."""
    text = f"{type(error).__name__}: {error}"
    return text[:300].rstrip(".: ")


def _line(traceback: TracebackType | None) -> int:
    """The innermost line of the program itself in a traceback."""
    line = 0
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == _FILE:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
