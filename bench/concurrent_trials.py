"""Measures 200 concurrent trials against an endpoint with a latency of one second."""

import asyncio
import resource
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, TypeAlias

from bench.figures import Figure, figure
from bench.scripted_trials import TASK
from bench.stub_endpoint import SECONDS_A_REPLY, until_open
from wardround.agents.native_tools import open_agents
from wardround.benchmarks.chatqa.benchmark import ChatBenchmark
from wardround.core.limits import Limits
from wardround.core.record import TrialRecord
from wardround.core.run_writer import new_run
from wardround.models import ModelSettings
from wardround.models.roles import RoleModels
from wardround.runs.batch import run_batch
from wardround.runs.settings import RunSettings
from wardround.runs.trials import OwnTrials

Work: TypeAlias = Callable[[int, int], Awaitable[int]]

TRIALS = 200
ROUNDS = 1
REPLIES = 8  # about the user turns and tool calls of a trial


def measure() -> list[Figure]:
    """Measures replies per second, CPU and memory of trials and of a bare OpenAI client."""
    rate, cpu, memory = _in_fresh_processes("trials")
    bare, bare_cpu, bare_memory = _in_fresh_processes("bare")
    ideal = TRIALS / SECONDS_A_REPLY
    name = f"{TRIALS} concurrent trials, 1 process"
    return [
        figure(
            f"{name}: share of the ideal {ideal:.0f} replies a second",
            100 * rate / ideal,
            "%",
            f"goal: at least 80; bare OpenAI client: {100 * bare / ideal:.0f}",
        ),
        figure(f"{name}: CPU a reply", cpu, "ms", f"bare OpenAI client: {bare_cpu:.2f}"),
        figure(
            f"{name}: memory a trial",
            memory / 1024,
            "MiB",
            f"goal: less than 1; bare OpenAI client: {bare_memory / 1024:.3f}",
        ),
    ]


def _in_fresh_processes(client: str) -> tuple[float, float, float]:
    """Replies per second, CPU ms per reply, KiB per trial; endpoint and client are separate."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    stub = subprocess.Popen([sys.executable, "-m", "bench.stub_endpoint", port])
    try:
        command = [sys.executable, "-m", "bench.concurrent_trials", client, port]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    finally:
        stub.terminate()
        stub.wait()
    rate, cpu, memory = map(float, out.split()[-3:])
    return rate, cpu, memory


@asynccontextmanager
async def _trials(url: str) -> AsyncIterator[Work]:
    """Yields a function that runs trials and returns the number of replies."""
    named = ModelSettings(name="openai:stub", base_url=url)
    models = RoleModels({"agent": named})
    benchmark = ChatBenchmark.open(RunSettings(benchmark="chatqa", agent="tools").opening(models))
    agents = open_agents(models.open("agent"))

    async def work(trials: int, replies: int) -> int:
        limits = Limits(actions=replies)
        most = min(trials, TRIALS)
        own = OwnTrials(benchmark, lambda task: agents, limits=limits)
        records: list[TrialRecord] = []
        with (
            tempfile.TemporaryDirectory() as folder,
            new_run(Path(folder) / "run", {}) as writer,
        ):
            jobs = [(TASK, trial) for trial in range(trials)]
            await run_batch(
                jobs, own, writer, benchmark.score, concurrency=most, on_finished=records.append
            )
        return sum(record.use["agent"].requests for record in records)

    yield work
    await models.close()
    benchmark.close()


@asynccontextmanager
async def _bare(url: str) -> AsyncIterator[Work]:
    """The same for a bare client with conversations of equally many replies."""
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    opening = "How many patients were admitted? " * 100

    async def talk(replies: int) -> None:
        messages: list[Any] = [{"role": "user", "content": opening}]
        for _ in range(replies):
            reply = await client.chat.completions.create(model="stub", messages=messages)
            text = reply.choices[0].message.content or ""
            messages.append({"role": "assistant", "content": text})
            messages.append({"role": "user", "content": "And then?"})

    async def work(trials: int, replies: int) -> int:
        at_once = min(trials, TRIALS)

        async def talks() -> None:
            for _ in range(trials // at_once):
                await talk(replies)

        await asyncio.gather(*(talks() for _ in range(at_once)))
        return trials * replies

    yield work
    await client.close()


async def _drive(client: str, port: str) -> None:
    await until_open(int(port))
    opener = {"trials": _trials, "bare": _bare}[client]
    async with opener(f"http://127.0.0.1:{port}/v1") as work:
        await work(1, 1)  # warm up: imports and indexes are not part of the measurement
        memory, cpu, started = _memory("VmRSS"), _cpu_seconds(), perf_counter()
        replies = await work(ROUNDS * TRIALS, REPLIES)
        seconds, spent = perf_counter() - started, _cpu_seconds() - cpu
    print(replies / seconds, 1000 * spent / replies, (_memory("VmHWM") - memory) / TRIALS)


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _memory(name: str) -> float:
    """A memory figure of this process in KiB, such as VmRSS."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return float(next(line for line in lines if line.startswith(name)).split()[1])


if __name__ == "__main__":
    asyncio.run(_drive(*sys.argv[1:]))
