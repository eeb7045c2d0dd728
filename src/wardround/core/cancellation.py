"""Cancellation that threads can see: asyncio cancels the task that waits, never its thread."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

_cancelled: ContextVar[Event | None] = ContextVar("cancelled", default=None)


@contextmanager
def cancelling_threads() -> Iterator[None]:
    """Cancels the threads and tasks that begin within when the block is cancelled.

    They see it by `is_cancelled`; database statements that run in them are interrupted.
    """
    event = Event()
    token = _cancelled.set(event)
    try:
        yield
    except asyncio.CancelledError:
        event.set()
        raise
    finally:
        _cancelled.reset(token)


def is_cancelled() -> bool:
    """True if the block that began this thread or task was cancelled, so nobody waits for it."""
    event = _cancelled.get()
    return event is not None and event.is_set()
