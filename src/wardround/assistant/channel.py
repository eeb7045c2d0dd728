"""Messages between the server and a worker process, sent without blocking an event loop."""

import asyncio
import pickle
from collections.abc import AsyncIterator
from socket import socket
from typing import Any

_HEAD = 8  # bytes before a message, which hold its length


class Channel:
    """One end of a pair of sockets; see `over`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def over(cls, end: socket) -> "Channel":
        """A channel over one end of a pair of sockets, which it closes."""
        return cls(*await asyncio.open_connection(sock=end))

    def send(self, message: object) -> None:
        """Sends a message; to a process that has ended it goes nowhere."""
        if self._writer.is_closing():
            return
        content = pickle.dumps(message)
        self._writer.write(len(content).to_bytes(_HEAD, "big") + content)

    async def messages(self) -> AsyncIterator[Any]:
        """The messages of the other process, until it ends or closes its end."""
        while True:
            try:
                size = int.from_bytes(await self._reader.readexactly(_HEAD), "big")
                content = await self._reader.readexactly(size)
            except (asyncio.IncompleteReadError, OSError):
                return
            yield pickle.loads(content)  # noqa: S301 - it comes from wardround

    def close(self) -> None:
        """Closes this end, which tells the other process."""
        self._writer.close()
