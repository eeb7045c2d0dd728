"""Runs a snippet in a process without files, network or other processes."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from time import monotonic

from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.lockdown import Bounds
from wardround.sandbox.test_programs import channel

ENTRY = "wardround.sandbox.snippets.process:main"


@dataclass(frozen=True, slots=True)
class Ran:
    """The outcome of a snippet.

    Attributes:
        printed: what it printed.
        answer: its variable `answer` as Python writes it; "" if it set none.
        error: its exception, or why it was ended; "" if it ran to its end.
    """

    printed: str = ""
    answer: str = ""
    error: str = ""


def run_snippet(
    code: str, values: Mapping[str, object], processes: ForkServer, bounds: Bounds
) -> Ran:
    """Runs a snippet; it may take as long as its bounds allow.

    Args:
        code: Python code.
        values: its global names.
        processes: a fork server of `ENTRY`.
        bounds: its limits.

    Raises:
        InfraError: no process can be started.
    """
    ends = monotonic() + bounds.whole
    with processes.process() as (_, requests):
        try:
            if channel.receive(requests, ends) != ["begin"]:
                return Ran(error="the code sent what is not a message")
            channel.answer(requests, (astuple(bounds), code, dict(values)))
            match channel.receive(requests, ends):
                case ["end", str(printed), str(answer), str(error), list()]:
                    return Ran(printed, answer, error)
                case _:
                    return Ran(error="the code sent what is not a message")
        except TimeoutError:
            return Ran(error=f"it took more than {bounds.whole:g} s")
        except channel.GarbledError:
            return Ran(error="the code sent what is not a message")
        except (EOFError, OSError):
            return Ran(error="it was ended: it used too much memory or time")
