"""The process that runs one test program, and its preloaded parent."""

import sys
from functools import partial
from importlib import import_module
from socket import socket
from types import TracebackType
from typing import Any

from wardround.sandbox.lockdown import Bounds, Lockdown, prepare_lockdown
from wardround.sandbox.test_programs import channel
from wardround.sandbox.test_programs.errors import error_modules
from wardround.sandbox.test_programs.namespace import MODULES, MakeNames, Queries, namespace
from wardround.sandbox.test_programs.program import NAME, Program
from wardround.sandbox.zygote import serve_forks

_FILE = "<test program>"
# Faults of the program itself, independent of the agent.
_FAULTS = (
    ImportError,
    MemoryError,
    NameError,
    PermissionError,
    RecursionError,
    SyntaxError,
)


def serve_programs(number: int, names: MakeNames) -> None:
    """Loads the modules of programs, then forks a process for each program.

    Args:
        number: the descriptor of the socket for requests of processes.
        names: makes the program's additional global names.
    """
    for module in MODULES:
        import_module(module)
    sys.modules.update(error_modules())
    lockdown = prepare_lockdown("test programs")
    serve_forks(number, lambda requests: _run_program(requests, lockdown, names))


def _run_program(requests: socket, lockdown: Lockdown, names: MakeNames) -> None:
    """Runs one program and reports its outcome."""
    bounds, program, arguments, values = channel.ask(requests, "begin")
    gaps = lockdown.apply(Bounds(*bounds))
    queries = Queries(partial(channel.ask, requests))
    variables = {**namespace(queries, names), **values}
    channel.tell(requests, "end", *_outcome(program, arguments, queries, variables), gaps)


def _outcome(
    program: Program, arguments: tuple[Any, ...], queries: Queries, names: dict[str, Any]
) -> tuple[str, str, int]:
    """Runs a program; returns its state, the name of its exception, and the line."""
    try:
        exec(compile(program.source, _FILE, "exec"), names)  # noqa: S102 - what this process is for
        result = names[NAME](*arguments, queries.connection(program.rolls_back))
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
