"""Fits an assessment into minutes or dollars, by a pilot of two trials on each benchmark."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from math import fsum
from pathlib import Path
from random import Random

from wardround.assessment.play import INJECTED_SHARE, LEAST_INJECTED, Part, ids_of, play
from wardround.core.errors import UserError
from wardround.core.record import TrialRecord
from wardround.core.run_reader import read_trials
from wardround.runs.start import Listener

_PILOT_TASKS = 2


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of an assessment; None for no limit."""

    minutes: float | None = None
    dollars: float | None = None

    @property
    def is_limited(self) -> bool:
        """True if there is a limit."""
        return self.minutes is not None or self.dollars is not None


def fitted(
    parts: Sequence[Part],
    budget: Budget,
    folder: Path,
    watch: Callable[[], AbstractContextManager[Listener]],
) -> list[Part]:
    """The parts with as many tasks each as the budget allows, drawn by the run's seed.

    Args:
        parts: the parts with all tasks of their suites.
        budget: the limits.
        folder: where the pilot's runs are kept.
        watch: opens a listener for a run.

    Raises:
        UserError: the budget is too small for one task of each part, or a price is unknown.
    """
    if not budget.is_limited:
        return list(parts)
    trials = [_pilot(part, folder, watch) for part in parts]
    number = min(_affordable(parts, trials, budget))
    if number < 1:
        raise UserError(
            f"The budget is too small for one task of each benchmark: {_estimate(parts, trials)}; "
            "give more --minutes or --dollars, or fewer --trials."
        )
    return [_with_tasks(part, int(number)) for part in parts]


def _pilot(
    part: Part, folder: Path, watch: Callable[[], AbstractContextManager[Listener]]
) -> list[TrialRecord]:
    """The trials of a few tasks, which do not count."""
    pilot = _with_tasks(part, _PILOT_TASKS)
    settings = pilot.settings.model_copy(update={"trials": 1})
    pilot = replace(pilot, settings=settings, folder=folder / part.name)
    play(pilot, watch)
    return read_trials(pilot.folder)


def _with_tasks(part: Part, number: int) -> Part:
    """The part with a number of its tasks."""
    ids = ids_of(part)
    if number >= len(ids):
        return part
    drawn = Random(f"{part.settings.seed} budget").sample(ids, len(ids))
    settings = part.settings.model_copy(update={"task": tuple(drawn[:number])})
    return replace(part, settings=settings)


def _affordable(
    parts: Sequence[Part], trials: Sequence[Sequence[TrialRecord]], budget: Budget
) -> list[float]:
    """The numbers of tasks of each part that the limits allow."""
    rounds = []  # of one trial of each part
    if budget.minutes is not None:
        seconds = fsum(_seconds(part, each) for part, each in zip(parts, trials, strict=True))
        rounds.append(60 * budget.minutes / max(1e-9, seconds))
    if budget.dollars is not None:
        dollars = fsum(_dollars(each) for each in trials)
        rounds.append(budget.dollars / max(1e-9, dollars))
    return [_tasks_for(each, parts[0].settings.trials) for each in rounds]


def _tasks_for(trials: float, repeats: int) -> float:
    """The number of tasks that a number of trials pays for, with those that hide an instruction.

    Args:
        trials: the number of trials.
        repeats: the number of trials of each task without an instruction.

    >>> _tasks_for(8, 3), _tasks_for(70, 3), _tasks_for(320, 3)
    (2.0, 20.0, 100.0)
    """
    few, some = trials / (repeats + 1), (trials - LEAST_INJECTED) / repeats
    return min(max(few, some), trials / (repeats + INJECTED_SHARE))


def _seconds(part: Part, trials: Sequence[TrialRecord]) -> float:
    """The seconds of a trial while others run beside it."""
    at_once = min(part.settings.concurrency, len(trials))
    return fsum(trial.seconds for trial in trials) / len(trials) / at_once


def _dollars(trials: Sequence[TrialRecord]) -> float:
    costs = [use.cost for trial in trials for use in trial.use.values()]
    if None in costs:
        raise UserError("The price of a model is unknown; give it with --price for --dollars.")
    return fsum(cost or 0.0 for cost in costs) / len(trials)


def _estimate(parts: Sequence[Part], trials: Sequence[Sequence[TrialRecord]]) -> str:
    return ", ".join(
        f"a trial of {part.benchmark} took {_seconds(part, each):.1f} s"
        for part, each in zip(parts, trials, strict=True)
    )
