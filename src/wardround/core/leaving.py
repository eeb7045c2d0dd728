"""Tells work on threads that whoever waits for it has left."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

_left: ContextVar[Event | None] = ContextVar("left", default=None)


@contextmanager
def ended_when_left() -> Iterator[None]:
    """Ends the statements of the work within when the work is cancelled.

    Threads of `asyncio.to_thread` and tasks that begin within belong to the work.
    """
    event = Event()
    token = _left.set(event)
    try:
        yield
    except asyncio.CancelledError:
        event.set()
        raise
    finally:
        _left.reset(token)


def has_left() -> bool:
    """True if the work of this thread or task was cancelled, so that nobody waits for it."""
    event = _left.get()
    return event is not None and event.is_set()
