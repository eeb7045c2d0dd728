"""Generators on a worker thread: interrupts and exceptions."""

import signal
import threading
from collections.abc import Generator, Iterator

import duckdb
import pytest

from wardround.core.thread_call import iterate_on_thread


@pytest.fixture
def heard() -> Iterator[None]:
    """Enables interrupts, which may be ignored by the process that started the tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
def test_an_interrupt_stops_the_engine() -> None:
    closed = []
    with duckdb.connect() as lake:

        def work() -> Generator[int, None, None]:
            try:
                yield 1
                threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
                lake.execute(
                    "SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b"
                )
                yield 2
            finally:
                closed.append(threading.current_thread())

        items = iterate_on_thread(work(), lake.interrupt)
        assert next(items) == 1
        with pytest.raises(KeyboardInterrupt):
            next(items)
    assert closed
    assert closed[0] is not threading.main_thread()


def test_exceptions_of_the_generator_are_raised() -> None:
    def work() -> Generator[int, None, None]:
        yield 1
        raise ValueError("no")

    items = iterate_on_thread(work(), stop=lambda: None)
    assert next(items) == 1
    with pytest.raises(ValueError, match="no"):
        next(items)
