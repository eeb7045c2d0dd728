"""Measures making PhysAssistBench sessions, and how the agent without a model plays them.

The full size is made of a hospital as the documentation says. The agent plays a suite of another
seed and hospital than the shipped one, in both languages.
"""

import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import get_args

from bench.figures import Figure, figure
from wardround.benchmarks.assist.checks.decider import check_of
from wardround.benchmarks.assist.checks.facts.claims import claims
from wardround.benchmarks.assist.checks.facts.decisions import AVOIDED
from wardround.benchmarks.assist.checks.facts.items import FactItem
from wardround.benchmarks.assist.checks.orders import OrderItem
from wardround.benchmarks.assist.declaration import STRICT
from wardround.benchmarks.assist.judged_items import JudgedRun, PlayedItem, read_judged_run
from wardround.benchmarks.assist.scorer import PROGRAM, AssistMeasures, TurnMeasures
from wardround.benchmarks.assist.sessions import Language
from wardround.benchmarks.assist.tasks import load_tasks
from wardround.benchmarks.kit.measures import measured_in_bounds
from wardround.core.record import TrialRecord

NAME = "PhysAssistBench sessions"
FULL_PEOPLE, FULL_SEED = 2_500, 0
SUITE_PEOPLE, SUITE_SEED = 2_500, 1
_SHORT = 1  # the status of a command that could not fill all cells; the figures say how many it did


def measure() -> list[Figure]:
    """The time of the full size, and the scores of the agent without a model."""
    with tempfile.TemporaryDirectory() as folder:
        full, suite = Path(folder) / "full", Path(folder) / "suite"
        return [*_full_size(full), *_another_suite(suite)]


def _full_size(folder: Path) -> Iterator[Figure]:
    hospital, sessions = make_sessions(folder, "full", FULL_PEOPLE, FULL_SEED)
    count = len(load_tasks(folder / "made").tasks)
    name = f"{NAME}, full size of {FULL_PEOPLE:,} people"
    yield figure(f"{name}: hospital", hospital, "s", "")
    yield figure(f"{name}: hospital and sessions", hospital + sessions, "s", "goal: 300")
    yield figure(f"{name}: made", count, "sessions", "goal: 324")


def _another_suite(folder: Path) -> Iterator[Figure]:
    make_sessions(folder, "suite", SUITE_PEOPLE, SUITE_SEED)
    count = len(load_tasks(folder / "made").tasks)
    yield figure(f"{NAME}, another suite: made", count, "sessions", "goal: 108")
    for language in get_args(Language):
        yield from clerk_figures(folder / "made", folder / language, language)


def make_sessions(folder: Path, size: str, people: int, seed: int) -> tuple[float, float]:
    """Makes a hospital, then its sessions, by the documented commands; the seconds of each."""
    folder.mkdir()
    hospital, made = str(folder / "hospital.duckdb"), str(folder / "made")
    building = ["data", "hospital", "--to", hospital, "--layout", "mimic_iv", "--notes"]
    making = ["tasks", "make", "assist", "--database", hospital, "--to", made, "--discrepancies"]
    return (
        _seconds([*building, "--patients", str(people), "--seed", str(seed)]),
        _seconds([*making, "--size", size, "--seed", str(seed)]),
    )


def _seconds(arguments: Sequence[str]) -> float:
    """The seconds of a command, which may leave cells without a session."""
    start = perf_counter()
    command = [sys.executable, "-m", "wardround", *arguments]
    done = subprocess.run(command, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, _SHORT):
        done.check_returncode()
    return perf_counter() - start


def clerk_figures(made: Path, run: Path, language: Language) -> Iterator[Figure]:
    """Plays made sessions without a model, and yields the scores by tier and by type of task.

    Args:
        made: the folder of the sessions and their record.
        run: the folder of the run; new.
        language: the language of the sessions.
    """
    arguments = ["run", "assist", "--agent", "clerk", "--language", language, "--out", str(run)]
    _seconds([*arguments, "--tasks", str(made), "--database", str(made / "record.fhir")])
    judged = read_judged_run(run)
    name = f"PhysAssistBench, clerk, {language}"
    count = f"{len(judged.trials)} sessions of another hospital"
    for group, turns in _turns_by_group(judged.trials).items():
        for bound, score in (("lower", TurnMeasures.low), ("upper", TurnMeasures.high)):
            mean = fmean(float(score(turn, STRICT)) for turn in turns)
            yield figure(f"{name}, {group}: mRS {bound}", 100 * mean, "%", count)
    share = 100 * sum(map(partial(_is_wrong, judged), judged.items)) / len(judged.items)
    yield figure(f"{name}: items with another value", share, "%", "goal: at most 5")


def _turns_by_group(trials: Sequence[TrialRecord]) -> dict[str, list[TurnMeasures]]:
    groups = defaultdict[str, list[TurnMeasures]](list)
    for trial in measured_in_bounds(trials, AssistMeasures):
        for turn in trial.measures.turns:
            for group in ("all", f"tier {trial.record.labels['tier']}", turn.type):
                groups[group].append(turn)
    return dict(sorted(groups.items()))


def _is_wrong(judged: JudgedRun, item: PlayedItem) -> bool:
    """True if an item fails since the answer or order gives another value than the gold's."""
    if judged.decisions[PROGRAM].get(item.judged) is not False:
        return False
    gold, number = item.session.hidden.turns[item.turn], int(item.judged.item.rpartition(":")[2])
    check = check_of(gold, number, item.text, item.language)
    if isinstance(check, FactItem):
        if check.aspect == AVOIDED:
            return True
        stated = (claim for claim in claims(check, item.played.answer) if claim.is_named)
        return any(claim.is_right is False and claim.stand == "stated" for claim in stated)
    # What a note leaves out is missing, not wrong.
    return isinstance(check, OrderItem) and check.test != "text" and bool(item.played.written)
