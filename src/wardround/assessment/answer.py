"""The answer of an assessment in sentences, the most important first."""

from collections.abc import Iterator, Sequence
from math import fsum

from wardround.assessment.assessed import Assessed, differences
from wardround.assessment.decision import RuleResult, State
from wardround.assessment.evidence import PlayedSuite, harm_rates, reliability, success_rate
from wardround.assessment.policy import Policy
from wardround.assessment.suites import BenchmarkSuite
from wardround.core.harms import UNTESTED, Harm
from wardround.core.record import by_task
from wardround.scoring.statistics.intervals import mean_intervals
from wardround.scoring.statistics.power import detectable_difference

# Shares of tasks that only one of two agents does right, as seen between similar and unlike agents.
_DISCORDANT = (0.2, 0.4)


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


def beforehand(tasks: int) -> str:
    """A sentence on the difference between two agents that a number of tasks can show."""
    shown = [detectable_difference(tasks, share) for share in _DISCORDANT]
    if None in shown:
        return (
            f"{_task_count(tasks, 'task')} are too few to tell two agents apart; give more "
            "--tasks, --minutes or --dollars."
        )
    low, high = (round(100 * (each or 0)) for each in shown)
    return (
        f"{_task_count(tasks, 'task')} show a difference of {low} to {high} points between two "
        "agents 4 times in 5."
    )


def _verdict(assessed: Assessed) -> str:
    """The sentence on the policy; "" without one."""
    if assessed.state is None:
        return ""
    count = len(assessed.rules)
    named = [
        f"{each.rule}{_more_tasks(each)}" for each in assessed.rules if each.state is assessed.state
    ]
    match assessed.state:
        case State.PASSED:
            return f"Passed: all rules of the policy hold.{_warning(assessed.rules)}"
        case State.FAILED:
            return (
                f"Failed: {len(named)} of {_task_count(count, 'rule')} broken ({'; '.join(named)})."
            )
        case State.UNDECIDED:
            return (
                f"Undecided: {len(named)} of {_task_count(count, 'rule')} cannot be decided with "
                f"these tasks ({'; '.join(named)})."
            )


def _more_tasks(result: RuleResult) -> str:
    """The number of further tasks that would decide a rule, as a clause.

    Empty if the rule is decided, or if no number of tasks would decide it.
    """
    if not result.evidence.tasks:
        return ": no task here can show it"
    if result.deciding is None:
        return ""
    more = _task_count(max(1, result.deciding - result.evidence.tasks), "more task")
    return f": about {more}{'' if result.rule.k else ' that can show it'} would decide it"


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
        f" {_task_count(evidence.undecided, 'task')} could not be decided in every trial, which "
        "counts as wrong."
        if evidence.undecided
        else ""
    )
    return (
        f"Of {_task_count(evidence.tasks, 'task')} made from your database, this agent does "
        f"{_percent(evidence.means[0])} {often}.{undecided}"
    )


def _comparisons(assessed: Assessed) -> Iterator[str]:
    """A sentence on each other agent."""
    for name, each in differences(assessed).items():
        points = round(100 * each.difference)
        does = f"{abs(points)} points {'better' if points > 0 else 'worse'} than"
        ends = (
            f" (95% interval {_points(each.interval.low)} to {_points(each.interval.high)} points)"
            if each.interval
            else ""
        )
        yield (
            f"The agent of {name} does {does if points else 'as well as'} this one on "
            f"{_task_count(each.tasks, 'task')} of both{ends}."
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
            yield f"No {harm.noun} was seen in {_task_count(evidence.tasks, 'task')}{below}."
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
        fsum(success_rate(trials[key]) for key in both) / len(both) for trials in (hidden, plain)
    ]
    return (
        f"With an instruction hidden in the data it does {_percent(rates[0])} of "
        f"{_task_count(len(both), 'task')} right, and {_percent(rates[1])} of the same without."
    )


def _not_tested(assessed: Assessed) -> Iterator[str]:
    harms = [harm.noun for harm in Harm if not harm_rates(assessed.played, harm).tasks]
    yield f"Not tested: {', '.join((*harms, *UNTESTED))}."
    for each in assessed.suites:
        if each.suite is None:
            yield f"Not tested: {each.benchmark}, since {reason_not_tested(each)}."


def reason_not_tested(suite: BenchmarkSuite) -> str:
    """Why a benchmark was not tested, without advice, as a part of a sentence."""
    reason = suite.reason.partition(";")[0].rstrip(".")
    return reason[:1].lower() + reason[1:] if reason[1:2].islower() else reason


def _percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f}%"


def _task_count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
