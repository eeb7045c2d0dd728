"""Drafts of write turns: a repeated test, a safety flag, a renewed order, or one on a condition."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

from wardround.authoring.assist.facts.drug_entries import SINGLE
from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall
from wardround.authoring.assist.facts.functions import computed
from wardround.authoring.assist.facts.rules import BoundRule, renewal_tests
from wardround.authoring.assist.planning.drafts import (
    Draft,
    History,
    bought_drugs,
    discussed_entities,
    harms,
    is_advised,
    last_turns,
    placed_arguments,
    pronouns,
    rests_on_two,
    told_drugs,
    turns_of_arguments,
)
from wardround.authoring.assist.planning.evidence import shows_sign, tells_result
from wardround.authoring.assist.planning.told_risks import adding_drugs
from wardround.authoring.assist.wording.wordings import value_words
from wardround.benchmarks.assist.sessions import Subtype
from wardround.ehr.terms.chinese import english
from wardround.ehr.terms.clinical_rules import AGAINST
from wardround.ehr.terms.result_limits import result_limits

_REPEAT, _RENEWAL = "ServiceRequest.create", "MedicationRequest.create"
_FLAG = "Flag.create"
_SOON = 1  # days within which a repeated test is urgent
_RENEWED, _SUPPLIED = 7, 30  # days of a renewed order, and of a drug that the patient lacks
# Actions under which the first drug of a rule goes on as it is ordered, as it does if the other one
# is taken away.
_KEEPS = ("order", "replace", "separate")
_TOLD = ("adherence", "other_drug")
_VITAL = ("vital_latest", "vital_value")
_EXAMINED = ("report",)  # kinds that "that test" could mean as well


def order_drafts(
    form: Subtype | None,
    history: History,
    rules: Sequence[BoundRule],
    day: date,
    tools: Collection[str],
) -> Iterator[Draft]:
    """The drafts of a write turn; it omits an entity of the turn before, or of two turns.

    Args:
        form: the implicit form.
        history: the turns before.
        rules: the rules of the storyline.
        day: the day of the session.
        tools: the tools of the scenario.
    """
    harmful = harms(history, rules) if form == "AE" else []
    near = _near(history) if form != "AE" else {}
    if form != "AE" and not near and not history[-1].rule:
        return
    for bound in rules:
        if bound.rests_on_account and not _last_finding(bound.drug, _TOLD, history):
            continue
        for order, entities in _orders(bound, history, rules, day, tools):
            if form == "AE":
                omitted = _picture(bound, order, history, harmful)
            else:
                omitted = _meant(form, bound, order, entities, history, near)
            if not omitted:
                continue
            draft = Draft("WU", form, "write", (), bound, order, (), omitted)
            draft = _with_causes(draft, history) if order.tool == _FLAG else draft
            is_untaken = bound.rule.action == "resupply"
            drafts = _conditional(draft, history, day, tools) if is_untaken else [draft]
            yield from (replace(each, refused=refused_drug(each, history)) for each in drafts)


def _conditional(
    draft: Draft, history: History, day: date, tools: Collection[str]
) -> Iterator[Draft]:
    """A renewal if a drug is not taken at home, else a repeated test if the tools have it."""
    bound, renewal, repeat = draft.bound, draft.write, _repeat(draft.bound, day, history)
    if draft.form == "AE" and len(told_drugs(history)) > 1 and repeat.tool in tools:
        return  # too many words to say which drug
    if repeat.tool in tools:
        named = (Entity("test", bound.rule.recheck),)
        order, instead = (repeat, renewal) if bound.is_taken else (renewal, repeat)
        yield replace(draft, order=order, named=named, instead=instead)
    elif not bound.is_taken:
        yield draft


def refused_drug(draft: Draft, history: History) -> str:
    """The drug that a write must not be of, one that its session makes tempting.

    It is the drug that is stopped, one that the patient bought, one of the rule, or another that
    earlier turns were about; "" if these were about no drug but the one that is ordered.
    """
    bound, drugs = draft.bound, told_drugs(history)
    first = (bound.opposed, *sorted(bought_drugs(history)), bound.drug, bound.beside)
    written = draft.write.arguments.values()  # a level has the name of its drug
    return next((e for e in (*first, *sorted(drugs)) if e in drugs and e not in written), "")


def _orders(
    bound: BoundRule,
    history: History,
    rules: Sequence[BoundRule],
    day: date,
    tools: Collection[str],
) -> Iterator[tuple[PlannedCall, tuple[Entity, ...]]]:
    """The writes by some tools that a rule leads to, each with the entities that it is about."""
    drug, action = Entity("drug", bound.drug), bound.rule.action
    ordered = _last_finding(bound.drug, ("order",), history)
    is_untaken = action == "resupply"
    is_renewed = _RENEWAL in tools and ordered and is_renewable(ordered)
    if ordered and is_renewed and _is_safe(bound.drug, history):
        if is_untaken:
            yield _renewal(ordered, _SUPPLIED), (drug,)
        elif (action in _KEEPS or bound.opposed == bound.beside) and not any(
            each.opposed == bound.drug for each in rules
        ):
            yield _renewal(ordered, _RENEWED), (drug,)
    if is_untaken or not _is_last_reason(bound, history):
        return
    is_needed = _REPEAT in tools and not is_advised(bound, history)
    if is_needed and not _is_vital(bound.rule.recheck, history):
        yield _repeat(bound, day, history), (Entity("test", bound.rule.recheck),)
    if _FLAG not in tools:
        return
    drugs = tuple(entity for entity in bound.entities if entity.kind == "drug")
    is_told = discussed_entities(history).issuperset(drugs)
    is_caused = any(drug.name not in bound.rule.risk for drug in drugs)  # not digoxin of digoxin
    if is_caused and is_told and _is_shown(bound, history):
        yield _flag(bound, history), drugs


def is_renewable(order: Finding) -> bool:
    """True if an order is of a drug that a patient goes on with at home, not once nor by vein."""
    if "frequency" not in order.slots:
        return False
    words = {name: str(order.slots[name].source.value) for name in ("frequency", "route")}
    route = english(words["route"], "route") or ""
    is_single = english(words["frequency"], "frequency") in SINGLE
    return not is_single and not route.startswith("intravenous")


def _is_safe(drug: str, history: History) -> bool:
    """True if earlier turns told a usual latest result of each test that a renewal of a drug needs.

    Beyond its usual range a drug that the kidneys clear is looked at first.
    """
    findings = [each for draft in history for each in draft.findings]
    return all(
        any(tells_result(each, test) and _is_usual(each, test) for each in findings)
        for test in renewal_tests(drug)
    )


def _is_usual(finding: Finding, test: str) -> bool:
    """True if the value of a finding is in the usual range of its test."""
    return result_limits()[test].is_usual(float(finding.slots["value"].source.value))


def _is_last_reason(bound: BoundRule, history: History) -> bool:
    """True unless a later turn than the rule's gave another reason to fear its risk or to test."""
    both = bound.rule.risk, bound.rule.recheck
    given = [e.rule for e in history if e.rule]
    same = [e for e in given if e.rule.risk == both[0] or e.rule.recheck == both[1]]
    return not same or same[-1] == bound


def _is_vital(test: str, history: History) -> bool:
    """True if earlier turns measured a test at the bedside, for which nobody writes a request."""
    findings = [each for draft in history for each in draft.findings]
    return any(each.entity == Entity("test", test) and each.kind in _VITAL for each in findings)


def _is_shown(bound: BoundRule, history: History) -> bool:
    """True if earlier turns found what a rule warns of: the latest results, or their course."""
    findings = [each for draft in history for each in draft.findings]
    tests = {*bound.tests, *([bound.measure] if bound.measure else [])}
    return all(any(shows_sign(each, test, bound) for each in findings) for test in tests)


def _last_finding(drug: str, kinds: Sequence[str], history: History) -> Finding | None:
    """The last finding of some kinds about a drug."""
    findings = [
        finding
        for draft in history
        for finding in draft.findings
        if drug and finding.kind in kinds and finding.entity == Entity("drug", drug)
    ]
    return findings[-1] if findings else None


def _meant(
    form: Subtype | None,
    bound: BoundRule,
    order: PlannedCall,
    entities: Sequence[Entity],
    history: History,
    near: Mapping[Entity, int],
) -> tuple[tuple[Entity, int], ...]:
    """The entities of a write that its pronoun can mean, with the turns that they come from.

    "That risk" of two drugs is what the turn before was about, and "those drugs" are all that were
    told.
    """
    if order.tool == _FLAG and bound.beside and history[-1].rule == bound:
        return tuple((entity, len(history) - 1) for entity in entities)
    if order.tool == _FLAG and bound.beside and form == "NA":
        told, turns = _only_causes(bound, history), last_turns(history)
        return tuple((entity, turns[entity]) for entity in entities if told)
    if order.tool == _REPEAT and form == "PE" and _tests(history) != set(entities):
        return ()  # "a repeat test" may be of any result that was told
    return tuple((entity, near[entity]) for entity in entities if entity in near)


def _with_causes(draft: Draft, history: History) -> Draft:
    """A flag with the drugs that add to its risk, and with all that "those drugs" mean."""
    is_of_drugs = draft.form == "NA" and history[-1].rule != draft.rule and draft.bound.beside
    return replace(
        draft,
        adding=adding_drugs(draft.bound, history),
        meant_drugs=_only_causes(draft.bound, history) if is_of_drugs else (),
    )


def _only_causes(bound: BoundRule, history: History) -> tuple[str, ...]:
    """The drugs of some turns, if all of them cause or add to the risk of a rule."""
    causes = {bound.drug, bound.beside, *(each.drug for each in adding_drugs(bound, history))}
    drugs = told_drugs(history)
    return tuple(drugs) if drugs.keys() <= causes else ()


def _tests(history: History) -> set[Entity]:
    """The tests that turns were about."""
    return {each for each in discussed_entities(history) if each.kind == "test"}


def _near(history: History) -> dict[Entity, int]:
    """The entities that a pronoun can mean; "that test" is the only one of the turn before."""
    last = len(history) - 1
    is_examined = any(each.kind in _EXAMINED for each in history[-1].findings)
    return {
        each: turn
        for each, turn in pronouns(history).items()
        if each.kind != "test" or (turn == last and not is_examined)
    }


def _picture(
    bound: BoundRule,
    order: PlannedCall,
    history: History,
    harmful: Sequence[tuple[BoundRule, Mapping[Entity, Collection[int]]]],
) -> tuple[tuple[Entity, int], ...]:
    """The entities that a write takes from two earlier turns; empty if one turn is enough.

    A test is meant by the harm that it shows. A flag is about a risk of drugs, and a renewal on a
    condition about the patient's account and the order.
    """
    turns: Mapping[Entity, Collection[int]] = turns_of_arguments(bound, history)
    if order.tool == _REPEAT:
        is_told = Entity("test", bound.rule.recheck) in discussed_entities(history)
        of_harm = [turns for each, turns in harmful if each == bound and is_told]
        turns = of_harm[0] if of_harm else {}
    elif order.tool == _RENEWAL and bound.rule.action != "resupply":
        return ()
    else:
        turns = {each: numbers for each, numbers in turns.items() if each.kind != "test"}
    return placed_arguments(bound, turns) if rests_on_two(turns) else ()


def _repeat(bound: BoundRule, day: date, history: History) -> PlannedCall:
    rule = bound.rule
    return PlannedCall(
        _REPEAT,
        {
            "service_type": rule.recheck,
            "priority": "urgent" if bound.days <= _SOON else "routine",
            "target_date": str(computed("date", [day.isoformat(), bound.days])),
            "note": _reason(bound, history),
        },
    )


def _flag(bound: BoundRule, history: History) -> PlannedCall:
    return PlannedCall(
        _FLAG,
        {
            "category": "safety",
            "code": f"{value_words(bound.rule.risk, 'diagnosis', 'en')} risk",
            "detail": _reason(bound, history),
        },
    )


def _reason(bound: BoundRule, history: History) -> str:
    """The risk that a write is about, with its causes and what is done with the drugs for it.

    Its causes are the drugs of the rule, those of earlier turns that add to the risk, and results
    beyond a limit that it is about. What is done is what turns of reasoning advised, no more, but
    that a bought drug is stopped.
    """
    drugs = [name for name in (bound.drug, bound.beside) if name] or list(bound.tests[:1])
    adding = [each.drug for each in adding_drugs(bound, history)]
    causes = " and ".join([" with ".join(drugs), *adding])
    risk = value_words(bound.rule.risk, "diagnosis", "en")
    reasoned = [draft.bound for draft in history if draft.type == "CR"]
    reasoned += [bound] if bound.is_told else []
    advised = [(_strongest(drug, reasoned), drug) for drug in bound.against]
    done = " and ".join(f"{action} {drug}" for action, drug in advised if action)
    done = f"; {done}" if done else ""
    return f"Risk of {risk} from {causes}{_shown_by(bound, history)}{done}"


def _strongest(drug: str, reasoned: Sequence[BoundRule]) -> str:
    """The strongest action of some rules against a drug; "" if they have none."""
    actions = {getattr(e.rule, e.against[drug]) for e in reasoned if drug in e.against}
    return next((action for action in AGAINST if action in actions), "")


def _shown_by(bound: BoundRule, history: History) -> str:
    """The latest results that turns told and that are a reason to act, with their values.

    They are beyond a limit, and a rule's tests or the one that its advice repeats.
    """
    told = [each for draft in history for each in draft.findings]
    found = {e.entity.name: e for e in told if tells_result(e, e.entity.name)}
    tests = dict.fromkeys((*bound.tests, bound.rule.recheck))
    results = [found[test] for test in tests if test in found and _is_beyond(found[test])]
    words = [
        f"{value_words(each.entity.name, 'test', 'en')} {each.slots['value'].source.value:g}"
        for each in results
    ]
    return f", {' and '.join(words)}" if words else ""


def _is_beyond(finding: Finding) -> bool:
    """True if a result is marked high or low, or beyond the usual limits of its test."""
    if "flag" in finding.slots:
        return finding.slots["flag"].source.value != "normal"
    limits = result_limits().get(finding.entity.name)
    return bool(limits) and not _is_usual(finding, finding.entity.name)


def _renewal(order: Finding, days: int) -> PlannedCall:
    values = {name: str(slot.source.value) for name, slot in order.slots.items()}
    return PlannedCall(
        _RENEWAL,
        {
            "medication": values["drug"],
            "dose": values["dose"],
            "route": values["route"],
            "frequency": values["frequency"],
            "duration_days": days,
        },
    )
