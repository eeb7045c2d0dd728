"""Measures `wardround serve` with 50 people who ask at once, by its number of processes."""

import asyncio
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import httpx2

from bench.figures import Figure, figure
from wardround.assistant.users import token_digest
from wardround.ehr.hospital.build import build_hospital

_PEOPLE, _SECONDS = 50, 40.0
_PROCESSES = (1, 2)
_PATIENTS = 300
_QUESTIONS = (
    "How many patients were prescribed heparin?",
    "How many patients over 70 were prescribed furosemide?",
    "How many patients had sepsis?",
    "What was the last creatinine of patient {patient}?",
    "Which drugs were prescribed to patient {patient}?",
    "How many patients were admitted through the emergency room?",
    "What is the average age of patients with heart failure?",
    "How many women had pneumonia?",
)


def measure() -> list[Figure]:
    """Measures the times to the first byte and to the answer, with and without time to think."""
    with tempfile.TemporaryDirectory() as scratch:
        hospital = Path(scratch, "hospital.duckdb")
        build_hospital(hospital, patients=_PATIENTS, seed=0, schema="mimic_iv")
        users = Path(scratch, "users.toml")
        users.write_text("".join(map(_user, range(_PEOPLE))))
        return [
            figure for count in _PROCESSES for figure in _measured(hospital, users, scratch, count)
        ]


def _measured(hospital: Path, users: Path, scratch: str, processes: int) -> list[Figure]:
    with _server(hospital, Path(scratch, f"served-{processes}"), users, processes) as address:
        asyncio.run(_asked(address, 4, 5.0, 0.0))  # the first questions fill caches
        thinking = asyncio.run(_asked(address, _PEOPLE, _SECONDS, 5.0))
        at_once = asyncio.run(_asked(address, _PEOPLE, _SECONDS, 0.0))
    name = f"serve --processes {processes}, {_PEOPLE} people"
    return [
        *_figures(f"{name}, think time 5 s", thinking, 2),
        *_figures(f"{name}, no think time", at_once, 3),
    ]


def _user(number: int) -> str:
    digest = token_digest(_token(number))
    return f'[users.p{number}]\ntoken_sha256 = "{digest}"\nquestions_per_minute = 10000\n'


def _token(number: int) -> str:
    return f"the token of person {number}"


def _figures(name: str, times: list[tuple[float, float]], goal: int) -> Iterator[Figure]:
    for what, column, limit in (("first byte", 0, 1), ("answer", 1, goal)):
        value = statistics.quantiles([each[column] for each in times], n=20)[-1]
        yield figure(f"{name}, {what}, 95th percentile", value, "s", f"goal: at most {limit}")
    yield figure(f"{name}, answers", len(times) / _SECONDS, "1/s", "")


async def _asked(
    address: str, people: int, seconds: float, thinking: float
) -> list[tuple[float, float]]:
    """The times to the first byte and to the end of each answer."""
    times = list[tuple[float, float]]()
    ends = time.perf_counter() + seconds
    limits = httpx2.Limits(max_connections=people)
    async with httpx2.AsyncClient(timeout=120, limits=limits) as client:
        work = (_person(client, address, number, ends, thinking, times) for number in range(people))
        await asyncio.gather(*work)
    return times


async def _person(
    client: httpx2.AsyncClient,
    address: str,
    number: int,
    ends: float,
    thinking: float,
    times: list[tuple[float, float]],
) -> None:
    chance = Random(number)
    await asyncio.sleep(chance.random() * thinking)
    while time.perf_counter() < ends:
        question = chance.choice(_QUESTIONS).format(patient=10_000_000 + chance.randrange(300))
        headers = {"Authorization": f"Bearer {_token(number)}"}
        asked = {"stream": True, "messages": [{"role": "user", "content": question}]}
        start = time.perf_counter()
        url = f"{address}/v1/chat/completions"
        async with client.stream("POST", url, json=asked, headers=headers) as answer:
            answer.raise_for_status()
            parts = [time.perf_counter() - start async for _ in answer.aiter_raw()]
        times.append((parts[0], parts[-1]))
        await asyncio.sleep(chance.expovariate(1 / thinking) if thinking else 0)


@contextmanager
def _server(hospital: Path, record: Path, users: Path, processes: int) -> Iterator[str]:
    command = [sys.executable, "-m", "wardround", "serve", "--unassessed", str(hospital)]
    command += ["--agent", "parser", "--out", str(record), "--port", "8931", "--users", str(users)]
    command += ["--processes", str(processes)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            announced = process.stdout.readline()
            address = re.search(r"http://[\d.:]+", announced)
            if address is None:
                raise RuntimeError("the server did not start")
            yield address[0]
        finally:
            process.terminate()
            process.wait(timeout=30)
