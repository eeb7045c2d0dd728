"""A trial that was played: its attempts, of which the last is judged and scored."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from wardround.core.benchmark import (
    JudgeContext,
    Score,
    TrialMaker,
)
from wardround.core.errors import UserError
from wardround.core.record import Outcome
from wardround.core.seeds import derive_seed
from wardround.core.task import Task
from wardround.core.trajectory import Called, Ledger, Noted, Requested, Said, Trajectory
from wardround.core.verdict import Verdict, latest, with_undecided_as

log = logging.getLogger(__name__)

JUDGING_FAILED = "judging failed"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt at a trial.

    Attributes:
        trajectory: the events.
        outcome: the outcome; None if it counts but is not judged yet.
        reason: the reason, if the outcome alone does not tell.
        ending: why the loop stopped; empty if it never ran.
        rewards: reward by grading.
        measures: further figures of the scorer.
        verdicts: verdicts that the environment reached while it ran.
    """

    trajectory: Trajectory
    outcome: Outcome | None = None
    reason: str = ""
    ending: str = ""
    rewards: Mapping[str, float] | None = None
    measures: Mapping[str, Any] | None = None
    verdicts: tuple[Verdict, ...] = ()

    @property
    def counts(self) -> bool:
        """True if it was graded, so that it belongs into a success rate."""
        return self.outcome is not None and self.outcome.scored


@dataclass(frozen=True, slots=True)
class FinishedTrial:
    """A trial whose last attempt is over: judged, or still to be judged."""

    task: Task[Any, Any]
    trial: int
    seed: int
    attempts: tuple[Attempt, ...]
    seconds: float

    @property
    def last(self) -> Attempt:
        """The attempt that counts."""
        return self.attempts[-1]

    def with_last(self, attempt: Attempt) -> "FinishedTrial":
        """The trial with its last attempt replaced."""
        return replace(self, attempts=(*self.attempts[:-1], attempt))


VerdictListener: TypeAlias = Callable[[Verdict, Sequence[Requested]], None]
Scorer: TypeAlias = Callable[[Task[Any, Any], Trajectory, Sequence[Verdict]], Score]


async def judge_trial(
    benchmark: TrialMaker,
    trial: FinishedTrial,
    known: Sequence[Verdict],
    on_verdict: VerdictListener,
) -> str:
    """Judges the attempt that counts, if there is one.

    Args:
        benchmark: provides the judges.
        trial: the trial.
        known: earlier verdicts, which are not requested again.
        on_verdict: called with each new verdict and its model requests.

    Returns:
        The reason why judging stopped early, or "".

    Raises:
        UserError: the settings are wrong, so that every judge of the run would fail.
    """
    if trial.last.outcome is not None:
        return ""
    ledger = Ledger()
    known_by_key = {verdict.key: verdict for verdict in known}
    context = JudgeContext(derive_seed(trial.seed, "judge"), ledger.record, known_by_key)
    try:
        async for verdict in benchmark.judge(trial.task, trial.last.trajectory, context):
            on_verdict(verdict, ledger.drain())
    except UserError:
        raise
    except Exception as error:
        log.info("task %s: judging ended by %s", trial.task.id, type(error).__name__)
        return f"{JUDGING_FAILED}: {reason_of(error)}"
    return ""


def score_trial(
    scorer: Scorer,
    trial: FinishedTrial,
    verdicts: Sequence[Verdict],
    grading: str = "",
    problem: str = "",
) -> FinishedTrial:
    """Adds outcome and scores, if the last attempt counts.

    It passes if it does with all undecided items counted as failed, fails if it does with all
    counted as passed, and is otherwise unscored.

    Args:
        scorer: computes a score from verdicts.
        trial: the trial.
        verdicts: its verdicts; the last one for an item and source counts.
        grading: the grading that decides; by default the score's first.
        problem: the reason why verdicts are missing; the trial is then unscored.
    """
    last = trial.last
    if last.outcome is not None:
        return trial
    if problem:
        return trial.with_last(replace(last, outcome=Outcome.UNSCORED, reason=problem))
    try:
        return trial.with_last(_scored(scorer, trial.task, last, latest(verdicts), grading))
    except Exception as error:
        log.info("task %s: grading ended by %s", trial.task.id, type(error).__name__)
        reason = f"grading failed: {reason_of(error)}"
        return trial.with_last(replace(last, outcome=Outcome.UNSCORED, reason=reason))


def count_turns(trajectory: Trajectory) -> dict[str, int]:
    """Counts the agent's messages, tool calls, and all actions (Lee et al. 2025, 5.2).

    An action that could not be carried out is one too.
    """
    calls = sum(isinstance(event, Called) for event in trajectory.events)
    messages = sum(isinstance(e, Said) and e.speaker == "agent" for e in trajectory.events)
    refused = trajectory.refused_actions()
    return {"user_turns": messages, "tool_calls": calls, "actions": messages + calls + refused}


def _scored(
    scorer: Scorer,
    task: Task[Any, Any],
    attempt: Attempt,
    verdicts: Sequence[Verdict],
    grading: str,
) -> Attempt:
    undecided = sum(verdict.state == "undecided" for verdict in verdicts)
    lower = scorer(task, attempt.trajectory, with_undecided_as(verdicts, "failed"))
    upper = (
        scorer(task, attempt.trajectory, with_undecided_as(verdicts, "passed"))
        if undecided
        else lower
    )
    measures = scorer(task, attempt.trajectory, verdicts).measures if undecided else lower.measures
    if upper.passes(grading) and not lower.passes(grading):
        reason = f"{undecided} verdict{'s' * (undecided > 1)} undecided"
        return replace(attempt, outcome=Outcome.UNSCORED, reason=reason, measures=measures)
    return replace(
        attempt,
        outcome=Outcome.PASSED if lower.passes(grading) else Outcome.FAILED,
        reason=_why(lower.note, attempt.trajectory),
        rewards=lower.rewards,
        measures=measures,
    )


def _why(note: str, trajectory: Trajectory) -> str:
    """The score's note, or the agent's failure if it ended the trial."""
    failures = [
        str(event.data["reason"])
        for event in trajectory.events
        if isinstance(event, Noted) and event.subject == "agent_error"
    ]
    return "; ".join([*failures, *([note] if note else [])])


def reason_of(error: Exception) -> str:
    """The kind and the words of an exception, as the reason of an outcome."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
