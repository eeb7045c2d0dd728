"""The page of an assessment: the answer in sentences first, then the tables behind it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any

from wardround.assessment.decision import RuleResult, State
from wardround.assessment.evidence import Evidence, PlayedSuite, harm_rates, reliability
from wardround.assessment.policy import Policy
from wardround.assessment.suites import BenchmarkSuite
from wardround.core.benchmark import Table
from wardround.core.harms import Harm
from wardround.core.record import TrialRecord, by_task
from wardround.report.tables import to_json
from wardround.scoring.reliability import Tally
from wardround.scoring.statistics.bounds import holm
from wardround.scoring.statistics.intervals import mean_intervals
from wardround.scoring.statistics.paired import PairedDifference, paired_difference
from wardround.scoring.statistics.power import detectable_difference

# Shares of tasks that only one of two agents does right, as seen between similar and unlike agents.
_DISCORDANT = (0.2, 0.4)
# Groups with fewer tasks say little; a table names the weakest.
_LEAST_TASKS = 5
_GROUPS = 12
_MOST_VALUES = 25  # a label with more values names tasks, not groups


@dataclass(frozen=True, slots=True)
class Assessed:
    """The subject and the results of an assessment.

    Attributes:
        agent: the agent, with its model if it has one.
        database: the database's name, without its location.
        fingerprints: digests of the database's content.
        date: the day, as "28 November 2026".
        trials: the number of trials of each task.
        suites: the suites that were made, and the benchmarks without one.
        played: the trials.
        rules: the rules of the policy with their figures; empty without a policy.
        state: the policy's state; None without one.
        beside: the trials of other agents on the same suites, by the agent's name.
        notices: sentences on the runs' authenticity and the agent's confinement.
    """

    agent: str
    database: str
    fingerprints: Sequence[str]
    date: str
    trials: int
    suites: Sequence[BenchmarkSuite]
    played: Sequence[PlayedSuite]
    rules: Sequence[RuleResult] = ()
    state: State | None = None
    beside: Mapping[str, Sequence[PlayedSuite]] = field(default_factory=dict)
    notices: Sequence[str] = ()

    @property
    def title(self) -> str:
        """The page's title."""
        prints = ", ".join(digest[:12] for digest in self.fingerprints)
        return f"{self.agent} on {self.database} ({prints}), {self.date}"


def sentences(assessed: Assessed) -> list[str]:
    """The answer in plain words, the most important first."""
    return [
        *filter(None, [_verdict(assessed)]),
        _success(assessed),
        *_comparisons(assessed),
        *_harm_sentences(assessed.played),
        *filter(None, [_under_instruction(assessed.played)]),
        *_not_tested(assessed),
    ]


def tables(assessed: Assessed) -> dict[str, Table]:
    """The tables behind the answer; those without rows are left out."""
    made = {
        "policy": _policy_table(assessed.rules),
        "benchmarks": _benchmark_table(assessed.played, assessed.trials),
        "harms": _harm_table(assessed.played),
        "weakest": _weakest_table(assessed.played),
        "compared": _compared_table(assessed),
        "cost": _cost_table(assessed.played),
    }
    return {name: table for name, table in made.items() if table.rows}


def as_values(assessed: Assessed) -> dict[str, Any]:
    """The page as JSON values."""
    return {
        "title": assessed.title,
        "state": assessed.state,
        "sentences": sentences(assessed),
        "notices": list(assessed.notices),
        "tables": {name: to_json(table) for name, table in tables(assessed).items()},
    }


def trial_name(trial: TrialRecord) -> str:
    """A trial as it is named in tables and by `wardround trace`."""
    return f"{trial.task}:{trial.trial}"


def beforehand(tasks: int) -> str:
    """A sentence on the difference between two agents that a number of tasks can show."""
    shown = [detectable_difference(tasks, share) for share in _DISCORDANT]
    if None in shown:
        return (
            f"{_counted(tasks, 'task')} are too few to tell two agents apart; more are made with "
            "--tasks."
        )
    low, high = (round(100 * (each or 0)) for each in shown)
    return (
        f"{_counted(tasks, 'task')} show a difference of {low} to {high} points between two agents "
        "4 times in 5."
    )


def _verdict(assessed: Assessed) -> str:
    """The sentence on the policy; "" without one."""
    if assessed.state is None:
        return ""
    count = len(assessed.rules)
    named = [str(each.rule) for each in assessed.rules if each.state is assessed.state]
    match assessed.state:
        case State.PASSED:
            return f"Passed: all rules of the policy hold.{_warning(assessed.rules)}"
        case State.FAILED:
            return f"Failed: {len(named)} of {_counted(count, 'rule')} broken ({'; '.join(named)})."
        case State.UNDECIDED:
            return (
                f"Undecided: {len(named)} of {_counted(count, 'rule')} cannot be decided with "
                f"these tasks ({'; '.join(named)})."
            )


def _warning(rules: Sequence[RuleResult]) -> str:
    """A sentence on a policy that an agent keeps by doing nothing; "" for others."""
    if Policy(rules=tuple(each.rule for each in rules)).wants_success:
        return ""
    return " No rule asks for right answers, so an agent that does nothing would pass too."


def _success(assessed: Assessed) -> str:
    """The sentence on the tasks that were made."""
    made = [suite for suite in assessed.played if not suite.group]
    evidence = reliability(made, assessed.trials)
    interval = mean_intervals([[value] for value in evidence.low])
    ends = (
        f", 95% interval {_percent(interval[0].low)} to {_percent(interval[0].high)}"
        if (interval and interval[0])
        else ""
    )
    often = f"right every time (Pass^{assessed.trials}{ends})"
    if assessed.trials == 1:
        often = f"right{ends}"
    undecided = (
        f" {_counted(evidence.undecided, 'task')} could not be decided in every trial, which "
        "counts as wrong."
        if evidence.undecided
        else ""
    )
    return (
        f"Of {_counted(evidence.tasks, 'task')} made from your database, this agent does "
        f"{_percent(evidence.means[0])} {often}.{undecided}"
    )


def _comparisons(assessed: Assessed) -> Iterator[str]:
    """A sentence on each other agent."""
    for name, each in _differences(assessed).items():
        points = round(100 * abs(each.difference))
        more = "better" if each.difference > 0 else "worse"
        ends = (
            f" (95% interval {_points(each.interval.low)} to {_points(each.interval.high)} points)"
            if each.interval
            else ""
        )
        yield (
            f"The agent of {name} does {points} points {more} than this one on "
            f"{_counted(each.tasks, 'task')} of both{ends}."
        )


def _points(share: float) -> str:
    return f"{round(100 * share):+d}"


def _harm_sentences(played: Sequence[PlayedSuite]) -> Iterator[str]:
    for harm in Harm:
        evidence = harm_rates(played, harm)
        if not evidence.tasks:
            continue
        low, high = evidence.means
        bounds = evidence.bounds
        if not high:
            below = f": below {_percent(bounds.high, 1)}" if bounds else ""
            yield f"No {harm.noun} was seen in {_counted(evidence.tasks, 'task')}{below}."
            continue
        share = _percent(low) if low == high else f"{_percent(low)} to {_percent(high)}"
        ends = f" (95% bounds {_percent(bounds.low)} and {_percent(bounds.high)})" if bounds else ""
        yield f"It {harm.done.format(share=share)}{ends}."


def _under_instruction(played: Sequence[PlayedSuite]) -> str:
    """The sentence on success where an instruction was hidden; "" without such trials.

    An agent that stops working where it finds one follows none, and is of no use there.
    """
    hidden, plain = (
        {
            (suite.name, task): trials
            for suite in played
            if suite.is_injected is is_injected
            for task, trials in by_task(suite.trials).items()
        }
        for is_injected in (True, False)
    )
    both = hidden.keys() & plain.keys()
    if not both:
        return ""
    rates = [
        fsum(_success_rate(trials[key]) for key in both) / len(both) for trials in (hidden, plain)
    ]
    return (
        f"With an instruction hidden in the data it does {_percent(rates[0])} of "
        f"{_counted(len(both), 'task')} right, and {_percent(rates[1])} of the same without."
    )


def _not_tested(assessed: Assessed) -> Iterator[str]:
    harms = [harm.noun for harm in Harm if not harm_rates(assessed.played, harm).tasks]
    if harms:
        yield f"Not tested: {', '.join(harms)}."
    for each in assessed.suites:
        if each.suite is None:
            yield f"Not tested: {each.benchmark}, since {reason_not_tested(each)}."


def reason_not_tested(suite: BenchmarkSuite) -> str:
    """Why a benchmark was not tested, without advice, as a part of a sentence."""
    reason = suite.reason.partition(";")[0].rstrip(".")
    return reason[:1].lower() + reason[1:] if reason[1:2].islower() else reason


def _policy_table(rules: Sequence[RuleResult]) -> Table:
    rows = tuple(
        (
            str(each.rule),
            each.state.value,
            each.evidence.tasks,
            *_figures(each.evidence),
            each.deciding,
        )
        for each in rules
    )
    columns = (
        "Rule",
        "State",
        "Tasks",
        "Measure",
        "Measure low",
        "Measure high",
        "Tasks to decide",
    )
    note = (
        "Percent, with one-sided 95% bounds over tasks; states hold for all rules together (Holm). "
        "Tasks to decide are those at which the bound clears the limit if the measure stays."
    )
    return Table("Rules of the policy", tuple(columns), rows, note)


def _benchmark_table(played: Sequence[PlayedSuite], k: int) -> Table:
    rows = tuple(
        (suite.name, evidence.tasks, *_figures(evidence), evidence.undecided)
        for suite in played
        if not suite.is_injected
        for evidence in [reliability([suite], k)]
    )
    success = f"Pass^{k}"
    columns = ("Benchmark", "Tasks", success, f"{success} low", f"{success} high", "Undecided")
    return Table("By benchmark", columns, rows, "Percent, with one-sided 95% bounds over tasks.")


def _harm_table(played: Sequence[PlayedSuite]) -> Table:
    rows = tuple(
        (harm.noun, suite.name, evidence.tasks, *_figures(evidence))
        for harm in Harm
        for suite in played
        for evidence in [harm_rates([suite], harm)]
        if evidence.tasks
    )
    columns = ("Harm", "Benchmark", "Tasks", "Rate", "Rate low", "Rate high")
    note = (
        "Percent of the trials of tasks in which the harm is possible, with one-sided 95% bounds "
        "over tasks."
    )
    return Table("What it would have done", columns, rows, note)


def _weakest_table(played: Sequence[PlayedSuite]) -> Table:
    """The groups of tasks with the lowest success."""
    groups = sorted(
        (
            (suite.name, label, value, *_group(trials))
            for suite in played
            if not suite.is_injected
            for (label, value), trials in _groups(suite.trials).items()
        ),
        key=lambda row: (row[4], -row[3]),
    )
    rows = tuple(row for row in groups if row[3] >= _LEAST_TASKS and row[4] < 100)[:_GROUPS]
    columns = ("Benchmark", "Label", "Group", "Tasks", "Success", "Example")
    note = "Percent of trials, meaned over tasks; an example is a failed trial of the group."
    return Table("Where it fails", columns, rows, note)


def _groups(trials: Sequence[TrialRecord]) -> dict[tuple[str, str], list[TrialRecord]]:
    """The trials by label and value, for labels that divide the tasks into a few groups."""
    groups: dict[tuple[str, str], list[TrialRecord]] = {}
    for trial in trials:
        for label, value in trial.labels.items():
            groups.setdefault((label, value), []).append(trial)
    values: dict[str, int] = {}
    for label, _ in groups:
        values[label] = values.get(label, 0) + 1
    return {key: each for key, each in groups.items() if 1 < values[key[0]] <= _MOST_VALUES}


def _group(trials: Sequence[TrialRecord]) -> tuple[int, float, str]:
    """The number of tasks, their success in percent, and a trial that failed."""
    rates = [_success_rate(group) for group in by_task(trials).values()]
    failed = next((t for t in trials if t.outcome.value == "failed"), None)
    example = trial_name(failed) if failed else ""
    return len(rates), round(100 * fsum(rates) / len(rates), 1), example


def _success_rate(trials: Sequence[TrialRecord]) -> float:
    return sum(trial.outcome.value == "passed" for trial in trials) / len(trials)


def _compared_table(assessed: Assessed) -> Table:
    """Other agents on the same tasks, each tested against this one."""
    differences = _differences(assessed)
    adjusted = holm([1.0 if each.p is None else each.p for each in differences.values()])
    rows = []
    for (name, each), p in zip(differences.items(), adjusted, strict=True):
        ends = (each.interval.low, each.interval.high) if each.interval else (None, None)
        figures = (each.first, each.second, each.difference, *ends)
        cells = [None if figure is None else round(100 * figure, 1) for figure in figures]
        p_value = None if each.p is None else round(p, 4)
        rows.append((name, each.tasks, *cells, p_value, each.test))
    columns = "Agent,Tasks,This agent,That agent,Difference,Difference low,Difference high,p,Test"
    note = (
        "Percent of trials, meaned over the tasks that both played; a positive difference is "
        "the other agent's. p is for all comparisons together (Holm)."
    )
    return Table("Beside other agents", tuple(columns.split(",")), tuple(rows), note)


def _differences(assessed: Assessed) -> dict[str, PairedDifference]:
    """The other agents' differences from this one, by name."""
    own = _tallies(assessed.played)
    found = {}
    for name, played in assessed.beside.items():
        other = _tallies(played)
        difference = paired_difference([(own[key], other[key]) for key in own if key in other])
        if difference is not None:
            found[name] = difference
    return found


def _tallies(played: Sequence[PlayedSuite]) -> dict[tuple[str, str], Tally]:
    return {
        (suite.benchmark, task): Tally(
            sum(trial.outcome.scored for trial in trials),
            sum(trial.outcome.value == "passed" for trial in trials),
        )
        for suite in played
        if not suite.is_injected
        for task, trials in by_task(suite.trials).items()
    }


def _cost_table(played: Sequence[PlayedSuite]) -> Table:
    rows = tuple(
        (
            f"{suite.name}, instruction hidden" if suite.is_injected else suite.name,
            tasks,
            len(suite.trials),
            round(fsum(trial.seconds for trial in suite.trials) / tasks, 2),
            _dollars(suite.trials, tasks),
        )
        for suite in played
        for tasks in [len(by_task(suite.trials))]
        if tasks
    )
    columns = ("Benchmark", "Tasks", "Trials", "Seconds per task", "Dollars per task")
    note = "Of all trials of a task; a dash stands for an unknown price."
    return Table("Time and cost", columns, rows, note)


def _dollars(trials: Sequence[TrialRecord], tasks: int) -> float | None:
    costs = [use.cost for trial in trials for use in trial.use.values()]
    known = [cost for cost in costs if cost is not None]
    return round(fsum(known) / tasks, 4) if len(known) == len(costs) else None


def _figures(evidence: Evidence) -> tuple[float | None, float | None, float | None]:
    """The mean and its one-sided bounds, in percent; at its lowest where values are undecided."""
    if not evidence.tasks:
        return None, None, None
    bounds = evidence.bounds
    ends = (bounds.low, bounds.high) if bounds else (None, None)
    mean = round(100 * evidence.means[0], 1)
    low, high = (None if end is None else round(100 * end, 1) for end in ends)
    return mean, low, high


def _percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f}%"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
