"""The process that runs one snippet, and its preloaded parent."""

import io
import sys
from contextlib import redirect_stdout
from importlib import import_module
from socket import socket

from wardround.sandbox.lockdown import Bounds, Lockdown, prepare_lockdown
from wardround.sandbox.test_programs import channel
from wardround.sandbox.zygote import serve_forks

# Modules that snippets find imported, and those that they may import beside them.
IMPORTED = ("datetime", "json", "math", "re", "statistics")
MODULES = (
    *IMPORTED,
    *("collections", "functools", "itertools", "operator", "string", "zoneinfo"),
    *("dateutil.parser", "dateutil.relativedelta", "dateutil.rrule", "dateutil.tz"),
)
ANSWER = "answer"
MOST_LETTERS = 100_000
_FILE = "<code>"


def main(number: int) -> None:
    """Loads the modules that snippets may import, then forks a process for each snippet.

    Args:
        number: the descriptor of the socket for requests of processes.
    """
    for module in MODULES:
        import_module(module)
    lockdown = prepare_lockdown("code")
    serve_forks(number, lambda requests: _run(requests, lockdown))


def _run(requests: socket, lockdown: Lockdown) -> None:
    """Runs one snippet and reports what it printed, its answer, and its error."""
    bounds, code, values = channel.ask(requests, "begin")
    gaps = lockdown.apply(Bounds(*bounds))
    imported = {module: sys.modules[module] for module in IMPORTED}
    names = {"__name__": "__main__", **imported, **values}
    printed, text, error = io.StringIO(), "", ""
    try:
        with redirect_stdout(printed):
            exec(compile(code, _FILE, "exec"), names)  # noqa: S102 - what this process is for
            text = "" if names.get(ANSWER) is None else repr(names[ANSWER])
    except BaseException as raised:
        error = f"{type(raised).__name__}: {raised}"[:1000]
    printed_text = printed.getvalue()[:MOST_LETTERS]
    channel.tell(requests, "end", printed_text, text[:MOST_LETTERS], error, gaps)
