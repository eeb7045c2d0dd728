"""The process that runs one agent's program, and its preloaded parent."""

import json
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from socket import socket
from typing import Any

from wardround.sandbox.lockdown import Bounds, Lockdown, prepare_lockdown
from wardround.sandbox.test_programs import channel
from wardround.sandbox.test_programs.namespace import MODULES
from wardround.sandbox.zygote import serve_forks

ANSWER = "answer"
MOST_LETTERS = 100_000
_MOST_LETTERS_OF_ERROR = 500


def main(number: int) -> None:
    """Serves requests for programs on the socket with this file descriptor."""
    for module in MODULES:
        import_module(module)
    lockdown = prepare_lockdown("programs")
    serve_forks(number, lambda requests: _run(requests, lockdown))


def _run(requests: socket, lockdown: Lockdown) -> None:
    """Runs one program and reports what it printed, its answer and its error."""
    bounds, source, values = channel.ask(requests, "begin")
    gaps = lockdown.apply(Bounds(*bounds))
    names = {"__name__": "__main__", **values}
    printed = StringIO()
    error = ""
    try:
        with redirect_stdout(printed):
            exec(compile(source, "<program>", "exec"), names)  # noqa: S102 - its purpose
    except BaseException as problem:
        error = f"{type(problem).__name__}: {problem}"[:_MOST_LETTERS_OF_ERROR]
    text = printed.getvalue()[:MOST_LETTERS]
    channel.tell(requests, "end", text, _as_text(names.get(ANSWER)), error, gaps)


def _as_text(answer: Any) -> str:
    """An answer as JSON, cut to a length; "" without one."""
    if answer is None:
        return ""
    try:
        return json.dumps(answer, default=str)[:MOST_LETTERS]
    except (TypeError, ValueError, RecursionError):
        return str(answer)[:MOST_LETTERS]
