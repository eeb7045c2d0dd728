"""Runs an agent's Python program in a separate process, without files and network."""

import signal
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from time import monotonic

from wardround.sandbox.fork_server import ForkServer
from wardround.sandbox.lockdown import Bounds
from wardround.sandbox.test_programs import channel

ENTRY = "wardround.sandbox.program_process:main"
SECONDS = 60
BOUNDS = Bounds(computing=SECONDS, silent=SECONDS, whole=SECONDS, memory=1 << 30)


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """The result of a program.

    Attributes:
        printed: what it wrote to standard output.
        answer: the value of its variable `answer` as JSON; "" without one.
        error: the exception or the limit that ended it; "" if it ran to its end.
    """

    printed: str
    answer: str
    error: str


def run_program(
    source: str, values: Mapping[str, object], processes: ForkServer, bounds: Bounds = BOUNDS
) -> ProgramResult:
    """Runs a program with some global names.

    Args:
        source: the program's text.
        values: its global names; plain data.
        processes: a fork server of `ENTRY`.
        bounds: its limits.

    Raises:
        InfraError: no process can be started.
    """
    ends = monotonic() + bounds.whole
    with processes.process() as process:
        try:
            if channel.receive(process.channel, ends) != ["begin"]:
                raise channel.GarbledError
            channel.answer(process.channel, (astuple(bounds), source, dict(values)))
            return _result(channel.receive(process.channel, ends))
        except TimeoutError:
            return ProgramResult("", "", f"it took more than {bounds.whole:g} s")
        except channel.GarbledError:
            return ProgramResult("", "", "it sent an invalid message")
        except (EOFError, OSError):
            return ProgramResult("", "", _exit_reason(process.end(), bounds))


def _result(message: list[object]) -> ProgramResult:
    match message:
        case ["end", str(printed), str(answer), str(error), list()]:
            return ProgramResult(printed, answer, error)
    raise channel.GarbledError


def _exit_reason(status: int, bounds: Bounds) -> str:
    if status & 0x7F == signal.SIGXCPU:
        return f"it computed for more than {bounds.computing} s"
    return "its process ended early"
