"""A chat endpoint that sends the same reply to every request after one second."""

import asyncio
import sys
from typing import Any

SECONDS_A_REPLY = 1.0


async def until_open(port: int) -> None:
    """Waits until the endpoint takes connections."""
    for _ in range(200):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return
    raise RuntimeError("the stub endpoint did not start")


class _Stub(asyncio.Protocol):
    """An HTTP/1.1 server with keep-alive and a constant, delayed reply."""

    BODY = (
        b'{"id":"1","object":"chat.completion","created":1,"model":"stub","choices":[{"index":0,'
        b'"finish_reason":"stop","message":{"role":"assistant","content":"There were 42."}}],'
        b'"usage":{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105}}'
    )
    REPLY = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (
        len(BODY),
        BODY,
    )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport
        self._received = b""

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
        if end and len(body) >= int(length or 0):
            self._received = b""
            loop = asyncio.get_running_loop()
            loop.call_later(SECONDS_A_REPLY, self._transport.write, self.REPLY)


async def _serve(port: str) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Stub, "127.0.0.1", int(port), backlog=1000)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1]))
