"""Worker processes that share a run's trials, so that one run can use every core."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from time import perf_counter
from typing import Any, TypeAlias, cast

from wardround.core.record import Outcome
from wardround.core.seeds import derive_seed
from wardround.core.task import Task
from wardround.core.trajectory import Requested, Trajectory
from wardround.core.trial import JUDGING_FAILED, Attempt, FinishedTrial, VerdictListener
from wardround.core.url_passwords import with_passwords
from wardround.core.verdict import Verdict
from wardround.runs.trials import Trials

Opener: TypeAlias = Callable[[], AbstractAsyncContextManager[Trials]]
Job: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A job in progress: the future of its answer, and the callback for its verdicts."""

    answer: "asyncio.Future[object]"
    on_verdict: VerdictListener | None


@dataclass(eq=False, slots=True)
class _Worker:
    """One process, its pipe, and its unanswered jobs.

    `gone` is set when its end of the pipe is closed, which happens before its exit is known.
    """

    process: BaseProcess
    pipe: Connection
    waiting: dict[int, _Waiting] = field(default_factory=dict)
    gone: bool = False


class Workers:
    """Assigns jobs to the process with the fewest; replaces processes that die.

    Args:
        opener: opens a run's trials in each process; must be picklable.
        count: the number of processes.
        seed: the run's seed.
    """

    def __init__(self, opener: Opener, count: int, seed: int) -> None:
        self._opener = opener
        self._seed = seed
        self._workers = [self._started() for _ in range(count)]
        self._jobs = 0

    async def play(
        self, task: Task[Any, Any], trial: int, unvalidated: FinishedTrial | None = None
    ) -> FinishedTrial:
        """Plays a trial in a process; if that process dies, the trial ends as `infra_error`.

        Raises:
            UserError: raised by the process.
        """
        started = perf_counter()
        try:
            return cast("FinishedTrial", await self._carry_out(("play", task, trial, unvalidated)))
        except (EOFError, OSError):
            seconds = perf_counter() - started
            return lost_trial(task, trial, self._seed, "the process that ran it died", seconds)

    async def judge(
        self, trial: FinishedTrial, known: Sequence[Verdict], on_verdict: VerdictListener
    ) -> str:
        """Judges a trial in a process; if that process dies, the trial is unscored.

        Raises:
            UserError: raised by the process.
        """
        try:
            return cast("str", await self._carry_out(("judge", trial, known), on_verdict))
        except (EOFError, OSError):
            return f"{JUDGING_FAILED}: the process that judged it died"

    async def _carry_out(self, job: Job, on_verdict: VerdictListener | None = None) -> object:
        worker = self._idlest()
        self._jobs += 1
        number = self._jobs
        answer = asyncio.get_running_loop().create_future()
        worker.waiting[number] = _Waiting(answer, on_verdict)
        try:
            worker.pipe.send((number, job))
            return await answer
        finally:
            worker.waiting.pop(number, None)

    def close(self) -> None:
        """Ends the processes."""
        loop = asyncio.get_running_loop()
        for worker in self._workers:
            loop.remove_reader(worker.pipe.fileno())
            worker.pipe.close()
        for worker in self._workers:
            worker.process.join()

    def _idlest(self) -> _Worker:
        for index, worker in enumerate(self._workers):
            if worker.gone:
                worker.pipe.close()
                self._workers[index] = self._started()
        return min(self._workers, key=lambda worker: len(worker.waiting))

    def _started(self) -> _Worker:
        context = get_context("spawn")
        parent, child = context.Pipe()
        process = context.Process(
            target=with_passwords(_serve), args=(child, self._opener), daemon=True
        )
        process.start()
        child.close()
        worker = _Worker(process, parent)
        asyncio.get_running_loop().add_reader(parent.fileno(), _receive, worker)
        return worker


def lost_trial(
    task: Task[Any, Any], trial: int, run_seed: int, reason: str, seconds: float
) -> FinishedTrial:
    """A trial that ends as `infra_error`, since it was lost with its process."""
    lost = Attempt(Trajectory(), Outcome.INFRA_ERROR, reason)
    return FinishedTrial(task, trial, derive_seed(run_seed, task.id, trial), (lost,), seconds)


@asynccontextmanager
async def shared(opener: Opener, count: int, seed: int) -> AsyncIterator[Trials]:
    """Runs trials in several processes."""
    workers = Workers(opener, count, seed)
    try:
        yield workers
    finally:
        workers.close()


def _receive(worker: _Worker) -> None:
    """Receives an answer or a verdict from the pipe, or marks the process as gone."""
    try:
        job, kind, content = worker.pipe.recv()
    except (EOFError, OSError) as gone:
        worker.gone = True
        asyncio.get_running_loop().remove_reader(worker.pipe.fileno())
        for waiting in worker.waiting.values():
            _settle(waiting, "error", gone)
        return
    if job in worker.waiting:
        _settle(worker.waiting[job], kind, content)


def _settle(waiting: _Waiting, kind: str, content: Any) -> None:
    if waiting.answer.done():
        return
    match kind:
        case "verdict" if waiting.on_verdict:
            waiting.on_verdict(*content)
        case "error":
            waiting.answer.set_exception(content)
        case "answer":
            waiting.answer.set_result(content)


def _serve(pipe: Connection, opener: Opener) -> None:
    """Run trials in a worker process until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process handles Ctrl-C
    # The processes use all cores already; further threads of a BLAS library would slow them.
    for library in ("OPENBLAS", "MKL", "OMP"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    asyncio.run(_work(pipe, opener))


async def _work(pipe: Connection, opener: Opener) -> None:
    closed = asyncio.Event()
    running: set[asyncio.Task[None]] = set()
    async with opener() as trials:

        def take() -> None:
            try:
                number, job = pipe.recv()
            except (EOFError, OSError):
                closed.set()
                return

            def send(kind: str, content: object) -> None:
                pipe.send((number, kind, content))

            running.add(started := asyncio.create_task(carry_out(trials, job, send)))
            started.add_done_callback(running.discard)

        asyncio.get_running_loop().add_reader(pipe.fileno(), take)
        await closed.wait()
        asyncio.get_running_loop().remove_reader(pipe.fileno())
        for task in running:
            task.cancel()


async def carry_out(trials: Trials, job: Job, send: Callable[[str, object], None]) -> None:
    """Plays or judges a trial for another process.

    Args:
        trials: play and judge.
        job: the name of the method with its arguments.
        send: sends each "verdict", and last an "answer" or an "error".
    """

    def on_verdict(verdict: Verdict, requests: Sequence[Requested]) -> None:
        send("verdict", (verdict, tuple(requests)))

    try:
        match job:
            case ("play", *of_trial):
                send("answer", await trials.play(*of_trial))
            case ("judge", trial, known):
                send("answer", await trials.judge(trial, known, on_verdict))
    except Exception as error:
        send("error", error)
