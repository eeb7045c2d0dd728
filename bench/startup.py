"""Measures CPU time of starting: help, and a run until its first trial is on disk.

`python -m bench.startup --before CHECKOUT` compares runs with another checkout's, alternately, so
that both meet the same machine load.
"""

import os
import resource
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from time import sleep
from typing import TypeAlias

from bench.figures import Figure, figure

Command: TypeAlias = Sequence[str]

ROUNDS = 10
_TICK = 1 / os.sysconf("SC_CLK_TCK")
_RUNS = {"chatqa": ("chatqa",), "interact": ("interact", "--mode", "c")}
# Bytecode is cached, as after an installation; the first run of each command writes it.
_ENVIRONMENT = {name: os.environ[name] for name in os.environ if name != "PYTHONDONTWRITEBYTECODE"}
_TYPER = "import typer"
_PYDANTIC = "import typer; from pydantic import BaseModel"


def measure() -> list[Figure]:
    """Measures help, the imports it needs, and a run until its first trial."""
    seconds = _in_turn(
        {
            "help": _wardround("--help"),
            "run help": _wardround("run", "chatqa", "--help"),
            "Typer": (sys.executable, "-c", _TYPER),
            "Typer and Pydantic": (sys.executable, "-c", _PYDANTIC),
        }
    )
    until_first_trial(sys.executable, _RUNS["chatqa"])  # it may have to build the hospital
    run = median(until_first_trial(sys.executable, _RUNS["chatqa"]) for _ in range(ROUNDS))
    return [
        _beside("wardround --help, CPU", seconds, "help", "Typer", 1.5),
        _beside("wardround run chatqa --help, CPU", seconds, "run help", "Typer and Pydantic", 1.3),
        figure(
            "run chatqa --limit 1 --agent oracle until its first trial, CPU",
            1000 * run,
            "ms",
            f"importing Typer and Pydantic: {1000 * seconds['Typer and Pydantic']:.0f} ms",
        ),
    ]


def until_first_trial(python: str, words: Command, cache: str = "") -> float:
    """Returns the CPU seconds of a run and its children until its first trial is on disk.

    Args:
        python: the interpreter of the program.
        words: the benchmark and its options.
        cache: a folder of its own for caches, since programs remove each other's; "" for the
            default.
    """
    environment = _ENVIRONMENT | ({"XDG_CACHE_HOME": cache} if cache else {})
    with tempfile.TemporaryDirectory() as folder:
        options = ("--agent", "oracle", "--limit", "1", "--out", f"{folder}/run")
        trials = Path(folder, "run", "trials.jsonl")
        command = (python, "-m", "wardround", "run", *words, *options)
        quiet = subprocess.DEVNULL
        with subprocess.Popen(command, stdout=quiet, stderr=quiet, env=environment) as process:
            while not (trials.exists() and trials.stat().st_size):
                if process.poll() is not None:
                    raise RuntimeError(f"{' '.join(command)} ended before its first trial.")
                sleep(0.002)
            return _cpu_of_tree(process.pid)


def _cpu_of_tree(process: int) -> float:
    """CPU seconds of a process and its descendants, running or ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:  # it has ended, and its time counts for its parent
        return 0.0
    return sum(map(int, fields[11:15])) * _TICK + sum(_cpu_of_tree(int(each)) for each in children)


def _wardround(*words: str) -> Command:
    return (sys.executable, "-m", "wardround", *words)


def _in_turn(commands: Mapping[str, Command]) -> dict[str, float]:
    """Medians of each command's CPU seconds, run alternately."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS + 1):
        for name, command in commands.items():
            before = _cpu_of_ended_children()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=_ENVIRONMENT)
            times[name].append(_cpu_of_ended_children() - before)
    return {name: median(seconds[1:]) for name, seconds in times.items()}


def _cpu_of_ended_children() -> float:
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


def _beside(name: str, seconds: Mapping[str, float], what: str, base: str, goal: float) -> Figure:
    ratio = seconds[what] / seconds[base]
    text = f"goal: at most {goal:g} times importing {base}; that took"
    return figure(
        name, 1000 * seconds[what], "ms", f"{text} {1000 * seconds[base]:.0f} ms, {ratio:.2f} times"
    )


def main() -> None:
    """Prints the CPU time of runs of both checkouts."""
    parser = ArgumentParser()
    parser.add_argument("--before", required=True, type=Path, help="a checkout with its .venv")
    pythons = {
        "before": str(parser.parse_args().before / ".venv/bin/python"),
        "now": sys.executable,
    }
    with tempfile.TemporaryDirectory() as cache:
        for name, words in _RUNS.items():
            _print_side_by_side(name, words, pythons, cache)


def _print_side_by_side(name: str, words: Command, pythons: Mapping[str, str], cache: str) -> None:
    times: dict[str, list[float]] = {which: [] for which in pythons}
    for _ in range(ROUNDS + 1):
        for which, python in pythons.items():
            times[which].append(until_first_trial(python, words, f"{cache}/{which}"))
    for which, (_, *seconds) in times.items():  # the first may have built a hospital
        low, middle = 1000 * min(seconds), 1000 * median(seconds)
        print(f"{name}, {which}: min {low:.0f} ms, median {middle:.0f} ms")


if __name__ == "__main__":
    main()
