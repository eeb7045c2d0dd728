"""Processes that share a run's trials, so that one run can use every core."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeAlias

from wardround.core.record import Outcome
from wardround.core.task import Task
from wardround.core.trajectory import Trajectory
from wardround.core.trial import Attempt, FinishedTrial, RunTrial

Opener: TypeAlias = Callable[[], AbstractAsyncContextManager[RunTrial]]


@dataclass(eq=False, slots=True)
class _Worker:
    """One process, the pipe to it, and the trials that it has not given back yet.

    `gone` is set when its end of the pipe is closed, which comes before its exit is known.
    """

    process: BaseProcess
    pipe: Connection
    waiting: dict[int, asyncio.Future[FinishedTrial]] = field(default_factory=dict)
    gone: bool = False


class Workers:
    """Hands trials to the process with the fewest; a process that dies is replaced.

    Args:
        opener: opens a run's trials in each process; a module's function, with or without
            `functools.partial`, since it is sent there.
        count: how many processes.
    """

    def __init__(self, opener: Opener, count: int) -> None:
        self._opener = opener
        self._workers = [self._started() for _ in range(count)]
        self._jobs = 0

    async def run(self, task: Task[Any, Any], trial: int) -> FinishedTrial:
        """Runs a trial in a process; if that process dies, the trial ended as `infra_error`.

        Raises:
            UserError: as the run in the process raised it.
        """
        worker = self._idlest()
        self._jobs += 1
        job = self._jobs
        worker.waiting[job] = asyncio.get_running_loop().create_future()
        try:
            worker.pipe.send((job, task, trial))
            return await worker.waiting[job]
        except (EOFError, OSError):
            lost = Attempt(Trajectory(), Outcome.INFRA_ERROR, "the process that ran it died")
            return FinishedTrial(task, trial, 0, (lost,), 0.0)
        finally:
            worker.waiting.pop(job, None)

    def close(self) -> None:
        """Ends the processes."""
        loop = asyncio.get_running_loop()
        for worker in self._workers:
            loop.remove_reader(worker.pipe.fileno())
            worker.pipe.close()
        for worker in self._workers:
            worker.process.join()

    def _idlest(self) -> _Worker:
        for place, worker in enumerate(self._workers):
            if worker.gone:
                worker.pipe.close()
                self._workers[place] = self._started()
        return min(self._workers, key=lambda worker: len(worker.waiting))

    def _started(self) -> _Worker:
        context = get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=_serve, args=(there, self._opener), daemon=True)
        process.start()
        there.close()
        worker = _Worker(process, here)
        asyncio.get_running_loop().add_reader(here.fileno(), _receive, worker)
        return worker


@asynccontextmanager
async def shared(opener: Opener, count: int) -> AsyncIterator[RunTrial]:
    """A run's trials in so many processes."""
    workers = Workers(opener, count)
    try:
        yield workers.run
    finally:
        workers.close()


def _receive(worker: _Worker) -> None:
    """Takes a finished trial from the pipe, or notices that the process is gone."""
    try:
        job, finished, error = worker.pipe.recv()
    except (EOFError, OSError) as gone:
        worker.gone = True
        asyncio.get_running_loop().remove_reader(worker.pipe.fileno())
        for future in worker.waiting.values():
            _settle(future, None, gone)
        return
    if job in worker.waiting:
        _settle(worker.waiting[job], finished, error)


def _settle(
    future: "asyncio.Future[FinishedTrial]",
    finished: FinishedTrial | None,
    error: BaseException | None,
) -> None:
    if future.done():
        return
    if finished is not None:
        future.set_result(finished)
    elif error is not None:
        future.set_exception(error)


def _serve(pipe: Connection, opener: Opener) -> None:
    """What a worker process does: trials as they come, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started it decides
    # The processes share the cores already; threads of a linear algebra library would spin.
    for library in ("OPENBLAS", "MKL", "OMP"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    asyncio.run(_work(pipe, opener))


async def _work(pipe: Connection, opener: Opener) -> None:
    closed = asyncio.Event()
    running: set[asyncio.Task[None]] = set()
    async with opener() as run:

        async def carry_out(job: int, task: Task[Any, Any], trial: int) -> None:
            try:
                pipe.send((job, await run(task, trial), None))
            except Exception as error:
                pipe.send((job, None, error))

        def take() -> None:
            try:
                job = pipe.recv()
            except (EOFError, OSError):
                closed.set()
                return
            running.add(started := asyncio.create_task(carry_out(*job)))
            started.add_done_callback(running.discard)

        asyncio.get_running_loop().add_reader(pipe.fileno(), take)
        await closed.wait()
        asyncio.get_running_loop().remove_reader(pipe.fileno())
        for task in running:
            task.cancel()
