"""Kills runs at seeded moments, resumes them, and checks that no trial is lost or run twice."""

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
        """Returns a text for each check, equal for all programs that pass."""
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
    """The reference run, which is not killed.

    Attributes:
        texts: its records and events.
        names: the names of its trials.
        size: the bytes of its trajectories; moments of kills are positions in them, so that they
            do not depend on the machine's load.
        first: seconds until the first trajectory is on disk.
        last: seconds until all are.
    """

    texts: Flat
    names: list[str]
    size: int
    first: float
    last: float

    @property
    def each(self) -> float:
        """Mean seconds from one trial to the next."""
        return (self.last - self.first) / len(self.names)


@dataclass(frozen=True)
class Killer:
    """Runs one case's command, kills it and resumes it.

    Attributes:
        program: the program under test.
        case: the case.
        kills: the case's run.
        whole: the reference run.
        random: the source of random moments.
        tally: the results.
    """

    program: Program
    case: Case
    kills: Kills
    whole: Whole
    random: Random
    tally: Tally

    def kill(self, out: str, most: int) -> None:
        """Kills a run up to `most` times, then resumes it to its end and checks it."""
        run = self.program.work / out
        finished: list[bytes] = []
        for _ in range(most):
            if not self._kill_once(run, self._start(run, out)):
                break
            now = trial_lines(run)
            self.tally.kills += 1
            self.tally.among_trials += bool(now)
            self.tally.changed += [trial_name(line) for line in finished if line not in now]
            finished = now
        else:
            self._start(run, out).wait(_LONGEST)
        self._check(run, finished)
        shutil.rmtree(run, ignore_errors=True)

    def _start(self, run: Path, out: str) -> subprocess.Popen[bytes]:
        resume = self.kills.resume
        if self.program.form == "before" and self.kills.before:
            resume = self.kills.before
        started = (run / "run.json").is_file()
        return self.program.start(_words(self.case, resume if started else self.kills.args, out))

    def _kill_once(self, run: Path, process: subprocess.Popen[bytes]) -> bool:
        """Kills the process group at a seeded moment; False if the run ended before."""
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

    def _check(self, run: Path, finished: list[bytes]) -> None:
        lines = trial_lines(run)
        counts = Counter(trial_name(line) for line in lines)
        self.tally.lost += [name for name in self.whole.names if name not in counts]
        self.tally.twice += [name for name, times in counts.items() if times > 1]
        self.tally.changed += [trial_name(line) for line in finished if line not in lines]
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
    """Kills runs until there were enough kills, and writes the results.

    Raises:
        SystemExit: no kill hit a run, so that nothing was tested.
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
    """Runs once to warm caches, and again to measure the reference run."""
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
    """True if the process ends within `seconds`."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _ends_before(process: subprocess.Popen[bytes], run: Path, grown: float) -> bool:
    """True if the process ends before its trajectories reach `grown` bytes."""
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
    """Keys of verdicts stored more than once for a trajectory."""
    path = run / "verdicts.jsonl"
    if not path.is_file():
        return []
    whole, _, _ = path.read_bytes().rpartition(b"\n")
    counts = Counter(_verdict_name(json.loads(line)) for line in whole.splitlines())
    return [name for name, times in counts.items() if times > 1]


def _verdict_name(line: dict[str, object]) -> str:
    """The identity of a verdict, which includes the trajectory that it is about."""
    verdict = line["verdict"]
    key = verdict["key"] if isinstance(verdict, dict) else ""
    return f"{line['task']}:{line['trial']} {line['trajectory']} {line['judge']} {key}"


def _words(case: Case, args: str, out: str) -> list[str]:
    return fill(args, case.words | {"out": out}).split()
