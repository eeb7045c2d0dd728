"""Kills a run at seeded moments, resumes it, and checks that no trial was lost or run twice."""

import os
import shutil
import signal
import subprocess
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from bench.frozen.cases import Case, Kills, fill
from bench.frozen.flat_text import BAR, Flat, write_flat
from bench.frozen.program import Program
from bench.frozen.runs import run_texts, trial_lines, trial_name

_POLL = 0.02
_LONGEST = 600
_TRIES = 3


@dataclass
class Tally:
    """What became of the kills of one case."""

    kills: int = 0
    among_trials: int = 0
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)

    def as_flat(self) -> Flat:
        """Whether all was well: the same for every program that passes."""
        return {
            "kills": str(self.kills),
            "trials lost": ", ".join(self.lost) or "none",
            "trials run twice": ", ".join(self.twice) or "none",
            "finished trials changed": ", ".join(self.changed) or "none",
            "trials unlike those of a whole run": ", ".join(self.different) or "none",
        }


@dataclass(frozen=True)
class Whole:
    """The run that nobody kills: its texts, and when its first and last trial were on disk."""

    texts: Flat
    names: list[str]
    first: float
    last: float


def record_kills(program: Program, case: Case, to: Path, count: int | None) -> None:
    """Kills until there were enough, and writes what became of it."""
    if case.kills is None:
        return
    wanted = count or case.kills.count
    whole = _whole(program, case, case.kills)
    random, tally, number = Random(case.name), Tally(), 0
    while tally.kills < wanted and number < wanted * _TRIES:
        number += 1
        most = min(case.kills.per_run, wanted - tally.kills)
        _killed_run(
            program, case, case.kills, f"{case.name}/killed-{number}", most, whole, random, tally
        )
    write_flat(to / "kills.json", tally.as_flat())
    write_flat(to / "whole trials.json", whole.texts)
    measured = (
        f"{tally.among_trials} of {tally.kills}; first {whole.first:.2f}, last {whole.last:.2f}"
    )
    write_flat(to / "measured.json", {"kills after the first trial": measured})


def _whole(program: Program, case: Case, kills: Kills) -> Whole:
    """Runs once to warm what is cached, and once more to take the time."""
    for name in ("warm", "whole"):
        out = f"{case.name}/{name}"
        run = program.work / out
        began = time.monotonic()
        process = program.start(_words(program, case, kills.args, out))
        first = 0.0
        while process.poll() is None:
            first = first or (time.monotonic() - began if trial_lines(run) else 0.0)
            time.sleep(_POLL)
    if process.returncode:
        raise SystemExit(f"{case.name}: the run that nobody kills ended with {process.returncode}")
    names = [trial_name(line) for line in trial_lines(run)]
    return Whole(run_texts(run, {}), names, first, time.monotonic() - began)


def _killed_run(
    program: Program,
    case: Case,
    kills: Kills,
    out: str,
    most: int,
    whole: Whole,
    random: Random,
    tally: Tally,
) -> None:
    """A run that is killed up to so many times, then resumed to its end and checked."""
    run = program.work / out
    resume = kills.before if program.form == "before" and kills.before else kills.resume
    kept: list[bytes] = []
    for _ in range(most):
        started = (run / "run.json").is_file()
        process = program.start(_words(program, case, resume if started else kills.args, out))
        left = 1 - len(trial_lines(run)) / len(whole.names)
        if not _kill_at(process, _moment(whole, left, random)):
            break
        now = trial_lines(run)
        tally.kills += 1
        tally.among_trials += bool(now)
        tally.changed += [trial_name(line) for line in kept if line not in now]
        kept = now
    else:
        started = (run / "run.json").is_file()
        process = program.start(_words(program, case, resume if started else kills.args, out))
        process.wait(_LONGEST)
    _check(run, kept, whole, tally)
    shutil.rmtree(run, ignore_errors=True)


def _moment(whole: Whole, left: float, random: Random) -> float:
    """Seconds until the kill, a tenth of them before the first trial can be done."""
    if random.random() < 0.1:
        return random.uniform(0, whole.first)
    return whole.first + random.random() * left * (whole.last - whole.first)


def _kill_at(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Kills the whole group at this moment; False if it had ended by itself."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    return False


def _check(run: Path, kept: list[bytes], whole: Whole, tally: Tally) -> None:
    lines = trial_lines(run)
    counted = Counter(trial_name(line) for line in lines)
    tally.lost += [name for name in whole.names if name not in counted]
    tally.twice += [name for name, times in counted.items() if times > 1]
    tally.changed += [trial_name(line) for line in kept if line not in lines]
    if lines:
        texts = run_texts(run, {})
        keys = {
            key
            for key in whole.texts.keys() | texts.keys()
            if whole.texts.get(key) != texts.get(key)
        }
        tally.different += sorted({key.split(BAR)[0] for key in keys})


def _words(program: Program, case: Case, args: str, out: str) -> list[str]:
    return fill(args, case.words | {"out": out}).split()
