"""Deadlines for running statements: one thread watches all of a database's."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from threading import Condition, Thread
from time import monotonic

# An interrupt that comes before the engine has begun is lost, so it is sent again.
_REPEAT_SECONDS = 0.02
_LONGEST_SLEEP = 600.0


@dataclass(eq=False)
class Deadline:
    """When a statement has to end.

    Attributes:
        ends: The time of the monotonic clock, in seconds.
        interrupt: What stops the statement; called from another thread.
        expired: Whether the time ran out.
    """

    ends: float
    interrupt: Callable[[], None]
    expired: bool = False


class Deadlines:
    """Interrupts each statement that runs past its deadline.

    A statement that ends in time costs no thread switch: the watching thread is woken only for a
    deadline that comes before all it knows.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._running: list[Deadline] = []
        self._wakes = inf
        self._watch: Thread | None = None

    @contextmanager
    def within(self, seconds: float, interrupt: Callable[[], None]) -> Iterator[Deadline]:
        """Run a block that `interrupt` stops after so many seconds.

        Once the block has ended no interrupt comes any more, so that the next statement on the
        same connection is never hit.
        """
        deadline = Deadline(monotonic() + seconds, interrupt)
        with self._changed:
            self._start(deadline)
        try:
            yield deadline
        finally:
            with self._changed:
                self._running.remove(deadline)

    def _start(self, deadline: Deadline) -> None:
        self._running.append(deadline)
        if self._watch is None or not self._watch.is_alive():
            self._watch = Thread(target=self._watch_all, daemon=True)
            self._watch.start()
        elif deadline.ends < self._wakes:
            self._changed.notify()

    def _watch_all(self) -> None:
        with self._changed:
            while self._running:
                self._wakes = self._interrupt_late()
                self._changed.wait(timeout=max(0.0, self._wakes - monotonic()))
            self._watch = None

    def _interrupt_late(self) -> float:
        """Interrupt what is late; when to look again."""
        now = monotonic()
        for deadline in self._running:
            if deadline.ends <= now:
                deadline.expired = True
                deadline.interrupt()
        ends = [max(each.ends, now + _REPEAT_SECONDS) for each in self._running]
        return min([*ends, now + _LONGEST_SLEEP])
