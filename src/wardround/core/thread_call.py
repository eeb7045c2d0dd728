"""Works on another thread, so that an interrupt is heard at once and taken for what it is.

DuckDB and the ADBC drivers listen for interrupts themselves where they are called on the main
thread, and turn them into errors of their own.
"""

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TypeVar

_TICK = 0.1

T = TypeVar("T")


def aside(work: Generator[T, None, None], stop: Callable[[], None]) -> Iterator[T]:
    """What a generator yields; all its work is done on one other thread.

    Args:
        work: What is to be done. It is closed on that thread, whatever happens here.
        stop: Breaks off what the work is busy with; called until the work gives in.

    >>> list(aside((number for number in range(3)), stop=lambda: None))
    [0, 1, 2]
    """
    with ThreadPoolExecutor(1) as pool:
        try:
            while item := _awaited(pool.submit(_next, work), stop):
                yield from item
        finally:
            pool.submit(work.close).result()


def _next(work: Generator[T, None, None]) -> list[T]:
    """The next item; none at the end."""
    return list(islice(work, 1))


def _awaited(step: Future[list[T]], stop: Callable[[], None]) -> list[T]:
    try:
        while not _over(step):
            pass
    except BaseException:
        while not _over(step):
            stop()
        raise
    return step.result()


def _over(step: Future[list[T]]) -> bool:
    return bool(wait([step], timeout=_TICK).done)
