"""The risks of what turns told together, of which an abstract question can ask for one only."""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from wardround.authoring.assist.facts.findings import Entity, Finding
from wardround.authoring.assist.facts.rules import LATEST, BoundRule, is_opposite, pairs
from wardround.authoring.assist.planning.drafts import (
    Adding,
    History,
    bought_drugs,
    charted_drugs,
    told_drugs,
    turns_of_arguments,
)
from wardround.authoring.assist.wording.wordings import risk_area
from wardround.ehr.terms.clinical_rules import ClinicalRule, clinical_rules

_COURSE = "lab_course"


def asked_risks(history: History) -> tuple[str, ...]:
    """The risks that earlier turns asked for, in order."""
    rules = (draft.rule for draft in history if draft.type == "CR" and draft.rule)
    return tuple(dict.fromkeys(bound.rule.risk for bound in rules))


def is_only_risk(bound: BoundRule, turns: History) -> bool:
    """True if "the risk of all that with the latest result" can mean no risk but that of a rule.

    It is a risk that has to do with what the turn itself finds. Every other one was asked for
    before, so the question asks what else there is; then the risk of the rule has to be a new one.

    Args:
        bound: the rule of the last turn.
        turns: the turns, with the one that asks.
    """
    asked = {*asked_risks(turns[:-1])}
    new = {finding.entity.name for finding in turns[-1].findings}
    others = (told_risks(turns, new) | asked) - {bound.rule.risk}
    return others <= asked and not (others and bound.rule.risk in asked)


def is_new_area(risk: str, asked: Collection[str]) -> bool:
    """True if a question for a new risk can say what it is to, unlike what was asked for.

    >>> is_new_area("hyperkalemia", ["bleeding"]), is_new_area("bleeding", [])
    (True, True)
    >>> is_new_area("gastrointestinal hemorrhage", ["bleeding"])
    False
    """
    area = risk_area(risk, "en")
    others = {risk_area(each, "en") for each in asked if each != risk}
    return not others or bool(area and area not in others)


def excluded_risks(bound: BoundRule, history: History) -> dict[str, int]:
    """The risks that "what new risk" excludes, each with the earlier turn that asked for it.

    They are risks of the same drugs and results, which it could mean as well, so its answer rests
    on the turns that asked. A question about a score excludes none.

    Args:
        bound: the rule of the turn that asks.
        history: the turns before it.
    """
    if bound.is_score:
        return {}
    asked = {
        draft.bound.rule.risk: turn
        for turn, draft in enumerate(history)
        if draft.type == "CR" and not {*bound.entities}.isdisjoint(draft.bound.entities)
    }
    return {risk: turn for risk, turn in asked.items() if risk != bound.rule.risk}


def grounds(bound: BoundRule, history: History) -> dict[Entity, set[int]]:
    """The grounds of an abstract question about a rule, each with the earlier turns that told it.

    These are the arguments of the rule, and the risks that the question excludes.

    Args:
        bound: the rule of the turn that asks.
        history: the turns before it.
    """
    excluded = excluded_risks(bound, history).items()
    risks = {Entity("diagnosis", risk): {turn} for risk, turn in excluded}
    return turns_of_arguments(bound, history) | risks


def told_risks(turns: History, about: Collection[str]) -> set[str]:
    """The risks of the drugs and results that some turns told, bought drugs among them.

    Args:
        turns: the turns.
        about: the drugs and tests of which a rule has to be about one, or to repeat it.
    """
    drugs, bought = tuple(sorted(told_drugs(turns))), bought_drugs(turns)
    results = _results([each for draft in turns for each in draft.findings])
    return {
        rule.risk
        for rule, drug, beside in _warnings(drugs)
        if rule.sign != "bought" or beside in bought
        if not {drug, beside, rule.test, rule.recheck}.isdisjoint(about)
        if _holds(rule, results)
    }


def adding_drugs(bound: BoundRule, turns: History) -> tuple[Adding, ...]:
    """The charted and bought drugs of some turns that add to the risk of a rule, beside its own."""
    own, risk = frozenset((bound.drug, bound.beside)) - {""}, bound.rule.risk
    drugs = dict.fromkeys((*charted_drugs(turns), *sorted(bought_drugs(turns))))
    adding = ((drug, _warning(own, risk, drug)) for drug in drugs if drug not in own)
    return tuple(Adding(drug, rule) for drug, rule in adding if rule)


@lru_cache(maxsize=4096)
def _warning(own: frozenset[str], risk: str, drug: str) -> str:
    """The name of the first rule that warns of a risk of a drug with others; "" if none does."""
    warnings = _warnings(tuple(sorted({*own, drug})))
    names = (e.name for e, *pair in warnings if e.risk == risk and drug in pair and own & {*pair})
    return next(names, "")


@lru_cache(maxsize=1024)
def _warnings(drugs: tuple[str, ...]) -> list[tuple[ClinicalRule, str, str]]:
    """The rules that warn of some drugs, whoever has them, each with those that it is about."""
    rules = (
        each
        for each in clinical_rules()
        if each.drug and not each.age and each.action != "resupply"
    )
    return [(rule, *pair) for rule in rules for pair in pairs(rule, drugs)]


def _holds(rule: ClinicalRule, results: Mapping[str, Sequence[float]]) -> bool:
    """True if told results show what a rule is about, or speak not against its two drugs."""
    if rule.test:
        return rule.is_met(results.get(rule.test, ()))
    return not is_opposite(BoundRule(rule), results)


def _results(findings: Sequence[Finding]) -> dict[str, list[float]]:
    """The told values of each test in the order of time: the latest, or first and latest."""
    results: dict[str, list[float]] = {}
    for each in findings:
        names = {_COURSE: ("first", "value")}.get(each.kind, ("value",))
        if each.kind in (*LATEST, _COURSE) and len(results.get(each.entity.name, ())) < len(names):
            values = [float(each.slots[name].source.value) for name in names]
            results[each.entity.name] = values
    return results
