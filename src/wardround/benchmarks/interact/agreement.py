"""Compares simulated users with people by what agents achieve (Table 3): `agreement interact`."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from random import Random
from statistics import fmean
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict

from wardround.benchmarks.interact.declaration import BENCHMARK, AgreementOptions
from wardround.benchmarks.kit.compared_runs import Settings, run_settings, system
from wardround.benchmarks.kit.published_files import read_lines
from wardround.core.benchmark import Summary, Table
from wardround.core.errors import UserError
from wardround.core.record import Outcome, by_task
from wardround.core.run_reader import read_trials
from wardround.core.work import WorkContext, WorkResult
from wardround.scoring.agreement import Agreement, agreement
from wardround.scoring.statistics.intervals import correlation

_FEWEST = 3  # systems for a correlation
_ALL_ORDERS = 7  # systems of which every order is tried; of more, a sample
_SAMPLE = 10_000

Successes: TypeAlias = Mapping[str, Mapping[str, bool]]


class PersonTrial(BaseModel):
    """A trial in which a person was the user, as a line of JSON."""

    model_config = ConfigDict(extra="ignore")

    task: str
    passed: bool
    system: str = ""


@dataclass(frozen=True, slots=True)
class ComparedUsers:
    """A run beside the people's trials of the same system, on the tasks that both have.

    Attributes:
        system: the agent and its model.
        simulator: the simulated user.
        people: the share of tasks that pass with people.
        simulated: the same with the simulated user.
        agreement: of both, by task; a task passes if most of its trials do.
    """

    system: str
    simulator: str
    people: float
    simulated: float
    agreement: Agreement


def compare_people(options: AgreementOptions, context: WorkContext[object]) -> WorkResult:
    """Compares runs with trials in which people were the users.

    Raises:
        UserError: a source cannot be read, or a run shares no task with the people's trials.
    """
    people = people_successes(options.human)
    rows = [_compared(folder, people, options.human) for folder in options.sources]
    return WorkResult(Summary({"people": _people_table(rows), "table_3": _table_3(rows)}))


def people_successes(path: Path) -> Successes:
    """Reads people's trials: passed tasks by system; the majority of several trials counts.

    Raises:
        UserError: the file is missing, or a line is not a trial.
    """
    trials: defaultdict[str, defaultdict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for trial in read_lines(path, PersonTrial):
        trials[trial.system][trial.task].append(trial.passed)
    return {name: {t: _most(p) for t, p in tasks.items()} for name, tasks in trials.items()}


def _compared(folder: Path, people: Successes, path: Path) -> ComparedUsers:
    settings = run_settings(folder, BENCHMARK.name)
    name = system(settings)
    by_person = people.get(name) or people.get("", {})
    simulated = {
        task: _most([trial.outcome is Outcome.PASSED for trial in scored])
        for task, trials in by_task(read_trials(folder)).items()
        if (scored := [trial for trial in trials if trial.outcome.scored])
    }
    shared = [task for task in simulated if task in by_person]
    if not shared:
        raise UserError(
            f"{path} has no trial of the system {name!r} on a task of {folder}; check its lines."
        )
    return ComparedUsers(
        name,
        _simulator(settings),
        100 * fmean(by_person[task] for task in shared),
        100 * fmean(simulated[task] for task in shared),
        agreement(by_person, simulated),
    )


def _most(passed: Sequence[bool]) -> bool:
    return 2 * sum(passed) > len(passed)


def _simulator(settings: Settings) -> str:
    return str(settings.get("models", {}).get("user", {}).get("name", "")) or "without a model"


def _people_table(rows: Sequence[ComparedUsers]) -> Table:
    cells = tuple(
        (
            row.system,
            row.simulator,
            row.agreement.items,
            round(row.people, 1),
            round(row.simulated, 1),
            round(100 * (row.agreement.share or 0), 1),
            None if row.agreement.kappa is None else round(row.agreement.kappa, 2),
        )
        for row in rows
    )
    return Table(
        "Simulated users beside people (Figure 16)",
        ("System", "Simulator", "Tasks", "Passed, people", "Passed, simulator", "Agreed", "Kappa"),
        cells,
        "Percent of the tasks that both have. A task passes if most of its trials do.",
    )


def _table_3(rows: Sequence[ComparedUsers]) -> Table:
    by_simulator: defaultdict[str, list[ComparedUsers]] = defaultdict(list)
    for row in rows:
        by_simulator[row.simulator].append(row)
    cells = []
    for simulator, group in by_simulator.items():
        pair = [row.people for row in group], [row.simulated for row in group]
        pearson = correlation(*pair) if len(group) >= _FEWEST else None
        if pearson is not None:
            cells.append((simulator, len(group), round(pearson, 2), round(chance(*pair), 3)))
    return Table(
        "Correlation with people over systems (Table 3)",
        ("Simulator", "Systems", "Pearson", "p"),
        tuple(cells),
        f"Of success rates; for {_FEWEST} systems or more. p is the share of orders of the systems "
        "with a correlation at least as far from 0, not that of the paper's t test.",
    )


def chance(xs: Sequence[float], ys: Sequence[float]) -> float:
    """The share of the orders of one side whose correlation is at least as far from 0.

    >>> chance([1, 2, 3], [2, 4, 6])
    0.3333333333333333
    """
    least = abs(correlation(xs, ys) or 0) - 1e-9
    if len(ys) <= _ALL_ORDERS:
        orders = list(permutations(ys))
    else:
        random = Random(0)
        orders = [tuple(random.sample(ys, len(ys))) for _ in range(_SAMPLE)]
    return fmean(abs(correlation(xs, order) or 0) >= least for order in orders)
