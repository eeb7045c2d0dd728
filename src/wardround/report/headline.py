"""The opening sentence of a report: the share of tasks that the agent always got right."""

from collections.abc import Mapping, Sequence
from typing import Any

from wardround.core.confinement import ORACLE, read_confinement
from wardround.core.record import Outcome, TrialRecord, by_task
from wardround.scoring.statistics import binomial_interval


def headline(trials: Sequence[TrialRecord], grading: str) -> str:
    """A sentence on the agent's reliability.

    Counts tasks with all trials scored, with the Clopper-Pearson interval over tasks.

    Args:
        trials: The finished trials of a run.
        grading: The grading that decides whether a trial passed.
    """
    tasks = by_task(trials)
    scored = {
        task: own for task, own in tasks.items() if all(trial.outcome.scored for trial in own)
    }
    if not scored:
        return f"None of {len(tasks):,} tasks has all its trials scored, so no rate can be given."
    right = sum(all(trial.outcome is Outcome.PASSED for trial in own) for own in scored.values())
    interval = binomial_interval(right, len(scored))
    return (
        f"{right:,} of {_tasks(len(scored))} {'was' if right == 1 else 'were'} right"
        f"{_each_time(trials)} by the {grading} grading ({right / len(scored):.0%}, 95% interval"
        f" {interval.low:.0%} to {interval.high:.0%}).{_left_out(len(tasks) - len(scored))}"
    )


def confinement(settings: Mapping[str, Any]) -> str:
    """The sentence on the confinement of a run's agent; "" for wardround's own.

    >>> confinement({"agent": "parser"})
    ''
    """
    return read_confinement(settings, settings.get("agent", ORACLE)).sentence()


def terms(settings: Mapping[str, Any]) -> str:
    """The sentence on who may see the tasks of a run, else "".

    >>> terms({"tasks": {"terms": "Credentialed."}}), terms({})
    ('Credentialed.', '')
    """
    return str(settings.get("tasks", {}).get("terms", ""))


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count:,} tasks"


def _each_time(trials: Sequence[TrialRecord]) -> str:
    most = max(trial.trial for trial in trials) + 1
    return "" if most == 1 else f" in all {most} trials"


def _left_out(count: int) -> str:
    if not count:
        return ""
    verb = "is" if count == 1 else "are"
    return f" {_tasks(count)} {verb} left out, because not every trial could be scored."
