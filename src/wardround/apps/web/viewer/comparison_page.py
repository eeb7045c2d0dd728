"""The pages that compare two runs, and two trials of a task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from fastapi.responses import HTMLResponse

from wardround.apps.web.viewer.pages import comparison_address, page
from wardround.apps.web.viewer.runs import ViewedRun
from wardround.core.errors import UserError
from wardround.core.record import TrialRecord
from wardround.core.run_reader import read_trajectory
from wardround.core.serialization import flattened
from wardround.report.comparison import (
    differing,
    other_differences,
    setting_label,
    setting_value,
)
from wardround.report.shown_events import ShownEvent, shown_event
from wardround.report.trace import turns
from wardround.report.trial_index.search import Search
from wardround.scoring.reliability import Tally
from wardround.scoring.statistics.paired import PairedDifference, paired_difference

PAGE = 50
MOST_EVENTS = 200
MOST_CHARACTERS = 5_000
_MOST_TRIALS = 50
_UNCOMPARED = ("requested", "noted")  # tokens, seconds and notes differ between any two trials


@dataclass(frozen=True, slots=True)
class ComparedTask:
    """A task whose rates of success differ."""

    task: str
    first: Tally
    second: Tally

    @property
    def difference(self) -> float:
        """The second rate less the first."""
        return self.second.successes / self.second.trials - self.first.successes / self.first.trials


def runs_page(first: ViewedRun, second: ViewedRun, start: int) -> HTMLResponse:
    """Two runs beside each other: success by tasks that both have, and the tasks that differ.

    Raises:
        UserError: they are of different benchmarks.
    """
    benchmarks = {run.settings["settings"]["benchmark"] for run in (first, second)}
    if len(benchmarks) > 1:
        raise UserError(
            f"The runs are of different benchmarks ({', '.join(sorted(benchmarks))}); choose two "
            "of one benchmark."
        )
    tallies = [run.index.tallies() for run in (first, second)]
    shared = {
        task: (tallies[0][task], tallies[1][task]) for task in tallies[0] if task in tallies[1]
    }
    tasks = _differing_tasks(shared)
    settings = _settings(first, second)
    return page(
        "view_comparison.html.j2",
        title="Two runs",
        first=first,
        second=second,
        settings=[(setting_label(name), *values) for name, values in settings.items()],
        warning=other_differences(list(settings)),
        only=[len(tallies[0].keys() - shared), len(tallies[1].keys() - shared)],
        sentence=difference_sentence(paired_difference(list(shared.values()))),
        better=sum(task.difference > 0 for task in tasks),
        worse=sum(task.difference < 0 for task in tasks),
        equal=len(shared) - len(tasks),
        tasks=tasks[start : start + PAGE],
        start=start,
        total=len(tasks),
        earlier=comparison_address(first.name, second.name, start=max(0, start - PAGE))
        if start
        else None,
        later=comparison_address(first.name, second.name, start=start + PAGE)
        if start + PAGE < len(tasks)
        else None,
        refresh=None,
    )


def difference_sentence(paired: PairedDifference | None) -> str:
    """The difference of two runs in words.

    >>> tallies = [(Tally(1, 0), Tally(1, 1))] * 8 + [(Tally(1, 1), Tally(1, 1))] * 2
    >>> difference_sentence(paired_difference(tallies))
    'On the 10 tasks that both have, the first passes 20.0% of trials and the second 100.0%: \
80.0 points more (95% interval 50.0 to 100.0; p = 0.0078, McNemar, exact).'
    """
    if paired is None:
        return "No task has a scored trial in both runs, so they cannot be compared."
    points = 100 * paired.difference
    words = f"{abs(points):.1f} points {'more' if points > 0 else 'less'}" if points else "the same"
    remarks = []
    if paired.interval:
        remarks.append(
            f"95% interval {100 * paired.interval.low:.1f} to {100 * paired.interval.high:.1f}"
        )
    if paired.p is not None:
        remarks.append(f"p = {paired.p:.2g}, {paired.test}")
    counted = "one task" if paired.tasks == 1 else f"{paired.tasks:,} tasks"
    remark = f" ({'; '.join(remarks)})" if remarks else ""
    return (
        f"On the {counted} that both have, the first passes {paired.first:.1%} of "
        f"trials and the second {paired.second:.1%}: {words}{remark}."
    )


def _differing_tasks(shared: Mapping[str, tuple[Tally, Tally]]) -> list[ComparedTask]:
    """The tasks whose rates differ, the largest difference first."""
    tasks = [
        ComparedTask(task, *pair)
        for task, pair in shared.items()
        if all(tally.trials for tally in pair)
    ]
    different = [task for task in tasks if task.difference]
    return sorted(different, key=lambda task: (-abs(task.difference), task.difference, task.task))


def _settings(first: ViewedRun, second: ViewedRun) -> dict[str, tuple[str, str]]:
    """Both values of each setting that differs."""
    flat = [flattened({**run.settings, **run.settings["settings"]}) for run in (first, second)]
    names = [name for name in differing(flat) if not name.startswith("settings.")]
    return {
        name: (setting_value(flat[0].get(name)), setting_value(flat[1].get(name))) for name in names
    }


@dataclass(frozen=True, slots=True)
class ComparedTrial:
    """A trial of a comparison.

    Attributes:
        run: its run.
        record: its record.
        events: what was said and done.
        problem: the reason why they cannot be read; "" if they can.
    """

    run: ViewedRun
    record: TrialRecord
    events: Sequence[ShownEvent]
    problem: str = ""


def trials_page(
    first: ViewedRun, second: ViewedRun, task: str, numbers: tuple[int, int]
) -> HTMLResponse:
    """Two trials of a task beside each other from their first difference on."""
    runs = (first, second)
    trials = [_trial(run, task, number) for run, number in zip(runs, numbers, strict=True)]
    same = common_events(trials[0].events, trials[1].events)
    rows = list(zip_longest(*(trial.events[same:] for trial in trials)))
    return page(
        "view_trials.html.j2",
        title=f"Two trials of {task}",
        task=task,
        trials=trials,
        choices=[run.index.search(Search(task=task), 0, _MOST_TRIALS).records for run in runs],
        common=trials[0].events[:same],
        rows=rows[:MOST_EVENTS],
        left_out=max(0, len(rows) - MOST_EVENTS),
        refresh=None,
    )


def common_events(first: Sequence[ShownEvent], second: Sequence[ShownEvent]) -> int:
    """The number of events that two trials have in common before their first difference.

    >>> hello, bye = ShownEvent("said", "user", "Hello"), ShownEvent("said", "agent", "Bye")
    >>> common_events([hello, bye], [hello, hello])
    1
    """
    pairs = zip(first, second, strict=False)
    return next(
        (number for number, (one, other) in enumerate(pairs) if one != other),
        min(len(first), len(second)),
    )


def _trial(run: ViewedRun, task: str, number: int) -> ComparedTrial:
    record = run.record(task, number)
    try:
        happened = turns(read_trajectory(run.folder, record.trajectory))
    except UserError as error:
        return ComparedTrial(run, record, (), str(error))
    events = [
        shown_event(turn, MOST_CHARACTERS) for turn in happened if turn.kind not in _UNCOMPARED
    ]
    return ComparedTrial(run, record, events)
