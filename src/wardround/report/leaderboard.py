"""A leaderboard: runs of all benchmarks in one table, ranked where they can be compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any

from wardround.core.benchmark import Table
from wardround.core.confinement import Kind, read_confinement
from wardround.core.errors import UserError
from wardround.core.record import TrialRecord
from wardround.core.run_check import RunCheck
from wardround.core.run_reader import counted_trials
from wardround.core.serialization import flattened
from wardround.report.comparison import setting_label, tallies
from wardround.scoring.reliability import Tally, reliabilities
from wardround.scoring.statistics.intervals import mean_intervals
from wardround.scoring.statistics.paired import paired_difference

# Settings of the agent under test, and those that change no trial.
_AGENTS_OWN = ("agent", "models.agent.", "trials", "seed", "processes", "concurrency", "cluster")
_PLACES = ("databases.", "judge_concurrency", "cache", "record", "replay", "unconfined")
_CHOICE = ("task", "limit")  # of tasks, by its digest
ALPHA = 0.05
NOTE = (
    "Percent. Pass^k is the probability that k trials of a task, drawn without replacement from "
    "its scored ones, all succeed (C(c, k) / C(n, k)), meaned over the tasks with k scored trials; "
    "beside pass^1 its 95% interval over tasks. Every figure is computed again from the "
    "trajectories. A rank is a range where a paired test of the tasks (5%) cannot tell runs apart. "
    "Runs are ranked only against runs of the same tasks, databases, people, judges and limits."
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A run on a leaderboard.

    Attributes:
        name: the run's name there.
        document: the content of `run.json`.
        trials: its trials, scored again from their trajectories.
        tasks: the digest of their tasks, as they are now.
        check: the result of checking it.
    """

    name: str
    document: Mapping[str, Any]
    trials: Sequence[TrialRecord]
    tasks: str
    check: RunCheck

    @property
    def settings(self) -> Mapping[str, Any]:
        """The run's settings."""
        settings: Mapping[str, Any] = self.document["settings"]
        return settings

    @property
    def agent(self) -> str:
        """The agent, and its model if it has one."""
        model = (self.settings.get("models") or {}).get("agent") or {}
        return " on ".join(filter(None, [str(self.settings["agent"]), model.get("name")]))


def check_entry(entry: Entry, folder: Path) -> None:
    """Refuses a run that is changed or incomplete, or whose trials were repeated until they passed.

    Raises:
        UserError: it is not as it was written, is of other tasks than it says, has not exactly its
            planned trials, or has one that was played again after it was scored.
    """
    if entry.check.mismatches:
        raise UserError(f"{folder} is not as wardround wrote it ({entry.check.mismatches[0]}).")
    if entry.tasks != entry.document["tasks"]["digest"]:
        raise UserError(f"{folder} is of other tasks than its run.json names; restore its tasks.")
    first = {trial.key: trial.trajectory for trial in counted_trials(folder)}
    for trial in entry.trials:
        if first[trial.key] != trial.trajectory:
            raise UserError(
                f"{folder} has two scored plays of the trial {trial.task}:{trial.trial}; run it "
                "again as a whole."
            )
    planned = entry.document["tasks"]["count"] * entry.settings["trials"]
    if len(entry.trials) != planned:
        raise UserError(
            f"{folder} has {len(entry.trials):,} of {planned:,} trials; finish it with wardround "
            "resume."
        )


def leaderboard(entries: Sequence[Entry]) -> list[Table]:
    """The one table of all runs, and the settings that runs of a group share."""
    grouped = sorted(entries, key=_group)
    groups = [list(group) for _, group in groupby(grouped, _group)]
    most = max((entry.settings["trials"] for entry in entries), default=1)
    powers = range(2, most + 1)
    columns = (
        *("Benchmark", "Group", "Rank", "Agent", "Pass^1", "Low", "High"),
        *(f"Pass^{k}" for k in powers),
        *("Tasks", "Trials", "Dollars a task", "Confined", "Verified", "Run"),
    )
    rows = [
        row for number, group in enumerate(groups, start=1) for row in _rows(group, number, powers)
    ]
    return [Table("Leaderboard", columns, tuple(rows), NOTE), _settings_table(groups)]


def _group(entry: Entry) -> tuple[str, str]:
    """The conditions that runs must share to be ranked together."""
    return entry.settings["benchmark"], str(sorted(_conditions(entry).items()))


def _conditions(entry: Entry) -> dict[str, str]:
    """The settings that decide how hard a run is, with the digests of tasks and databases."""
    settings = {
        name: str(value)
        for name, value in flattened(entry.settings).items()
        if not name.startswith((*_AGENTS_OWN, *_PLACES, *_CHOICE)) and value not in (None, [], {})
    }
    tasks = entry.document["tasks"]
    databases = flattened({"databases": entry.document.get("databases") or {}})
    return {
        **settings,
        "tasks": f"{tasks['count']} ({tasks['digest'][:12]})",
        **{name: str(value)[:12] for name, value in databases.items()},
    }


def _rows(group: Sequence[Entry], number: int, powers: range) -> list[tuple[Any, ...]]:
    ranked = sorted(group, key=lambda entry: -_pass_hat(entry, 1)[0])
    return [_row(entry, number, _rank(index, ranked), powers) for index, entry in enumerate(ranked)]


def _row(entry: Entry, number: int, rank: str, powers: range) -> tuple[Any, ...]:
    mean, low, high = _pass_hat(entry, 1)
    costs = [use.cost for trial in entry.trials for use in trial.use.values()]
    is_priced = all(cost is not None for cost in costs)
    tasks = entry.document["tasks"]["count"]
    dollars = round(sum(cost or 0.0 for cost in costs) / tasks, 4) if is_priced else None
    kind = read_confinement(entry.document, entry.settings["agent"]).kind
    check = entry.check
    return (
        *(entry.settings["benchmark"], number, rank, entry.agent),
        *map(_percent, (mean, low, high)),
        *(_percent(_pass_hat(entry, k)[0]) for k in powers),
        *(tasks, entry.settings["trials"], dollars),
        {Kind.OWN: "wardround's own", Kind.CONFINED: "yes"}.get(kind, "no"),
        "yes" if check.verified and check.sealed else "no",
        entry.name,
    )


def _pass_hat(entry: Entry, k: int) -> tuple[float, float | None, float | None]:
    """Pass^k with its interval; NaN if no task has k scored trials."""
    rates = [task.pass_hat for task in reliabilities([*tallies(entry.trials).values()], k)]
    if not rates:
        return float("nan"), None, None
    [interval] = mean_intervals([[rate] for rate in rates])
    return (fmean(rates), interval.low, interval.high) if interval else (fmean(rates), None, None)


def _percent(share: float | None) -> float | None:
    return None if share is None or share != share else round(100 * share, 1)


def _rank(index: int, ranked: Sequence[Entry]) -> str:
    """The ranks that a run may have, as far as paired tests can tell it from the others.

    The first is after all that are surely better, the last before all that are surely worse.
    """
    better = sum(_differs(other, ranked[index]) for other in ranked[:index])
    worse = sum(_differs(ranked[index], other) for other in ranked[index + 1 :])
    first, last = 1 + better, len(ranked) - worse
    return str(first) if first == last else f"{first} to {last}"


def _differs(one: Entry, two: Entry) -> bool:
    first: Mapping[str, Tally] = tallies(one.trials)
    second = tallies(two.trials)
    pairs = [(first[task], second[task]) for task in first if task in second]
    difference = paired_difference(pairs)
    return difference is not None and difference.p is not None and difference.p < ALPHA


def _settings_table(groups: Sequence[Sequence[Entry]]) -> Table:
    """The settings that the runs of each group share."""
    rows = [
        (number, setting_label(name), value)
        for number, group in enumerate(groups, start=1)
        for name, value in _conditions(group[0]).items()
    ]
    return Table("Settings of the groups", ("Group", "Setting", "Value"), tuple(rows))
