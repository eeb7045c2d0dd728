"""Synthetic hospitals of growing size: time, disk and memory, a person each."""

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

SIZES = (1_000, 10_000, 100_000)
WORKERS = 2


class Made(TypedDict):
    """Time, size and memory of one hospital; memory is the sum of its processes' peaks."""

    people: int
    rows: int
    seconds: float
    bytes: int
    memory: int


def measure(sizes: Sequence[int] = SIZES) -> list[Figure]:
    """Hospitals as EHR-ChatQA has them, in DuckDB, each beside one of a tenth of its size."""
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
    """A hospital's figures, with how many times as much each person takes as in a smaller one."""
    goals = ("goal: grows with people, 1", "goal: grows with people, 1", "goal: less than people")
    lines = []
    for (name, value, unit), (_, before, _), goal in zip(
        _values(many), _values(few), goals, strict=True
    ):
        a_person = value / many["people"] / (before / few["people"])
        lines.append(
            figure(
                f"synthetic hospital, {many['people']:,} people: {name}",
                value,
                unit,
                f"{goal}; a person takes {a_person:.2f} times what one of"
                f" {few['people']:,} takes ({before:,.1f} {unit})",
            )
        )
    return lines


def _child(people: int, path: Path) -> Made:
    """A hospital made in a process of its own, so that its peak of memory is its own."""
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
