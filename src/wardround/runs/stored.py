"""The trials of a run on disk, with their verdicts."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

from wardround.core.record import (
    ByteRange,
    Outcome,
    PlayedTrial,
    TrialRecord,
    VerdictRecord,
    added_use,
    use_by_role,
)
from wardround.core.run_reader import (
    read_played,
    read_trajectory,
    read_verdicts,
    unjudged_trials,
)
from wardround.core.task import Task
from wardround.core.trajectory import Trajectory
from wardround.core.trial import Attempt, FinishedTrial, count_turns
from wardround.core.verdict import Verdict, latest
from wardround.runs.played import Unjudged

Tasks: TypeAlias = Mapping[str, Task[Any, Any]]


class StoredRun:
    """Trials and verdicts of a run on disk; verdicts are read once.

    Raises:
        UserError: a file of the run is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._verdicts: dict[ByteRange, list[VerdictRecord]] = defaultdict(list)
        self._sources: dict[str, set[str]] = defaultdict(set)
        for line in read_verdicts(folder):
            self._verdicts[line.trajectory].append(line)
            self._sources[line.judge].add(line.verdict.source)

    def counts(self, record: TrialRecord) -> bool:
        """True if the trial's last attempt counts, so that it can be judged."""
        if record.outcome.scored:
            return True
        unscored = record.outcome is Outcome.UNSCORED
        return unscored and read_played(self._folder, record.trajectory) is not None

    def judges(self) -> list[str]:
        """The names of the sets of verdicts added to the run."""
        return sorted(filter(None, self._sources))

    def verdicts(self, record: TrialRecord, judge: str = "") -> list[Verdict]:
        """The verdicts on a trial, with those of a named set in place of the run's own.

        The run's own verdicts remain for sources outside the set. An item of a source in the set
        that the set has no verdict on is undecided.
        """
        first = self.verdicts_of_set(record, "")
        if not judge:
            return first
        own_set = self.verdicts_of_set(record, judge)
        sources = self._sources[judge]
        decided = {(verdict.item, verdict.source) for verdict in own_set}
        return [*(_own_verdict(judge, v, sources, decided) for v in first), *own_set]

    def verdicts_of_set(self, record: TrialRecord, judge: str) -> list[Verdict]:
        """The verdicts of one set on a trial."""
        lines = self._verdicts.get(record.trajectory, [])
        return latest(line.verdict for line in lines if line.judge == judge)

    def unjudged(self, task: Task[Any, Any], record: TrialRecord) -> Unjudged:
        """A finished trial without its verdicts."""
        trajectory = read_trajectory(self._folder, record.trajectory)
        attempt = Attempt(trajectory, ending=record.ending)
        trial = FinishedTrial(task, record.trial, record.seed, (attempt,), record.seconds)
        return Unjudged(trial, record)

    def judged(self, task: Task[Any, Any], record: TrialRecord, judge: str = "") -> Unjudged:
        """A finished trial with the verdicts of a set."""
        return replace(self.unjudged(task, record), known=self.verdicts(record, judge))

    def reopened(self, task: Task[Any, Any], record: TrialRecord) -> Unjudged:
        """A finished trial without its undecided verdicts, to be judged again."""
        known = [
            replace(verdict, reason="") if verdict.state == "undecided" else verdict
            for verdict in self.verdicts(record)
        ]
        return replace(self.unjudged(task, record), known=known)

    def unvalidated(self, task: Task[Any, Any], record: TrialRecord) -> FinishedTrial:
        """A finished trial whose validator could not decide on its last attempt."""
        rejected = (
            Attempt(read_trajectory(self._folder, each.trajectory), Outcome.USER_ERROR, each.reason)
            for each in record.rejected
        )
        trial = self.unjudged(task, record).trial
        return replace(trial, attempts=(*rejected, trial.last))

    def interrupted(self, tasks: Tasks, records: Iterable[TrialRecord]) -> Iterator[Unjudged]:
        """The trials that were played but not judged."""
        for played, where in unjudged_trials(self._folder, records):
            if played.task in tasks:
                yield self._interrupted(tasks[played.task], played, where)

    def _interrupted(self, task: Task[Any, Any], played: PlayedTrial, where: ByteRange) -> Unjudged:
        trajectory = read_trajectory(self._folder, where)
        record = self._record(task, played, where, trajectory)
        return self.judged(task, record)

    def _record(
        self, task: Task[Any, Any], played: PlayedTrial, where: ByteRange, trajectory: Trajectory
    ) -> TrialRecord:
        earlier = (read_trajectory(self._folder, r.trajectory) for r in played.rejected)
        requests = chain.from_iterable(t.requests() for t in (*earlier, trajectory))
        judging = [line.use for line in self._verdicts.get(where, [])]
        return TrialRecord(
            task=task.id,
            trial=played.trial,
            seed=played.seed,
            outcome=Outcome.UNSCORED,
            reason="",
            ending=played.ending,
            scores={},
            labels=dict(task.labels),
            counts={**count_turns(trajectory), "attempts": len(played.rejected) + 1},
            use=added_use(use_by_role(requests), *judging),
            seconds=played.seconds,
            trajectory=where,
            rejected=played.rejected,
        )


def _own_verdict(
    judge: str, verdict: Verdict, sources: set[str], decided: set[tuple[str, str]]
) -> Verdict:
    """The run's own verdict; undecided if the judge's set covers its source but lacks the item."""
    if verdict.source not in sources or (verdict.item, verdict.source) in decided:
        return verdict
    return replace(verdict, state="undecided", reason=f"not judged by {judge}", votes=())
