"""Cancels the jobs of a query that runs past its deadline."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Timer
from typing import Any
from uuid import uuid4


@contextmanager
def job_group(context: Any, seconds: float) -> Iterator[Event]:
    """Run the block's jobs, those yet to come too, for so many seconds at most.

    Args:
        context: The Spark context of the session.
        seconds: The deadline.

    Yields:
        An event that is set when the time ran out.
    """
    group = uuid4().hex
    late = Event()

    def cancel() -> None:
        late.set()
        context.cancelJobGroupAndFutureJobs(group)

    context.setJobGroup(group, "a query of wardround", interruptOnCancel=True)
    timer = Timer(seconds, cancel)
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()
        timer.join()
