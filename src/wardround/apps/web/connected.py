"""Ends the work for a request when its client leaves."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from fastapi import Request

Result = TypeVar("Result")

_SECONDS = 0.5


class ClientLeftError(Exception):
    """The client closed the connection; nobody reads an answer."""


async def while_connected(request: Request, work: Coroutine[Any, Any, Result]) -> Result:
    """Awaits some work, and cancels it when the client closes the connection.

    Raises:
        ClientLeftError: the client left.
    """
    task = asyncio.create_task(work)
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=_SECONDS)
            if not task.done() and await request.is_disconnected():
                raise ClientLeftError
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
