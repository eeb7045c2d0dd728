"""A worker without a process: its jobs are done in the event loop of the test."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from socket import socketpair
from threading import Event
from typing import Any, cast

from wardround.assistant.channel import Channel
from wardround.assistant.wards import Wards
from wardround.assistant.worker import Worker, answer_jobs
from wardround.assistant.worker_handle import WorkerHandle
from wardround.core.limits import Limits
from wardround.runs.settings import RunSettings


class _Loop:
    """What does the jobs, as a process that can be ended."""

    exitcode = -9

    def __init__(self, jobs: "asyncio.Task[None]", channel: Channel) -> None:
        self._jobs = jobs
        self._channel = channel
        self._ended = Event()
        jobs.add_done_callback(lambda task: self._ended.set())

    def kill(self) -> None:
        """Ends it in the middle of its jobs."""
        self._channel._writer.transport.abort()
        self._jobs.cancel()

    def join(self, seconds: float | None = None) -> None:
        """Waits, on a thread, until its jobs are over."""
        self._ended.wait(seconds)

    def is_alive(self) -> bool:
        return not self._ended.is_set()


async def worker_here(worker: Worker) -> WorkerHandle:
    """The front's end of something that does jobs."""
    own, other = socketpair()
    jobs = asyncio.create_task(answer_jobs(other, worker))
    channel = await Channel.over(own)
    return WorkerHandle(cast("Any", _Loop(jobs, channel)), channel)


async def start_here(settings: RunSettings, folder: Path, limits: Limits) -> WorkerHandle:
    """Stands in for `WorkerHandle.start`."""
    return await worker_here(Worker(Wards(settings, folder), limits))


def fixed_wards(wards: Mapping[int, Any]) -> Wards:
    """Wards that are open already."""
    return cast("Wards", wards)
