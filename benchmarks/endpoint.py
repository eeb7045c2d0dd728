"""Speed and memory of many concurrent chats, against an endpoint that takes a second a reply."""

import asyncio
import resource
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias

from wardround.core.trajectory import Requested
from wardround.models import Message, ModelSettings, open_model

CONVERSATIONS = 200
REQUESTS = 10
SECONDS_A_REPLY = 1.0
SYSTEM = "You answer questions about a hospital's records. " * 20
QUESTION = "How many patients were admitted to the ward on that day, and with what diagnosis? "

Ask: TypeAlias = Callable[[list[Message]], Awaitable[str]]


def measure() -> list[dict[str, Any]]:
    """Replies a second, CPU and memory: our door beside a bare OpenAI client."""
    ours = _in_a_fresh_process("door")
    bare = _in_a_fresh_process("bare")
    ideal = CONVERSATIONS / SECONDS_A_REPLY
    rows = [
        ("replies a second", "1/s", 0, f"bare OpenAI client: {bare[0]:.0f}; ideal: {ideal:.0f}"),
        ("CPU a request", "ms", 1, f"bare OpenAI client: {bare[1]:.2f}"),
        ("memory a conversation", "KiB", 2, f"bare OpenAI client: {bare[2]:.0f}; goal: < 1024"),
    ]
    shares = f"bare OpenAI client: {100 * bare[0] / ideal:.0f}; goal: 80"
    share = _row("share of the ideal rate", 100 * ours[0] / ideal, "%", shares)
    return [*(_row(name, ours[i], unit, beside) for name, unit, i, beside in rows), share]


def _row(name: str, value: float, unit: str, compared_with: str) -> dict[str, Any]:
    title = f"{CONVERSATIONS} concurrent chats: {name}"
    return {"name": title, "value": round(value, 2), "unit": unit, "compared_with": compared_with}


def _in_a_fresh_process(client: str) -> tuple[float, float, float]:
    """Replies a second, CPU milliseconds a request, KiB a conversation."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    stub = subprocess.Popen([sys.executable, __file__, "stub", port])
    try:
        command = [sys.executable, __file__, client, port]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    finally:
        stub.terminate()
        stub.wait()
    rate, cpu, memory = map(float, out.split())
    return rate, cpu, memory


async def _drive(client: str, port: str) -> None:
    await _until_open(int(port))
    opener = {"door": _door, "bare": _bare}[client]
    async with opener(f"http://127.0.0.1:{port}/v1") as ask:
        await ask([Message("user", "warm-up")])
        before, memory = _cpu_seconds(), _resident_kib()
        started = time.perf_counter()
        await asyncio.gather(*(_converse(ask) for _ in range(CONVERSATIONS)))
        seconds, replies = time.perf_counter() - started, CONVERSATIONS * REQUESTS
        cpu = 1000 * (_cpu_seconds() - before) / replies
        print(replies / seconds, cpu, (_resident_kib() - memory) / CONVERSATIONS)


async def _converse(ask: Ask) -> None:
    messages = [Message("system", SYSTEM)]
    for number in range(REQUESTS):
        messages.append(Message("user", f"{number}: {QUESTION}"))
        messages.append(Message("assistant", await ask(messages)))


@asynccontextmanager
async def _door(url: str) -> AsyncIterator[Ask]:
    opened = open_model(ModelSettings(name="openai:stub", base_url=url))
    requests: list[Requested] = []
    model = opened.bind("agent", requests.append, seed=0)

    async def ask(messages: list[Message]) -> str:
        return (await model.chat(messages)).text

    yield ask
    await opened.close()


@asynccontextmanager
async def _bare(url: str) -> AsyncIterator[Ask]:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)

    async def ask(messages: list[Message]) -> str:
        sent: Any = [{"role": message.role, "content": message.text} for message in messages]
        reply = await client.chat.completions.create(model="stub", messages=sent, max_tokens=4096)
        return reply.choices[0].message.content or ""

    yield ask
    await client.close()


async def _until_open(port: int) -> None:
    for _ in range(200):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return
    raise RuntimeError("the stub endpoint did not start")


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _resident_kib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1024


class _Stub(asyncio.Protocol):
    """HTTP/1.1 kept alive, the same reply to every request, a second later."""

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
    match sys.argv[1:]:
        case ["stub", port]:
            asyncio.run(_serve(port))
        case [client, port]:
            asyncio.run(_drive(client, port))
        case _:
            for row in measure():
                print(f"{row['name']}: {row['value']} {row['unit']} ({row['compared_with']})")
