"""Writes played trials, judges them, and creates their records."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from wardround.core.record import (
    Outcome,
    PlayedTrial,
    RejectedAttempt,
    RoleUse,
    TrialRecord,
    VerdictRecord,
    added_use,
    use_by_role,
)
from wardround.core.run_writer import RunWriter
from wardround.core.trajectory import Requested
from wardround.core.trial import FinishedTrial, Scorer, count_turns, score_trial
from wardround.core.verdict import Verdict
from wardround.runs.trials import JudgeTrial


@dataclass(slots=True)
class Unjudged:
    """A trial whose trajectory is on disk and whose verdicts are incomplete.

    Attributes:
        trial: the trial; its last attempt has no outcome yet.
        record: its record, without outcome and scores; judging adds what its models cost.
        known: its verdicts so far.
    """

    trial: FinishedTrial
    record: TrialRecord
    known: list[Verdict] = field(default_factory=list)


def write_played(trial: FinishedTrial, writer: RunWriter) -> TrialRecord | Unjudged:
    """Writes the attempts of a trial; returns its record if there is nothing to judge."""
    *earlier, last = trial.attempts
    rejected = tuple(
        RejectedAttempt(attempt.reason, writer.add_trajectory(attempt.trajectory))
        for attempt in earlier
    )
    played = PlayedTrial(
        trial.task.id, trial.trial, trial.seed, last.ending, trial.seconds, rejected
    )
    if last.outcome is not None:
        return _with_score(_record(trial, played, writer), trial)
    unjudged = Unjudged(trial, _record(trial, played, writer), list(last.verdicts))
    writer.add_verdicts(_lines(unjudged.record, last.verdicts))
    return unjudged


async def judge_and_write(
    judge: JudgeTrial, unjudged: Unjudged, writer: RunWriter, name: str = ""
) -> str:
    """Judges a trial and writes each verdict before the next is requested.

    Args:
        judge: judges the trial.
        unjudged: the trial; new verdicts are added to its known ones.
        writer: writes the verdicts.
        name: the name of their set; empty for the run's own verdicts.

    Returns:
        The reason why judging stopped early, or "".
    """
    record = unjudged.record

    def write(verdict: Verdict, requests: Sequence[Requested]) -> None:
        use = use_by_role(requests)
        writer.add_verdicts(_lines(record, [verdict], name, use))
        unjudged.known.append(verdict)
        unjudged.record = replace(record, use=added_use(unjudged.record.use, use))

    return await judge(unjudged.trial, tuple(unjudged.known), write)


def scored_record(
    scorer: Scorer, unjudged: Unjudged, grading: str = "", problem: str = ""
) -> TrialRecord:
    """The record of a trial, scored by its known verdicts."""
    scored = score_trial(scorer, unjudged.trial, unjudged.known, grading, problem)
    return _with_score(unjudged.record, scored)


def _record(trial: FinishedTrial, played: PlayedTrial, writer: RunWriter) -> TrialRecord:
    requests = chain.from_iterable(a.trajectory.requests() for a in trial.attempts)
    last = trial.last
    counts = last.outcome is None
    return TrialRecord(
        task=trial.task.id,
        trial=trial.trial,
        seed=trial.seed,
        outcome=Outcome.UNSCORED,
        reason="",
        ending=last.ending,
        scores={},
        labels=dict(trial.task.labels),
        counts={**count_turns(last.trajectory), "attempts": len(trial.attempts)},
        use=use_by_role(requests),
        seconds=trial.seconds,
        trajectory=writer.add_trajectory(last.trajectory, played if counts else None),
        rejected=played.rejected,
    )


def _with_score(record: TrialRecord, trial: FinishedTrial) -> TrialRecord:
    last = trial.last
    return replace(
        record,
        outcome=last.outcome or Outcome.UNSCORED,
        reason=last.reason,
        scores=last.rewards or {},
        measures=last.measures or {},
    )


def _lines(
    record: TrialRecord,
    verdicts: Sequence[Verdict],
    judge: str = "",
    use: dict[str, RoleUse] | None = None,
) -> Iterator[VerdictRecord]:
    return (
        VerdictRecord(record.task, record.trial, record.trajectory, verdict, judge, use or {})
        for verdict in verdicts
    )
