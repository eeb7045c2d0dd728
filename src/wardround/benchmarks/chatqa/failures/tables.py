"""Causes of failures of agents and users, as tables and a figure (Lee et al. 2025, 5.3, A.3.3)."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import get_args

from wardround.benchmarks.chatqa.failures import Failure
from wardround.benchmarks.kit.figures import Points, mean_points
from wardround.benchmarks.kit.groups import Groups, Trials
from wardround.core.benchmark import Table
from wardround.core.figures import Curve
from wardround.core.record import Outcome, TrialRecord, by_task

USER_ERROR = "user's error"
CAUSES = (*get_args(Failure), USER_ERROR)
_RULE = "Broken rule: "


def failure_table(flows: Groups) -> Table:
    """Causes of failures: of tasks that fail in all trials, and in some (paper, 5.3)."""
    rows = []
    for name, trials in flows.items():
        for kind, failed in _failures(trials).items():
            counted = Counter(failed)
            rows += [
                (name, kind, cause, counted[cause], round(100 * counted[cause] / len(failed), 1))
                for cause in CAUSES
                if counted[cause]
            ]
    return Table(
        "Why trials failed",
        ("Flow", "Failures", "Cause", "Trials", "%"),
        tuple(rows),
        "Failed trials of tasks that fail in all scored trials (consistent) or in some "
        "(inconsistent). A program compares the talk with the instruction, and the query "
        "nearest to the gold with it; what this does not decide is undecided.",
    )


def rerun_table(trials: Trials) -> Table:
    """The rules for which attempts were run again, as the validator names them."""
    causes = Counter(_cause(rejected.reason) for trial in trials for rejected in trial.rejected)
    rows = [
        (cause, count, round(100 * count / causes.total(), 1))
        for cause, count in causes.most_common()
    ]
    return Table("Why attempts were run again", ("Broken rule", "Attempts", "%"), tuple(rows))


def turn_variability(flows: Groups) -> Curve:
    """Tasks by the difference of their most and fewest user turns (paper, Figure 4)."""
    lines = {name: _differences(list(by_task(trials).values())) for name, trials in flows.items()}
    return Curve(
        "Variability of user turns",
        "user turns, most less fewest of a task",
        "tasks, %",
        {name: points for name, points in lines.items() if points},
    )


def _failures(trials: Trials) -> dict[str, list[str]]:
    """The causes of failed trials, of tasks without a passed one and of others."""
    causes: defaultdict[str, list[str]] = defaultdict(list)
    for group in by_task(trials).values():
        passed = any(trial.outcome is Outcome.PASSED for trial in group)
        kind = "inconsistent" if passed else "consistent"
        causes[kind] += [cause for trial in group if (cause := _cause_of(trial))]
    return {kind: causes[kind] for kind in ("consistent", "inconsistent") if causes[kind]}


def _cause_of(trial: TrialRecord) -> str:
    if trial.outcome is Outcome.USER_ERROR:
        return USER_ERROR
    if trial.outcome is not Outcome.FAILED:
        return ""
    return str(trial.measures.get("failure", "undecided"))


def _cause(reason: str) -> str:
    """The rule that a validator names; its explanation may hold values."""
    return reason.partition(_RULE)[2].strip() or "not named"


def _differences(tasks: Sequence[Trials]) -> Points:
    turns = [
        [trial.counts.get("user_turns", 0) for trial in trials if trial.outcome.scored]
        for trials in tasks
    ]
    spread = Counter(max(each) - min(each) for each in turns if len(each) > 1)
    return mean_points({x: [n / spread.total()] for x, n in spread.items()})
