"""Work on threads learns that whoever waits for it has left."""

import asyncio
from threading import Event

from wardround.core.cancellation import cancelling_threads, is_cancelled


async def test_a_thread_learns_that_its_task_was_cancelled() -> None:
    begun, noticed = Event(), Event()

    def work() -> None:
        begun.set()
        while not is_cancelled():
            noticed.wait(0.01)
        noticed.set()

    async def wait_for_it() -> None:
        with cancelling_threads():
            await asyncio.to_thread(work)

    task = asyncio.create_task(wait_for_it())
    await asyncio.to_thread(begun.wait, 10)
    task.cancel()
    await asyncio.wait({task})
    assert task.cancelled()
    assert await asyncio.to_thread(noticed.wait, 10)
    assert not is_cancelled()


async def test_work_that_ends_is_not_left() -> None:
    with cancelling_threads():
        assert not await asyncio.to_thread(is_cancelled)
    assert not is_cancelled()
