"""Kills a run at seeded moments, resumes it, and checks that no trial was lost or run twice."""

import json
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

_POLL = 0.005
_LONGEST = 600
_TRIES = 3
_EARLY = 0.1
_GROWING = "trajectories.jsonl"


@dataclass
class Tally:
    """The results of the kills of one case."""

    kills: int = 0
    among_trials: int = 0
    lost: list[str] = field(default_factory=list)
    twice: list[str] = field(default_factory=list)
    asked_twice: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)

    def as_flat(self, wanted: int) -> Flat:
        """True for every check that passed; equal for all programs that pass."""
        landed = "all" if self.kills >= wanted else f"{self.kills} of {wanted}"
        return {
            "kills that hit a run": landed,
            "trials lost": ", ".join(self.lost) or "none",
            "trials run twice": ", ".join(self.twice) or "none",
            "verdicts given twice": ", ".join(self.asked_twice) or "none",
            "finished trials changed": ", ".join(self.changed) or "none",
            "trials unlike those of a whole run": ", ".join(self.different) or "none",
        }


@dataclass(frozen=True)
class Whole:
    """The run that nobody kills.

    Attributes:
        texts: What it wrote.
        names: Its trials.
        size: The bytes of its trajectories: moments are told by them, so that a busy machine
            does not move them.
        first: Seconds until the first trajectory was on disk.
        last: Seconds until all were.
    """

    texts: Flat
    names: list[str]
    size: int
    first: float
    last: float

    @property
    def each(self) -> float:
        """Seconds from one trial to the next."""
        return (self.last - self.first) / len(self.names)


@dataclass(frozen=True)
class Killer:
    """Runs one case's command, kills it and resumes it.

    Attributes:
        program: The program under test.
        case: Its case.
        kills: What is run.
        whole: The run that nobody kills.
        random: Decides the moments.
        tally: What became of the kills.
    """

    program: Program
    case: Case
    kills: Kills
    whole: Whole
    random: Random
    tally: Tally

    def kill(self, out: str, most: int) -> None:
        """Kills a run up to so many times, then resumes it to its end and checks it."""
        run = self.program.work / out
        kept: list[bytes] = []
        for _ in range(most):
            if not self._kill_once(run, self._start(run, out)):
                break
            now = trial_lines(run)
            self.tally.kills += 1
            self.tally.among_trials += bool(now)
            self.tally.changed += [trial_name(line) for line in kept if line not in now]
            kept = now
        else:
            self._start(run, out).wait(_LONGEST)
        self._check(run, kept)
        shutil.rmtree(run, ignore_errors=True)

    def _start(self, run: Path, out: str) -> subprocess.Popen[bytes]:
        resume = self.kills.resume
        if self.program.form == "before" and self.kills.before:
            resume = self.kills.before
        started = (run / "run.json").is_file()
        return self.program.start(_words(self.case, resume if started else self.kills.args, out))

    def _kill_once(self, run: Path, process: subprocess.Popen[bytes]) -> bool:
        """Kills the whole group at a seeded moment; False if it had ended by itself."""
        if self.random.random() < _EARLY:
            ended = _ends_within(process, self.random.uniform(0, self.whole.first))
        else:
            grown = self.random.uniform(_size(run), self.whole.size)
            delay = self.random.uniform(0, self.whole.each)
            ended = _ends_before(process, run, grown) or _ends_within(process, delay)
        if ended:
            return False
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True

    def _check(self, run: Path, kept: list[bytes]) -> None:
        lines = trial_lines(run)
        counted = Counter(trial_name(line) for line in lines)
        self.tally.lost += [name for name in self.whole.names if name not in counted]
        self.tally.twice += [name for name, times in counted.items() if times > 1]
        self.tally.changed += [trial_name(line) for line in kept if line not in lines]
        self.tally.asked_twice += _verdicts_twice(run)
        if lines:
            texts = run_texts(run, self.program.places)
            keys = {
                key
                for key in self.whole.texts.keys() | texts.keys()
                if self.whole.texts.get(key) != texts.get(key)
            }
            self.tally.different += sorted({key.split(BAR)[0] for key in keys})


def record_kills(program: Program, case: Case, to: Path, count: int | None) -> None:
    """Kills until there were enough, and writes what became of it.

    Raises:
        SystemExit: no kill hit a run, so that nothing was tried.
    """
    if case.kills is None:
        return
    wanted = count or case.kills.count
    whole = _whole(program, case, case.kills)
    killer = Killer(program, case, case.kills, whole, Random(case.name), Tally())
    tally, number = killer.tally, 0
    while tally.kills < wanted and number < wanted * _TRIES:
        number += 1
        killer.kill(f"{case.name}/killed-{number}", min(case.kills.per_run, wanted - tally.kills))
    if not tally.kills:
        raise SystemExit(f"{case.name}: no kill hit a run, so that nothing was tried")
    write_flat(to / "kills.json", tally.as_flat(wanted))
    write_flat(to / "whole trials.json", whole.texts)
    hit = f"{tally.among_trials} of {tally.kills}; first {whole.first:.2f}, last {whole.last:.2f}"
    write_flat(to / "measured.json", {"kills after the first trial": hit})


def _whole(program: Program, case: Case, kills: Kills) -> Whole:
    """Runs once to warm what is cached, and once more to take the time."""
    for name in ("warm", "whole"):
        out = f"{case.name}/{name}"
        run = program.work / out
        began = time.monotonic()
        process = program.start(_words(case, kills.args, out))
        first = 0.0
        while process.poll() is None:
            first = first or (time.monotonic() - began if _size(run) else 0.0)
            time.sleep(_POLL)
    if process.returncode:
        raise SystemExit(f"{case.name}: the run that nobody kills ended with {process.returncode}")
    names = [trial_name(line) for line in trial_lines(run)]
    return Whole(run_texts(run, program.places), names, _size(run), first, time.monotonic() - began)


def _ends_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """True if the process ends within this time."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _ends_before(process: subprocess.Popen[bytes], run: Path, grown: float) -> bool:
    """True if the process ends before its trajectories reach this many bytes."""
    until = time.monotonic() + _LONGEST
    while _size(run) < grown and time.monotonic() < until:
        if process.poll() is not None:
            return True
        time.sleep(_POLL)
    return process.poll() is not None


def _size(run: Path) -> int:
    path = run / _GROWING
    return path.stat().st_size if path.is_file() else 0


def _verdicts_twice(run: Path) -> list[str]:
    """Keys of verdicts that were given more than once for a trial's trajectory."""
    path = run / "verdicts.jsonl"
    if not path.is_file():
        return []
    whole, _, _ = path.read_bytes().rpartition(b"\n")
    counted = Counter(_verdict_name(json.loads(line)) for line in whole.splitlines())
    return [name for name, times in counted.items() if times > 1]


def _verdict_name(line: dict[str, object]) -> str:
    """A verdict may be given again for another trajectory, not for the same."""
    verdict = line["verdict"]
    key = verdict["key"] if isinstance(verdict, dict) else ""
    return f"{line['task']}:{line['trial']} {line['trajectory']} {line['judge']} {key}"


def _words(case: Case, args: str, out: str) -> list[str]:
    return fill(args, case.words | {"out": out}).split()
