"""Rubric items of played sessions with the decisions of several raters on them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from wardround.benchmarks.assist.declaration import BENCHMARK
from wardround.benchmarks.assist.sessions import Language, Session, item_name, items_of
from wardround.benchmarks.assist.tasks import load_tasks, shipped_tasks
from wardround.benchmarks.assist.turns import PlayedTurn, played_turns, settings_of
from wardround.benchmarks.kit.raters import Raters, run_raters, run_suite
from wardround.core.record import Outcome, TrialRecord, VerdictRecord
from wardround.core.run_reader import read_trajectory, read_trials

_NOT_PLAYED = (Outcome.USER_ERROR, Outcome.INFRA_ERROR)


class Judged(NamedTuple):
    """A rubric item of a trial: the run's name, the session's id, the trial, and the item."""

    run: str
    session: str
    trial: int
    item: str


Decisions: TypeAlias = Raters[Judged]
# A rater's reason, by rater and item.
Reasons: TypeAlias = dict[tuple[str, Judged], str]


@dataclass(frozen=True, slots=True)
class PlayedItem:
    """A rubric item beside the turn that it is about.

    Attributes:
        judged: its identity.
        session: the session.
        language: the language of the session.
        turn: the number of the turn.
        played: the turn as it was played.
        text: the item.
    """

    judged: Judged
    session: Session
    language: Language
    turn: int
    played: PlayedTurn
    text: str


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """A run with the decisions on its items.

    Attributes:
        name: the name of its folder.
        trials: the trials that count.
        items: their rubric items.
        decisions: the decisions by rater.
        reasons: the reasons that raters gave.
    """

    name: str
    trials: tuple[TrialRecord, ...]
    items: tuple[PlayedItem, ...]
    decisions: Decisions
    reasons: Reasons


def read_judged_run(folder: Path) -> JudgedRun:
    """Reads a run's sessions, turns and verdicts; trials that ended in an error do not count.

    Raises:
        UserError: the folder is not a run of sessions, or its sessions are not at hand.
    """
    hand_written = partial(shipped_tasks, "hand_written")
    shipped = shipped_tasks, hand_written
    tasks = run_suite(folder, BENCHMARK.name, load_tasks, *shipped).tasks
    suite = {task.id: task for task in tasks}
    name = folder.resolve().name
    trials = tuple(
        trial
        for trial in read_trials(folder)
        if trial.task in suite and trial.outcome not in _NOT_PLAYED
    )
    items = tuple(
        item for trial in trials for item in _items(name, folder, trial, suite[trial.task])
    )
    known = {item.judged for item in items}

    def judged(record: VerdictRecord) -> Judged | None:
        item = Judged(name, record.task, record.trial, record.verdict.item)
        return item if item in known else None

    decisions, reasons = run_raters(folder, judged)
    return JudgedRun(name, trials, items, decisions, reasons)


def _items(name: str, folder: Path, trial: TrialRecord, session: Session) -> Iterator[PlayedItem]:
    trajectory = read_trajectory(folder, trial.trajectory)
    language, turns = settings_of(trajectory).language, played_turns(trajectory)
    for turn, number in items_of(session):
        if turn < len(turns):
            judged = Judged(name, session.id, trial.trial, item_name(turn, number))
            text = session.hidden.turns[turn].rubric[language][number]
            yield PlayedItem(judged, session, language, turn, turns[turn], text)
