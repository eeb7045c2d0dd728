"""Scores a run from its stored verdicts, without databases and models."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from wardround.core.benchmark import Benchmark
from wardround.core.capabilities import (
    Conversational,
    Explainer,
    Explanation,
    RubricGraded,
    SuiteChooser,
)
from wardround.core.conversation import Conversation, RubricPart
from wardround.core.declared import benchmark_class
from wardround.core.errors import UserError
from wardround.core.record import Outcome, TrialRecord
from wardround.core.run_reader import read_trajectory, read_trials
from wardround.core.run_writer import RunWriter
from wardround.core.task import Suite, Task
from wardround.core.trajectory import Trajectory
from wardround.core.trial import JUDGING_FAILED
from wardround.core.verdict import Verdict, latest
from wardround.runs.open_run import settings_of
from wardround.runs.played import scored_record
from wardround.runs.settings import RunSettings
from wardround.runs.stored import StoredRun


@dataclass(frozen=True, slots=True)
class Rescored:
    """The effect of scoring a run again.

    Attributes:
        scored: the number of trials that were scored.
        changed: a line for each trial whose outcome or scores changed.
        unchanged: a line for each trial that could not be scored again.
    """

    scored: int
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]


def score_run(folder: Path, *, trust: bool = False) -> Rescored:
    """Scores every judged trial with the current scorer, and rewrites the records.

    Args:
        folder: the run.
        trust: score a run that cannot be verified, too.

    Raises:
        UserError: the folder is not a run, is being written to or does not verify, or its tasks are
            missing.
    """
    with RunWriter(folder, trust=trust) as writer:
        before = read_trials(folder)
        after = records_by(folder)
        writer.rewrite_trials(after)
    return changes(before, after, folder)


def records_by(folder: Path, judge: str = "") -> list[TrialRecord]:
    """The finished trials, scored by a set of verdicts.

    Args:
        folder: the run.
        judge: the set's name; empty for the run's own verdicts.

    Raises:
        UserError: the run has no set of that name, or its tasks are missing.
    """
    stored = StoredRun(folder)
    if judge and judge not in stored.judges():
        judges = ", ".join(stored.judges()) or "none but the run's own"
        raise UserError(f"{folder} has no verdicts of {judge!r}; it has {judges}.")
    tasks = tasks_of(folder)
    rescored = _scorer(folder, stored, tasks, judge)
    return [rescored(record) for record in read_trials(folder)]


def tasks_of(folder: Path) -> dict[str, Task[Any, Any]]:
    """The tasks of a run's source by id; their golds are not checked.

    Raises:
        UserError: the source is missing.
    """
    return {task.id: task for task in suite_of(settings_of(folder)).tasks}


def suite_of(settings: RunSettings) -> Suite:
    """All tasks of the source that settings name, read without opening a database.

    Raises:
        UserError: the source is missing.
    """
    benchmark = benchmark_class(settings.benchmark)
    if settings.tasks is None and issubclass(benchmark, SuiteChooser):
        return benchmark.chosen_suite(settings.options)
    return benchmark.read(settings.tasks)


@dataclass(frozen=True)
class GoldReader:
    """Shows a run's trials beside their golds, from its tasks, trajectories and stored verdicts.

    Tasks and verdicts are read when the first trial is shown.

    Attributes:
        folder: the run.
        warn: called once, with a sentence, if the tasks or verdicts cannot be read.
        judge: the name of a set of verdicts; empty for the run's own.
        verdicts: reads the verdicts on a trial; None to read those of all trials at once.
    """

    folder: Path
    warn: Callable[[str], None]
    judge: str = ""
    verdicts: Callable[[TrialRecord], Sequence[Verdict]] | None = None

    def explanation(self, record: TrialRecord) -> Explanation | None:
        """Explains a failed trial; None for any other, or if benchmark or task cannot."""
        return self.gold(record) if record.outcome is Outcome.FAILED else None

    def gold(self, record: TrialRecord) -> Explanation | None:
        """The request and gold of any trial beside its attempt; a difference only if it failed."""
        benchmark = self._benchmark
        if not issubclass(benchmark, Explainer) or (parts := self._parts(record)) is None:
            return None
        explained = benchmark.explain(*parts)
        is_failed = record.outcome is Outcome.FAILED
        return explained if is_failed else replace(explained, difference="")

    def conversation(self, record: TrialRecord) -> Conversation | None:
        """A trial as a conversation; None if its benchmark has none, or if its task is gone."""
        benchmark = self._benchmark
        if not issubclass(benchmark, Conversational):
            return None
        parts = self._parts(record)
        return benchmark.conversation(*parts) if parts else None

    def rubrics(self, record: TrialRecord) -> Sequence[RubricPart]:
        """The rubrics of a trial's task; empty if it has none, or is gone."""
        benchmark, tasks = self._benchmark, self._tasks
        if not issubclass(benchmark, RubricGraded) or record.task not in tasks:
            return ()
        return benchmark.rubrics(tasks[record.task])

    @cached_property
    def _benchmark(self) -> type[Benchmark]:
        return benchmark_class(settings_of(self.folder).benchmark)

    @cached_property
    def _tasks(self) -> Mapping[str, Task[Any, Any]]:
        """The tasks by id; none if they cannot be read."""
        try:
            return tasks_of(self.folder)
        except UserError as error:
            self.warn(f"Trials are shown without their golds: {error}")
            return {}

    @cached_property
    def _stored(self) -> StoredRun | None:
        try:
            return StoredRun(self.folder)
        except UserError as error:
            self.warn(f"Trials are shown without their golds: {error}")
            return None

    def _parts(
        self, record: TrialRecord
    ) -> tuple[Task[Any, Any], Trajectory, Sequence[Verdict]] | None:
        """The task, trajectory and verdicts of a trial; None if they are gone."""
        task = self._tasks.get(record.task)
        if task is None or (self.verdicts is None and self._stored is None):
            return None
        trajectory = read_trajectory(self.folder, record.trajectory)
        return task, trajectory, self._verdicts(record)

    def _verdicts(self, record: TrialRecord) -> Sequence[Verdict]:
        if self.verdicts is not None:
            return self.verdicts(record)
        return latest(self._stored.verdicts(record, self.judge)) if self._stored else []


def changes(before: list[TrialRecord], after: list[TrialRecord], folder: Path) -> Rescored:
    """Compares the records before and after scoring or judging again."""
    tasks = tasks_of(folder)
    changed = tuple(
        _change(was, now)
        for was, now in zip(before, after, strict=True)
        if (was.outcome, was.scores) != (now.outcome, now.scores)
    )
    gone = (record for record in after if record.task not in tasks)
    unchanged = tuple(
        f"{r.task}:{r.trial} kept its score: its task is gone or broken" for r in gone
    )
    scored = sum(record.outcome.scored for record in after if record.task in tasks)
    return Rescored(scored, changed, unchanged)


def _scorer(
    folder: Path, stored: StoredRun, tasks: Mapping[str, Task[Any, Any]], judge: str
) -> Callable[[TrialRecord], TrialRecord]:
    settings = settings_of(folder)
    score = benchmark_class(settings.benchmark).score

    def rescored(record: TrialRecord) -> TrialRecord:
        incomplete = record.outcome is Outcome.UNSCORED and record.reason.startswith(JUDGING_FAILED)
        if incomplete or record.task not in tasks or not stored.counts(record):
            return record
        judged = stored.judged(tasks[record.task], record, judge)
        return scored_record(score, judged, settings.grading)

    return rescored


def _change(was: TrialRecord, now: TrialRecord) -> str:
    return f"{now.task}:{now.trial} was {was.outcome} {was.scores}, is {now.outcome} {now.scores}"
