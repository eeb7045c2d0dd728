"""Results of calls in several processes, in the order of the calls."""

import gc
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any, TypeVar

Arguments = TypeVar("Arguments", bound=tuple[Any, ...])
Result = TypeVar("Result")


def results_in_order(
    function: Callable[..., Result], calls: Iterable[Arguments], workers: int
) -> Iterator[tuple[Arguments, Result]]:
    """The arguments and result of each call, at most twice as many calls ahead as workers.

    Args:
        function: A function of a module.
        calls: The arguments of each call.
        workers: Number of processes.
    """
    # Spawn, because forking a process with threads may hang.
    with ProcessPoolExecutor(
        workers,
        mp_context=get_context("spawn"),
        initializer=start_worker,
        initargs=(gc.get_threshold(),),
    ) as pool:
        waiting: deque[tuple[Arguments, Future[Result]]] = deque()
        try:
            for arguments in calls:
                waiting.append((arguments, pool.submit(function, *arguments)))
                if len(waiting) > 2 * workers:
                    first, future = waiting.popleft()
                    yield first, future.result()
            while waiting:
                first, future = waiting.popleft()
                yield first, future.result()
        finally:
            for _, future in waiting:
                future.cancel()


def start_worker(thresholds: tuple[int, int, int]) -> None:
    """Leave Ctrl-C to the parent of this process, and end when the parent is killed.

    A worker of a pool would wait for its next call for ever, since it holds both ends of its queue.

    Args:
        thresholds: those of the parent's garbage collector, which a new process does not have.
    """
    gc.set_threshold(*thresholds)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if parent := parent_process():
        Thread(target=_end_after, args=(parent.join,), daemon=True).start()


def _end_after(wait: Callable[[], None]) -> None:
    wait()
    os._exit(1)
