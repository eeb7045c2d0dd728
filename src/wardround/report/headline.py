"""The opening sentence of a report: the share of tasks that the agent always got right."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from wardround.core.confinement import ORACLE, read_confinement
from wardround.core.declared import installed_agent
from wardround.core.record import Outcome, TrialRecord, by_task
from wardround.scoring.statistics.intervals import binomial_interval

_AGENT_ERROR = "agent_error"  # how a trial ends in which the agent failed


def headline(trials: Sequence[TrialRecord], grading: str) -> str:
    """A sentence on the agent's reliability.

    Counts tasks with all trials scored, with the Clopper-Pearson interval over tasks.

    Args:
        trials: The finished trials of a run.
        grading: The grading that decides whether a trial passed.
    """
    tasks = by_task(trials)
    scored = {
        task: attempts
        for task, attempts in tasks.items()
        if all(trial.outcome.scored for trial in attempts)
    }
    if not scored and has_bounds(trials):
        most = _not_failed(tasks)
        return (
            f"Between 0 and {most} of {_tasks(len(tasks))} were right by the {grading} grading:"
            " too many of their items are undecided. The tables give bounds."
        )
    if not scored:
        return f"None of {len(tasks):,} tasks has all its trials scored, so no rate can be given."
    right = sum(
        all(trial.outcome is Outcome.PASSED for trial in attempts) for attempts in scored.values()
    )
    interval = binomial_interval(right, len(scored))
    return (
        f"{right:,} of {_tasks(len(tasks))} {'was' if right == 1 else 'were'} right"
        f"{_each_time(trials)} by the {grading} grading{_left_out(len(tasks) - len(scored))}"
        f" ({right / len(scored):.0%}{' of those scored' if len(scored) < len(tasks) else ''},"
        f" 95% interval {interval.low:.0%} to {interval.high:.0%})."
    )


def right_percentage(trials: Sequence[TrialRecord]) -> float:
    """The percentage of tasks that were right in all trials; one that is not scored was not."""
    tasks = by_task(trials).values()
    right = sum(all(trial.outcome is Outcome.PASSED for trial in attempts) for attempts in tasks)
    return 100 * right / len(tasks) if tasks else 0.0


def nothing_measured(trials: Sequence[TrialRecord]) -> str:
    """A sentence on why a run says nothing about its agent; "" if it does.

    Either no trial was scored or has bounds, or the agent failed in every trial before it did
    anything.
    """
    if not any(trial.outcome.scored for trial in trials):
        if has_bounds(trials):
            return ""
        return f"No trial was scored{_reason(trials)}."
    scored = [trial for trial in trials if trial.outcome.scored]
    if all(trial.ending == _AGENT_ERROR and not trial.counts["actions"] for trial in scored):
        return f"The agent never acted{_reason(scored)}."
    return ""


def has_bounds(trials: Sequence[TrialRecord]) -> bool:
    """True if some trial was judged and has measures that are bounds, scored or not."""
    return any(trial.outcome is Outcome.UNSCORED and trial.measures for trial in trials)


def confinement(settings: Mapping[str, Any]) -> str:
    """The sentence on the confinement of a run's agent; "" for wardround's own.

    >>> confinement({"agent": "parser"})
    ''
    """
    return read_confinement(settings, settings.get("agent", ORACLE)).sentence()


def caveat(settings: Mapping[str, Any]) -> str:
    """The sentence on what the scores of a run's agent do not show, else "".

    >>> caveat({"agent": "parser"})[:47], caveat({"agent": "oracle"})
    ('The agent of this run, parser, works by rules t', '')
    """
    declared = installed_agent(settings.get("agent", ORACLE))
    return declared.caveat if declared else ""


def terms(settings: Mapping[str, Any]) -> str:
    """The sentence on who may see the tasks of a run, else "".

    >>> terms({"tasks": {"terms": "Credentialed."}}), terms({})
    ('Credentialed.', '')
    """
    return str(settings.get("tasks", {}).get("terms", ""))


def _not_failed(tasks: Mapping[str, Sequence[TrialRecord]]) -> int:
    """The number of tasks of which no trial failed."""
    return sum(
        all(trial.outcome is not Outcome.FAILED for trial in attempts)
        for attempts in tasks.values()
    )


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count:,} tasks"


def _each_time(trials: Sequence[TrialRecord]) -> str:
    most = max(trial.trial for trial in trials) + 1
    return "" if most == 1 else f" in all {most} trials"


def _left_out(count: int) -> str:
    return f"; {count:,} could not be scored" if count else ""


def _reason(trials: Sequence[TrialRecord]) -> str:
    """The most frequent outcome with its reason."""
    reasons = Counter(f"{trial.outcome}: {trial.reason}" for trial in trials)
    (reason, count), *_ = reasons.most_common(1)
    return f" ({count:,} of {len(trials):,} trials ended as {reason.rstrip('.: ')})"
