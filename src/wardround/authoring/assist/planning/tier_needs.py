"""Requirements of the tiers: a drug and a result, then several drugs and sources that disagree.

Source: PhysAssistBench 3.2 and appendix H (conflicting evidence, conflicts of drugs, sequential
dependency).
"""

from collections.abc import Sequence

from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.facts.rules import LATEST, BoundRule
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.evidence import is_told
from wardround.benchmarks.assist.sessions import TaskType

_MODERATE, _RICH = 2, 3
_LOOKUPS = 3
_ORDERED = ("order", "given")
_COURSE = "lab_course"


def meets_tier(tier: int, turns: Sequence[Draft]) -> bool:
    """True if a session needs what its tier does.

    A moderate one is about a drug and a result, about how a result moved, or about a score. A rich
    one has sources that disagree or a decision that two turns lead to, and if it reasons it is
    about two drugs and a result, or a score. A drug that only the patient tells of counts as well.
    Without reasoning, three lookups about one thing already make a moderate session, as do sources
    that disagree.
    """
    findings = [finding for draft in turns for finding in draft.findings]
    rules = [draft.rule for draft in turns if draft.rule]
    types = [draft.type for draft in turns]
    if tier == _RICH:
        is_broad = _is_broad(types, findings, rules)
        return is_broad and (disagrees(findings) or is_sequence(turns))
    return tier < _MODERATE or _is_moderate(types, findings, rules)


def could_meet_tier(
    tier: int, types: Sequence[TaskType], findings: Sequence[Finding], rules: Sequence[BoundRule]
) -> bool:
    """True unless no session of some findings and rules needs what its tier does."""
    if tier == _RICH:
        leads = any(sum(_supports(each, bound) for each in findings) > 1 for bound in rules)
        return _is_broad(types, findings, rules) and (leads or disagrees(findings))
    return tier < _MODERATE or _is_moderate(types, findings, rules)


def _is_broad(
    types: Sequence[TaskType], findings: Sequence[Finding], rules: Sequence[BoundRule]
) -> bool:
    """True for a score, or for two drugs and a result, or without reasoning."""
    is_scored = any(rule.is_score for rule in rules)
    return (
        "CR" not in types
        or is_scored
        or (len(_drugs(findings, rules)) > 1 and _has_result(findings))
    )


def _is_moderate(
    types: Sequence[TaskType], findings: Sequence[Finding], rules: Sequence[BoundRule]
) -> bool:
    """True for how a result moved, a score, or a drug and a result; for less without reasoning."""
    return (
        any(each.kind == _COURSE for each in findings)
        or any(rule.is_score for rule in rules)
        or (bool(_drugs(findings, rules)) and _has_result(findings))
        or ("CR" not in types and (types.count("IL") >= _LOOKUPS or disagrees(findings)))
    )


def _drugs(findings: Sequence[Finding], rules: Sequence[BoundRule]) -> set[str]:
    drugs = {each.entity.name for each in findings if each.entity.kind == "drug"}
    return drugs | {name for rule in rules for name in (rule.drug, rule.beside) if name}


def _has_result(findings: Sequence[Finding]) -> bool:
    return any(each.entity.kind == "test" for each in findings)


def disagrees(findings: Sequence[Finding]) -> bool:
    """True if the chart has a drug that the patient does not take, or takes with another one."""
    charted = {each.entity for each in findings if each.kind in _ORDERED}
    return any(each.entity in charted and _contradicts(each) for each in findings)


def _contradicts(finding: Finding) -> bool:
    """True if a finding says of a drug what its order does not."""
    if finding.kind == "other_drug":
        return True
    return finding.kind == "adherence" and finding.slots["taking"].source.value == "not taking"


def is_sequence(turns: Sequence[Draft]) -> bool:
    """True if a decision needs the findings of two turns, of which one is before it."""
    return any(
        len(_evidence_turns(draft.rule, turns[: number + 1])) > 1
        for number, draft in enumerate(turns)
        if draft.rule
    )


def _evidence_turns(bound: BoundRule, turns: Sequence[Draft]) -> set[int]:
    """The turns that found what a rule rests on."""
    return {
        number
        for number, draft in enumerate(turns)
        if any(_supports(each, bound) for each in draft.findings)
    }


def _supports(finding: Finding, bound: BoundRule) -> bool:
    """True if a rule rests on a finding: a result, an order, or what the patient says."""
    kind, name = finding.entity
    is_result = finding.kind in (*LATEST, _COURSE) and kind == "test" and name in bound.tests
    is_ordered = finding.kind in _ORDERED and kind == "drug" and name in (bound.drug, bound.beside)
    return is_result or is_ordered or is_told(finding, bound.drug)
