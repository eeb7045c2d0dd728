"""Requirements of the tiers: a drug and a result, then several drugs and sources that disagree.

Source: PhysAssistBench 3.2 and appendix H (conflicting evidence, conflicts of drugs, sequential
dependency).
"""

from collections.abc import Iterator, Sequence

from wardround.authoring.assist.facts.findings import Entity, Finding
from wardround.authoring.assist.facts.rules import LATEST, BoundRule
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.evidence import is_told

_MODERATE, _RICH = 2, 3
_LOOKUPS = 3
_ORDERED = ("order", "given")
_COURSE = "lab_course"


def meets_tier(tier: int, turns: Sequence[Draft]) -> bool:
    """True if a session needs what its tier does.

    A moderate one is about a drug and a result, about how a result moved, or about a score. A rich
    one has sources that disagree or a decision that two turns lead to, and if it reasons it is
    about two drugs and a result, or a score. A drug that only the patient tells of counts as well.
    Without reasoning, three lookups are about one thing, so they make a moderate session as they
    are, and so do sources that disagree.
    """
    findings = [finding for draft in turns for finding in draft.findings]
    rules = [draft.rule for draft in turns if draft.rule]
    drugs = {each.entity.name for each in findings if each.entity.kind == "drug"}
    drugs |= {name for rule in rules for name in (rule.drug, rule.beside) if name}
    results = [each for each in findings if each.entity.kind == "test"]
    scores = any(rule.is_score for rule in rules)
    types = [draft.type for draft in turns]
    reasons = "CR" in types
    if tier == _RICH:
        is_broad = not reasons or scores or (len(drugs) > 1 and bool(results))
        return is_broad and (disagrees(turns) or is_sequence(turns))
    moves = any(each.kind == _COURSE for each in results)
    is_single = types.count("IL") >= _LOOKUPS
    return (
        tier < _MODERATE
        or moves
        or scores
        or bool(drugs and results)
        or (not reasons and (is_single or disagrees(turns)))
    )


def disagrees(turns: Sequence[Draft]) -> bool:
    """True if the chart has a drug that the patient does not take, or takes with another one."""
    findings = [finding for draft in turns for finding in draft.findings]
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
    """The turns that found what a rule rests on: results, orders, and what the patient says."""
    return set(_found_in(bound, turns))


def _found_in(bound: BoundRule, turns: Sequence[Draft]) -> Iterator[int]:
    tests = {Entity("test", test) for test in bound.tests}
    drugs = {Entity("drug", drug) for drug in (bound.drug, bound.beside) if drug}
    for number, draft in enumerate(turns):
        for each in draft.findings:
            is_result = each.kind in (*LATEST, _COURSE) and each.entity in tests
            is_ordered = each.kind in _ORDERED and each.entity in drugs
            if is_result or is_ordered or is_told(each, bound.drug):
                yield number
