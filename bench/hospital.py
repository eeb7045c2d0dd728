"""Measures time, disk and memory of synthetic hospitals of growing size."""

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import TypedDict

from bench.figures import Figure, figure

SIZES = (300, 3_000)
WORKERS = 2


class Made(TypedDict):
    """Time, size and memory of a hospital; memory is the sum of its processes' peaks."""

    people: int
    rows: int
    seconds: float
    bytes: int
    memory: int


def measure(sizes: Sequence[int] = SIZES) -> list[Figure]:
    """Measures EHR-ChatQA's hospitals in DuckDB, each compared with one a tenth of its size."""
    made = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            made.append(_child(size, Path(folder) / "hospital.duckdb"))
    smallest = [
        figure(
            f"synthetic hospital, {made[0]['people']:,} people: {name}",
            value,
            unit,
            f"{made[0]['rows']:,} rows, {WORKERS} processes that make people",
        )
        for name, value, unit in _values(made[0])
    ]
    return smallest + [line for few, many in pairwise(made) for line in _beside(few, many)]


def _values(made: Made) -> list[tuple[str, float, str]]:
    return [
        ("time", made["seconds"], "s"),
        ("on disk", made["bytes"] / 2**20, "MiB"),
        ("memory", made["memory"] / 2**20, "MiB"),
    ]


def _beside(few: Made, many: Made) -> list[Figure]:
    """The figures of a hospital, with the cost per person relative to a smaller one."""
    goals = ("goal: grows with people, 1", "goal: grows with people, 1", "goal: less than people")
    lines = []
    for (name, value, unit), (_, before, _), goal in zip(
        _values(many), _values(few), goals, strict=True
    ):
        ratio = value / many["people"] / (before / few["people"])
        lines.append(
            figure(
                f"synthetic hospital, {many['people']:,} people: {name}",
                value,
                unit,
                f"{goal}; a person takes {ratio:.2f} times what one of"
                f" {few['people']:,} takes ({before:,.1f} {unit})",
            )
        )
    return lines


def _child(people: int, path: Path) -> Made:
    """Makes a hospital in a separate process to measure its peak memory."""
    command = [sys.executable, "-m", "bench.hospital", str(people), str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    made: Made = json.loads(done.stdout.splitlines()[-1])
    return made


def _main() -> None:
    from wardround.ehr.hospital import build_hospital

    people, path = int(sys.argv[1]), Path(sys.argv[2])
    start = perf_counter()
    rows = build_hospital(path, patients=people, seed=0, schema="mimic_iv_star", workers=WORKERS)
    seconds = perf_counter() - start
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    made = Made(
        people=people,
        rows=sum(rows.values()),
        seconds=seconds,
        bytes=path.stat().st_size,
        memory=(own + WORKERS * largest) * 1024,
    )
    print(json.dumps(made))


if __name__ == "__main__":
    _main()
