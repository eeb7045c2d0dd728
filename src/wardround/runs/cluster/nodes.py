"""Trials spread over the nodes of a Ray cluster.

The nodes play and judge; this process alone writes the run. A trial whose node dies goes to another
worker: Ray restarts and retries nothing by itself.
"""

import asyncio
import json
import os
import socket
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, cast

from wardround.core.errors import UserError
from wardround.core.task import Task
from wardround.core.trial import JUDGING_FAILED, FinishedTrial, VerdictListener
from wardround.core.verdict import Verdict
from wardround.runs.cluster.worker import Assignment, ClusterWorker
from wardround.runs.trials import Trials
from wardround.runs.workers import Job, lost_trial

MOST_LOSSES = 3  # workers that a trial may lose: perhaps it is what ends them
_PLACING_SECONDS = 60.0
_CONNECTING_SECONDS = 10.0
_PAUSE = 1.0


class LostWorkerError(Exception):
    """A worker ended before its job was done."""


@dataclass(eq=False, slots=True)
class _Worker:
    """A worker that takes jobs until it is lost."""

    actor: Any
    jobs: int = 0
    lost: asyncio.Event = field(default_factory=asyncio.Event)


class Cluster:
    """Assigns jobs to the worker with the fewest, and jobs of a lost worker to another.

    Args:
        run: the run that the workers take part in.
        start: starts a worker somewhere in the cluster.
        end: ends a worker.
        faults: the exceptions of a lost worker.
    """

    def __init__(
        self,
        run: Assignment,
        start: Callable[[], Any],
        end: Callable[[Any], None],
        faults: tuple[type[Exception], ...],
    ) -> None:
        self._run = run
        self._start, self._end, self._faults = start, end, faults
        self._ready: list[_Worker] = []
        self._placed = 0
        self._failure: UserError | None = None
        self._changed = asyncio.Condition()
        self._sending: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def play(
        self, task: Task[Any, Any], trial: int, unvalidated: FinishedTrial | None = None
    ) -> FinishedTrial:
        """Plays a trial; after several lost workers it ends as `infra_error`.

        Raises:
            UserError: the settings are wrong, or no node is left.
        """
        started = perf_counter()
        for _ in range(MOST_LOSSES):
            try:
                job = ("play", task, trial, unvalidated)
                return cast("FinishedTrial", await self._carry_out(job, _ignore))
            except LostWorkerError:
                continue
        reason = f"the {MOST_LOSSES} workers that ran it died"
        seed, seconds = self._run.settings.seed, perf_counter() - started
        return lost_trial(task, trial, seed, reason, seconds)

    async def judge(
        self, trial: FinishedTrial, known: Sequence[Verdict], on_verdict: VerdictListener
    ) -> str:
        """Judges a trial; another worker continues with the verdicts of a lost one.

        Raises:
            UserError: the settings are wrong, or no node is left.
        """
        verdicts = [*known]

        def keep(verdict: Verdict, *requests: Any) -> None:
            verdicts.append(verdict)
            on_verdict(verdict, *requests)

        for _ in range(MOST_LOSSES):
            try:
                job = ("judge", trial, tuple(verdicts))
                return cast("str", await self._carry_out(job, keep))
            except LostWorkerError:
                continue
        return f"{JUDGING_FAILED}: the {MOST_LOSSES} workers that judged it died"

    async def ready(self) -> None:
        """Waits for the first worker.

        Raises:
            UserError: no node can take part.
        """
        async with self._changed:
            await self._changed.wait_for(lambda: self._ready or self._failure)
        if self._failure:
            raise self._failure

    async def keep_worker(self) -> None:
        """Starts a worker, and another one whenever it is lost."""
        losses = 0
        while self._failure is None:
            actor = self._start()
            try:
                await self._prepare(actor)
                losses = 0
                await self._serve(_Worker(actor))
            except UserError as error:
                await self._fail(error)
            except self._faults as fault:
                losses += 1
                if losses == MOST_LOSSES and not self._ready:
                    await self._fail(_not_started(fault))
            finally:
                self._end(actor)
            await asyncio.sleep(_PAUSE)

    async def _prepare(self, actor: Any) -> None:
        """Waits until a worker has a place, sends it the files that its node lacks, and opens it.

        Raises:
            UserError: the cluster has no place, or the node cannot take part.
        """
        node = asyncio.ensure_future(_awaited(actor.node.remote()))
        while not (await asyncio.wait([node], timeout=_PLACING_SECONDS))[0]:
            if not self._placed:
                node.cancel()
                raise UserError(
                    f"No node of the cluster had a free CPU for {_PLACING_SECONDS:.0f} seconds; "
                    "start a node with `ray start`. A run that has begun continues with wardround "
                    "resume."
                )
        with self._counted():
            async with self._sending[node.result()]:
                await self._send_files(actor)
        refusal = await actor.open.remote(self._run)
        if refusal is not None:
            raise refusal

    async def _send_files(self, actor: Any) -> None:
        for file in self._run.files:
            if await actor.lacks.remote(file):
                for part, chunk in file.chunks():
                    await actor.receive.remote(part, chunk)
                await actor.received.remote()

    async def _serve(self, worker: _Worker) -> None:
        with self._counted():
            self._ready.append(worker)
            await self._tell()
            try:
                await worker.lost.wait()
            finally:
                self._ready.remove(worker)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        self._placed += 1
        try:
            yield
        finally:
            self._placed -= 1

    async def _carry_out(self, job: Job, on_verdict: VerdictListener) -> object:
        worker = await self._take()
        try:
            async for message in worker.actor.carry_out.remote(job):
                kind, content = await message
                match kind:
                    case "verdict":
                        on_verdict(*content)
                    case "error":
                        raise content
                    case "answer":
                        return content
        except self._faults as fault:
            worker.lost.set()
            raise LostWorkerError from fault
        finally:
            worker.jobs -= 1
        worker.lost.set()
        raise LostWorkerError

    async def _take(self) -> _Worker:
        async with self._changed:
            await self._changed.wait_for(lambda: self._working() or self._failure)
            if self._failure:
                raise self._failure
            worker = min(self._working(), key=lambda each: each.jobs)
            worker.jobs += 1
            return worker

    def _working(self) -> list[_Worker]:
        return [each for each in self._ready if not each.lost.is_set()]

    async def _fail(self, error: UserError) -> None:
        self._failure = error
        await self._tell()

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()


@asynccontextmanager
async def spread(address: str, run: Assignment) -> AsyncIterator[Trials]:
    """Runs trials on the nodes of a Ray cluster, with a worker for each trial at once or CPU.

    Raises:
        UserError: the cluster cannot be reached, sends usage statistics, or has no fitting node.
    """
    ray = _connected(address)
    try:
        count = min(run.settings.concurrency, int(ray.cluster_resources().get("CPU", 0)))
        worker = ray.remote(
            max_restarts=0, max_task_retries=0, num_cpus=1, scheduling_strategy="SPREAD"
        )(ClusterWorker)
        cluster = Cluster(run, worker.remote, ray.kill, (ray.exceptions.RayError,))
        keepers = [asyncio.create_task(cluster.keep_worker()) for _ in range(max(count, 1))]
        try:
            await cluster.ready()
            yield cluster
        finally:
            for keeper in keepers:
                keeper.cancel()
            await asyncio.gather(*keepers, return_exceptions=True)
    finally:
        ray.shutdown()


def _connected(address: str) -> Any:
    """Ray, connected to a cluster that sends no usage statistics."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # of this process, before Ray reads it
    try:
        import ray
    except ModuleNotFoundError:
        raise UserError(
            "--cluster needs ray; install it with: pip install 'wardround[ray]'."
        ) from None
    if address != "auto":
        _check_listens(address)
    try:
        ray.init(address=address, log_to_driver=False, configure_logging=False)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise _not_found(address, error) from None
    if _sends_statistics():
        ray.shutdown()
        raise UserError(
            f"The Ray cluster at {address} sends usage statistics to Ray's makers; start its head "
            "with `ray start --head --disable-usage-stats`."
        )
    return ray


def _check_listens(address: str) -> None:
    """Looks for a server: Ray itself tries for minutes, and writes its own log meanwhile.

    Raises:
        UserError: nothing listens there.
    """
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), _CONNECTING_SECONDS).close()
    except (OSError, ValueError) as error:
        raise _not_found(address, error) from None


def _not_found(address: str, error: Exception) -> UserError:
    return UserError(
        f"No Ray cluster was found at {address} ({error}); start one with `ray start --head "
        "--disable-usage-stats` on this machine, or join it here with `ray start --address`."
    )


def _sends_statistics() -> bool:
    """True if the cluster's head was started with usage statistics.

    Ray adds the operating system to the cluster's description only then.
    """
    from ray.experimental.internal_kv import _internal_kv_get

    return "os" in json.loads(_internal_kv_get(b"CLUSTER_METADATA", namespace=b"cluster") or b"{}")


def _not_started(fault: Exception) -> UserError:
    reason = str(fault).strip().splitlines()
    return UserError(
        f"No worker of the cluster could be started ({reason[-1] if reason else type(fault)}); "
        "install wardround with the same version and Python on all nodes."
    )


async def _awaited(reference: Any) -> Any:
    return await reference


def _ignore(verdict: Verdict, requests: Sequence[Any]) -> None:
    """Ignores a verdict: playing has none."""
