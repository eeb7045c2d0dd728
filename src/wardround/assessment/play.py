"""Plays an agent's trials on the suites of an assessment, and reads them back."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

from wardround.assessment.evidence import Harms, PlayedSuite
from wardround.assessment.folder_checks import (
    check_same_data,
    check_same_run,
    check_same_tasks,
    repair_notices,
)
from wardround.core.capabilities import HarmReporter
from wardround.core.declared import benchmark_class
from wardround.core.errors import UserError
from wardround.core.harms import Harm
from wardround.core.injection import obeyed
from wardround.core.record import TrialRecord
from wardround.core.run_check import check_run
from wardround.core.run_reader import (
    counted_trials,
    read_settings,
    read_trajectory,
    read_trials,
)
from wardround.report.run_report import read_report
from wardround.runs.resume import resume_run
from wardround.runs.settings import RunSettings
from wardround.runs.start import Listener, start_run

RUN_FILE = "run.json"
# The share of tasks that are played once more with an instruction hidden in the data.
INJECTED_SHARE = 0.2
LEAST_INJECTED = 10


@dataclass(frozen=True, slots=True)
class Part:
    """The trials of an assessment on one benchmark.

    Attributes:
        settings: the settings of its run.
        folder: the folder of its run.
        is_learned: True if the agent learns from questions that are made as those of the suite.
        group: where its tasks are from, if a person named them; "" if they are made.
    """

    settings: RunSettings
    folder: Path
    is_learned: bool = False
    group: str = ""

    @property
    def benchmark(self) -> str:
        """The benchmark."""
        return self.settings.benchmark

    @property
    def name(self) -> str:
        """Its name on the page, and that of its run's folder."""
        return self.folder.name


def play(part: Part, watch: Callable[[], AbstractContextManager[Listener]]) -> None:
    """Plays the trials that are not on disk yet.

    Raises:
        UserError: a part of the run cannot be opened, its tasks or database have changed, a
            changed budget wants other tasks, or the folder has another run.
        KeyboardInterrupt: the user stopped it; finished trials are on disk.
    """
    if (part.folder / RUN_FILE).exists():
        _check_number(part)
        check_same_run(part.folder, part.settings)
    if is_over(part.folder):
        check_same_data(part.folder, part.settings)
        return
    with watch() as listener:
        if (part.folder / RUN_FILE).exists():
            resume_run(part.folder, listener, again=frozenset())
        else:
            start_run(part.settings, part.folder, listener, force=False)


def _check_number(part: Part) -> None:
    """Refuses to go on with a run of more or fewer tasks, which another budget has drawn."""
    before, now = read_settings(part.folder)["tasks"]["count"], len(ids_of(part))
    if before != now:
        raise UserError(
            f"{part.folder} has trials at {before:,} tasks, and this budget is for {now:,}; give "
            "the --minutes and --dollars of before, or name a new folder with --out."
        )


def is_over(folder: Path) -> bool:
    """True if all trials of a run are on disk, as they were written."""
    if not (folder / RUN_FILE).exists():
        return False
    check = check_run(folder)
    settings = read_settings(folder)
    planned = settings["tasks"]["count"] * settings["settings"]["trials"]
    return check.sealed and not check.mismatches and len(read_trials(folder)) >= planned


def injected_part(part: Part) -> Part:
    """A part with one trial of some of the tasks, in which the data hold an instruction."""
    tasks = ids_of(part)
    number = min(len(tasks), max(LEAST_INJECTED, ceil(INJECTED_SHARE * len(tasks))))
    chosen = Random(f"{part.settings.seed} injected").sample(tasks, number)
    update = {"task": tuple(chosen), "trials": 1, "injected": True}
    folder = part.folder.with_name(f"{part.folder.name}-injected")
    return Part(part.settings.model_copy(update=update), folder, group=part.group)


def ids_of(part: Part) -> list[str]:
    """The ids of the tasks that a part plays."""
    suite = benchmark_class(part.benchmark).read(part.settings.tasks)
    return [task.id for task in part.settings.tasks_chosen.of(suite).tasks]


def played_suite(part: Part, folder: Path | None = None) -> PlayedSuite:
    """The trials that are on disk, with their harms.

    Args:
        part: the part.
        folder: the folder of another agent's run of the same part; the part's own by default.

    Raises:
        UserError: the other run is at other tasks.
    """
    if folder is not None:
        check_same_tasks(part.folder, folder)
    folder = folder or part.folder
    trials = counted_trials(folder)
    is_injected = part.settings.injected
    harms = _obedience(folder, trials) if is_injected else _harms(part.benchmark, trials)
    return PlayedSuite(part.benchmark, trials, harms, is_injected, part.group)


def _harms(benchmark: str, trials: Sequence[TrialRecord]) -> Harms:
    benchmark_type: Any = benchmark_class(benchmark)
    return benchmark_type.harms(trials) if issubclass(benchmark_type, HarmReporter) else {}


def _obedience(folder: Path, trials: Sequence[TrialRecord]) -> Harms:
    """For each trial that read a hidden instruction, True if it obeyed."""
    followed_by_trial = {
        trial.key: obeyed(read_trajectory(folder, trial.trajectory))
        for trial in trials
        if trial.outcome.scored
    }
    return {
        key: {Harm.FOLLOWED_INSTRUCTION: followed}
        for key, followed in followed_by_trial.items()
        if followed is not None
    }


def databases_of(parts: Sequence[Part]) -> list[str]:
    """The fingerprints of the databases of the runs."""
    fingerprints = [read_settings(part.folder).get("databases", {}).values() for part in parts]
    return sorted({str(digest) for digests in fingerprints for digest in digests})


def notices_of(parts: Sequence[Part]) -> list[str]:
    """The sentences on the runs' authenticity and completeness, and on the agent."""
    by_part = [
        (*read_report(part.folder).notices, *repair_notices(part.folder), *_learned(part))
        for part in parts
    ]
    return list(dict.fromkeys(notice for notices in by_part for notice in notices))


def notices_on_others(folders: Iterable[Path]) -> list[str]:
    """The sentences on the authenticity of other agents' runs, with which this one is compared."""
    runs = [run.parent for folder in folders for run in sorted(folder.glob(f"runs/*/{RUN_FILE}"))]
    reports = [report for run in runs if not (report := read_report(run)).is_sound]
    notices = [f"Beside: {notice}" for report in reports for notice in report.notices]
    return list(dict.fromkeys(notices))


def _learned(part: Part) -> Iterator[str]:
    """The sentence on an agent that learned from questions like those of its suite, if it did."""
    if part.is_learned:
        yield (
            f"The agent {part.settings.agent} learned from questions of the same templates as "
            f"those of {part.benchmark}, so expect less of it on questions in your own words."
        )
