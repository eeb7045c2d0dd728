"""Decides a policy's rules by one-sided bounds: passed, failed, or undecided."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from wardround.assessment.evidence import Evidence, PlayedSuite, harm_rates, reliability
from wardround.assessment.policy import Policy, Rule
from wardround.core.harms import Harm
from wardround.scoring.statistics.bounds import ALPHA, holm, p_above, p_below
from wardround.scoring.statistics.power import deciding_tasks

_FEWEST_TASKS = 2


class State(StrEnum):
    """The state of a rule or of a policy."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"

    @property
    def exit_status(self) -> int:
        """The exit status of a command that reports it."""
        return {State.PASSED: 0, State.FAILED: 1, State.UNDECIDED: 3}[self]


@dataclass(frozen=True, slots=True)
class RuleResult:
    """A rule with its figure.

    Attributes:
        rule: the rule.
        evidence: the values of its measure.
        state: its state, with Holm's correction for the number of rules.
        p: the adjusted p-value of the state, or of passing if it is undecided; None without tasks.
        deciding: the number of tasks that would decide it, if the mean stays; None if it is
            decided, or if no number would.
    """

    rule: Rule
    evidence: Evidence
    state: State
    p: float | None
    deciding: int | None = None


def decide(policy: Policy, suites: Sequence[PlayedSuite]) -> tuple[State, list[RuleResult]]:
    """Decides a policy: failed if a rule is, passed if all are, else undecided."""
    evidence = [evidence_of(rule, suites) for rule in policy.rules]
    pairs = list(zip(policy.rules, evidence, strict=True))
    p_kept = holm([max(_p_kept(rule, each, suites)) for rule, each in pairs])
    p_broken = holm([_p_value(rule, each, is_kept=False) for rule, each in pairs])
    # Holm's correction is at most Bonferroni's.
    alpha = ALPHA / len(policy.rules)
    results = [
        _result(*each, alpha) for each in zip(policy.rules, evidence, p_kept, p_broken, strict=True)
    ]
    states = {result.state for result in results}
    if State.FAILED in states:
        return State.FAILED, results
    return State.PASSED if states == {State.PASSED} else State.UNDECIDED, results


def evidence_of(rule: Rule, suites: Sequence[PlayedSuite]) -> Evidence:
    """The values of a rule's measure."""
    counted = [suite for suite in suites if rule.benchmark in ("", suite.benchmark)]
    if rule.k is not None:
        return reliability(counted, rule.k)
    return harm_rates(counted, Harm(rule.measure))


def _result(
    rule: Rule, evidence: Evidence, p_kept: float, p_broken: float, alpha: float
) -> RuleResult:
    if not evidence.tasks:
        return RuleResult(rule, evidence, State.UNDECIDED, None)
    if p_kept <= ALPHA:
        return RuleResult(rule, evidence, State.PASSED, p_kept)
    if p_broken <= ALPHA:
        return RuleResult(rule, evidence, State.FAILED, p_broken)
    return RuleResult(rule, evidence, State.UNDECIDED, p_kept, _deciding(rule, evidence, alpha))


def _p_kept(rule: Rule, evidence: Evidence, suites: Sequence[PlayedSuite]) -> Iterator[float]:
    """The p-values of a rule that is kept: on all tasks, and on those that are made alone.

    Tasks that a person chose may be easy for an agent: they can break a rule, not make it hold.
    """
    yield _p_value(rule, evidence, is_kept=True)
    made = [suite for suite in suites if not suite.group]
    if len(made) < len(suites):
        yield _p_value(rule, evidence_of(rule, made), is_kept=True)


def _p_value(rule: Rule, evidence: Evidence, *, is_kept: bool) -> float:
    """The p-value of a rule that is kept, or broken: values are taken at their least favourable."""
    if evidence.tasks < _FEWEST_TASKS:
        return 1.0
    is_above = (rule.at_least is not None) is is_kept
    if is_above:
        return p_above(evidence.low, rule.limit)
    return p_below(evidence.high, rule.limit)


def _deciding(rule: Rule, evidence: Evidence, alpha: float) -> int | None:
    """The number of tasks that would decide a rule; None if some of its values are not known."""
    return None if evidence.undecided else deciding_tasks(evidence.low, rule.limit, alpha)
