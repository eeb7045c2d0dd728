"""An answering process that is none: its jobs are done in the event loop of the front process."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from socket import socketpair
from threading import Event
from typing import Any, cast

from wardround.assistant.answering import Answering, answer_jobs
from wardround.assistant.answering_process import AnsweringProcess
from wardround.assistant.channel import Channel
from wardround.assistant.wards import Wards
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


async def answering_here(answering: Answering) -> AnsweringProcess:
    """The front's end of something that does jobs."""
    own, other = socketpair()
    jobs = asyncio.create_task(answer_jobs(other, answering))
    channel = await Channel.over(own)
    return AnsweringProcess(cast("Any", _Loop(jobs, channel)), channel)


async def start_here(settings: RunSettings, folder: Path, limits: Limits) -> AnsweringProcess:
    """Stands in for `AnsweringProcess.start`."""
    return await answering_here(Answering(Wards(settings, folder), limits))


def fixed_wards(wards: Mapping[int, Any]) -> Wards:
    """Wards that are open already."""
    return cast("Wards", wards)
