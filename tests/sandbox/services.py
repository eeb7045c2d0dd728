"""A service for tests of workers, which runs in a subprocess."""

import os
import sys
from pathlib import Path
from threading import Event
from time import sleep

from wardround.sandbox.service import serve
from wardround.sandbox.zygote import serve_forks


class Service:
    """Answers, waits for an interrupt, ignores interrupts, or dies."""

    def __init__(self) -> None:
        self._interrupted = Event()

    def answer(self, name: str, *arguments: object) -> tuple[object, ...]:
        match name:
            case "environment":
                return (dict(os.environ), str(Path.cwd()), sys.flags.isolated)
            case "wait":
                self._interrupted.wait()
                return ("stopped",)
            case "sleep":
                sleep(60)
            case "die":
                os._exit(1)
            case "process":
                return (os.getpid(),)
            case "has":
                return (arguments[0] in sys.modules,)
        return (name, *arguments)

    def interrupt(self) -> None:
        self._interrupted.set()


def main(number: int) -> None:
    """Fork a process for each worker."""
    serve_forks(number, lambda channel, interrupts: serve(channel, interrupts, Service()))
