"""Runs a generator on a worker thread, so that Ctrl-C is handled immediately.

On the main thread, DuckDB and the ADBC drivers catch interrupts themselves and turn them into
errors of their own.
"""

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TypeVar

_TICK = 0.1

T = TypeVar("T")


def iterate_on_thread(work: Generator[T, None, None], stop: Callable[[], None]) -> Iterator[T]:
    """Yields the items of a generator that runs on one worker thread.

    Args:
        work: The generator; it is closed on its thread in any case.
        stop: Interrupts the running step; called until the step ends.

    >>> list(iterate_on_thread((number for number in range(3)), stop=lambda: None))
    [0, 1, 2]
    """
    with ThreadPoolExecutor(1) as pool:
        try:
            while item := _wait_for(pool.submit(_next, work), stop):
                yield from item
        finally:
            pool.submit(work.close).result()


def _next(work: Generator[T, None, None]) -> list[T]:
    """The next item in a list, which is empty at the end."""
    return list(islice(work, 1))


def _wait_for(step: Future[list[T]], stop: Callable[[], None]) -> list[T]:
    try:
        while not _is_done(step):
            pass
    except BaseException:
        while not _is_done(step):
            stop()
        raise
    return step.result()


def _is_done(step: Future[list[T]]) -> bool:
    return bool(wait([step], timeout=_TICK).done)
