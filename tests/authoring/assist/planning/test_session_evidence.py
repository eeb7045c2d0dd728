"""What a question about a rule rests on, and what an order needs to have been found before."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest

from tests.authoring.assist.made_drafts import bound, lab, order, recorded, told
from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.gates.gold_answers import unseen_drugs
from wardround.authoring.assist.planning.drafts import Draft, harms, pronouns
from wardround.authoring.assist.planning.orders import is_renewable, order_drafts, refused_drug
from wardround.authoring.assist.planning.reading_turns import drafts
from wardround.benchmarks.assist.sessions import Subtype

DAY, TOOLS = date(2148, 4, 3), ("ServiceRequest.create", "Flag.create")
CREATININE, FIRST = lab("creatinine", 1.9), lab("creatinine", 1.6, "lab_first")
COURSE = lab("creatinine", 1.9, "lab_course")
DIGOXIN, LISINOPRIL, FUROSEMIDE = order("digoxin"), order("lisinopril"), order("furosemide")
DIGOXIN_RULE = bound("digoxin_creatinine", "digoxin")
RISE = bound("ace_inhibitor_creatinine", "lisinopril")
PAIR = bound("ace_inhibitor_loop", "lisinopril", "furosemide")
PAIRED = ("warfarin_amiodarone", "warfarin_amiodarone_inr")
OTHER = bound("ace_inhibitor_nsaid", "lisinopril", "ibuprofen")


def turn(*findings: Finding, rule: BoundRule | None = None) -> Draft:
    """A turn that found something, and that reasoned if it has a rule."""
    return Draft("CR" if rule else "IL", None, "ehr", findings, rule)


def reasonings(
    form: Subtype, history: Sequence[Draft], fresh: Sequence[Finding], rule: BoundRule
) -> list[Draft]:
    """The questions about a rule after some turns."""
    return list(drafts("CR", form, history, fresh, [rule]))


@pytest.mark.parametrize(
    ("others", "named"), [((), ()), ((LISINOPRIL,), (Entity("drug", "digoxin"),))]
)
def test_after_another_drug_an_abstract_question_names_its_evidence(
    others: tuple[Finding, ...], named: tuple[Entity, ...]
) -> None:
    history = [turn(FIRST), turn(CREATININE, *others), turn(replace(DIGOXIN, kind="given"))]
    found = reasonings("AE", history, [DIGOXIN], DIGOXIN_RULE)
    assert [each.named for each in found] == [named]


def test_a_drug_that_only_the_question_names_is_looked_up() -> None:
    found = reasonings("NA", [turn(FUROSEMIDE)], [CREATININE, LISINOPRIL], PAIR)
    assert [each.findings for each in found] == [(CREATININE, LISINOPRIL), (LISINOPRIL,)]
    known = reasonings("NA", [turn(LISINOPRIL), turn(FUROSEMIDE)], [CREATININE, LISINOPRIL], PAIR)
    assert all(LISINOPRIL not in each.findings for each in known)


def test_of_two_drugs_one_that_was_only_told_of_is_looked_up_first() -> None:
    heard, fresh = turn(told("furosemide", "good")), [CREATININE, LISINOPRIL, FUROSEMIDE]
    found = [each.findings for each in reasonings("NA", [heard], fresh, PAIR)]
    assert found[0] == (CREATININE, LISINOPRIL, FUROSEMIDE)
    assert (CREATININE, LISINOPRIL) in found[found.index((LISINOPRIL, FUROSEMIDE)) :]
    known = reasonings("NA", [turn(FUROSEMIDE)], [CREATININE, LISINOPRIL], PAIR)
    assert known[0].findings == (CREATININE, LISINOPRIL)


def test_no_drug_is_changed_that_nobody_looks_up() -> None:
    score = bound("digoxin_clearance", "digoxin")
    fresh = [lab("weight", 80), CREATININE, DIGOXIN]
    assert not reasonings("NA", [turn(CREATININE)], fresh, score)
    assert reasonings("NA", [turn(DIGOXIN)], fresh, score)
    assert not reasonings("NA", [turn(told("digoxin", "good"))], fresh, score)
    held = bound("ace_inhibitor_potassium", "lisinopril")
    potassium = lab("potassium", 5.8)
    assert not reasonings("NA", [turn(potassium)], [CREATININE], held)
    found = reasonings(
        "NA", [turn(lab("potassium", 5.8, "lab_first"))], [potassium, LISINOPRIL], held
    )
    assert [each.findings for each in found] == [(potassium, LISINOPRIL)]
    heard = [turn(told("lisinopril", "good"))]
    found = reasonings("NA", heard, [potassium, LISINOPRIL], held)
    assert [each.findings for each in found] == [(potassium, LISINOPRIL)]


def test_an_untaken_drug_is_given_as_ordered_only_after_a_look_at_its_order() -> None:
    untaken = bound("loop_untaken", "furosemide", is_told=True)
    heard, result, dose = (
        told("furosemide"),
        lab("ntprobnp", 2100),
        replace(FUROSEMIDE, kind="given"),
    )
    for history, fresh, found in (
        ([turn(heard)], [result, FUROSEMIDE], [(result, FUROSEMIDE)]),
        ([turn(heard)], [result, dose], []),
        ([turn(dose)], [result, heard], []),
        ([turn(FUROSEMIDE)], [result, heard], [(result, heard)]),
        ([turn(heard), turn(FUROSEMIDE)], [result], [(result,)]),
    ):
        asked = reasonings("NA", history, fresh, untaken)
        assert [each.findings for each in asked] == found


def test_a_supply_on_a_condition_is_of_the_only_drug_that_turns_told() -> None:
    untaken = bound("loop_untaken", "furosemide", is_told=True)
    history = [turn(FUROSEMIDE), turn(told("furosemide"))]
    tools = ("MedicationRequest.create", "ServiceRequest.create")
    [draft] = order_drafts("AE", history, [untaken], DAY, tools)
    assert draft.instead
    assert not list(order_drafts("AE", [*history, turn(DIGOXIN)], [untaken], DAY, tools))


def test_kidneys_and_potassium_are_looked_at_before_advice_about_digoxin() -> None:
    rule, potassium = bound("digoxin_loop", "digoxin", "furosemide"), lab("potassium", 4.0)
    fresh = [CREATININE, potassium, FUROSEMIDE]
    first, *_ = reasonings("NA", [turn(DIGOXIN)], fresh, rule)
    assert {each.entity for each in first.findings} == {each.entity for each in fresh}
    first, *_ = reasonings("NA", [turn(CREATININE), turn(DIGOXIN)], fresh, rule)
    assert {each.entity for each in first.findings} == {each.entity for each in fresh[1:]}
    assert PAIR.monitored == ()


def test_blood_pressure_is_looked_at_before_a_beta_blocker_is_given_again() -> None:
    untaken = bound("beta_blocker_untaken", "metoprolol", is_told=True)
    rate, pressure = (
        lab(name, value, "vital_latest")
        for name, value in (("heart rate", 122), ("systolic blood pressure", 128))
    )
    fresh = [rate, pressure, order("metoprolol")]
    first, *_ = reasonings("NA", [turn(told("metoprolol"))], fresh, untaken)
    assert {each.entity for each in first.findings} == {each.entity for each in fresh}
    assert bound("insulin_beta_blocker", "insulin", "metoprolol").monitored == ()


def test_a_level_is_looked_for_once_before_it_is_ordered() -> None:
    searched = PlannedCall("Observation.search", {"category": "laboratory", "code": "digoxin"})
    first, *_ = reasonings("NA", [turn(DIGOXIN)], [CREATININE], DIGOXIN_RULE)
    assert first.calls == (CREATININE.call, searched)
    again = replace(turn(DIGOXIN), searches=(searched,))
    first, *_ = reasonings("NA", [again], [CREATININE], DIGOXIN_RULE)
    assert first.calls == (CREATININE.call,)
    assert not any(e.searches for e in reasonings("NA", [turn(LISINOPRIL)], [FUROSEMIDE], PAIR))


def test_diagnoses_are_looked_at_before_aspirin_is_reduced_or_questioned() -> None:
    inr, aspirin, warfarin = lab("inr(pt)", 2.4), order("aspirin"), order("warfarin")
    reduced = bound("aspirin_warfarin_dose", "aspirin", "warfarin")
    pair = bound("warfarin_aspirin", "warfarin", "aspirin")
    diagnoses = PlannedCall("Condition.search", {})
    coded = Finding("main_diagnosis", Entity("stay"), diagnoses, {})
    for rule, known, is_searched in (
        (reduced, [], True),
        (replace(pair, questioned="aspirin"), [], True),
        (pair, [], False),
        (reduced, [turn(coded)], False),
        (reduced, [turn(told("aspirin", "good"))], False),
    ):
        found = reasonings("NA", [*known, turn(aspirin)], [inr, warfarin], rule)
        assert found
        for each in found:
            tools = [call.tool for call in each.calls]
            assert ("Condition.search" in tools) == is_searched


def test_harm_of_long_use_rests_on_the_account_of_it() -> None:
    rule = bound("ppi_magnesium", "pantoprazole")
    magnesium, drug, heard = lab("magnesium", 1.4), order("pantoprazole"), told("pantoprazole")
    for each, findings in ((rule, (drug,)), (replace(rule, by_home_use=True), (heard, drug))):
        first, *_ = reasonings("NA", [turn(magnesium)], [drug, heard], each)
        assert first.findings == findings
        assert bool(reasonings("NA", [turn(magnesium)], [drug], each)) != each.by_home_use
        written = order_drafts("NA", [turn(drug), turn(magnesium)], [each], DAY, TOOLS)
        assert bool(list(written)) != each.by_home_use


def test_a_turn_that_changes_a_drug_that_nobody_looked_up_is_turned_back() -> None:
    fault = "a turn changes a drug that nobody looked up"
    held = bound("ace_inhibitor_potassium", "lisinopril")
    asks = turn(lab("potassium", 5.8), rule=held)
    assert list(unseen_drugs([turn(FUROSEMIDE), asks], 1)) == [fault]
    assert list(unseen_drugs([turn(told("lisinopril", "good")), asks], 1)) == [fault]
    assert not list(unseen_drugs([turn(LISINOPRIL), asks], 1))
    assert not list(unseen_drugs([turn(FUROSEMIDE), turn(CREATININE, rule=PAIR)], 1))
    bought = replace(OTHER, is_told=True)
    heard = told("lisinopril", "good")
    heard = replace(heard, slots={**heard.slots, "other": recorded("drug", "ibuprofen")})
    assert not list(unseen_drugs([turn(heard), turn(CREATININE, rule=bought)], 1))


def test_the_first_value_or_dose_of_a_stay_is_no_evidence() -> None:
    history = [turn(CREATININE), turn(DIGOXIN)]
    dose = replace(DIGOXIN, kind="first_given")
    found = reasonings("AE", history, [FIRST, dose, COURSE], DIGOXIN_RULE)
    assert [each.findings for each in found] == [(COURSE,)]


def test_a_rule_about_a_course_rests_on_the_course() -> None:
    found = reasonings("NA", [turn(LISINOPRIL)], [CREATININE, COURSE], RISE)
    assert [each.findings for each in found] == [(COURSE,)]
    taken = replace(RISE, is_taken=True)
    assert not reasonings("NA", [turn(LISINOPRIL)], [CREATININE, COURSE], taken)


def test_the_risk_of_two_drugs_is_asked_for_once() -> None:
    rules = [bound(name, "warfarin", "amiodarone") for name in PAIRED]
    history = [turn(order("warfarin")), turn(order("amiodarone"), rule=rules[0])]
    assert not reasonings("NA", history, [lab("inr(pt)", 3.0)], rules[1])
    fresh = [lab("inr(pt)", 3.0), order("amiodarone")]
    assert reasonings("NA", history[:1], fresh, rules[1])


def test_the_same_step_for_a_risk_is_asked_for_once() -> None:
    history = [turn(DIGOXIN), turn(CREATININE, rule=DIGOXIN_RULE)]
    again = replace(DIGOXIN_RULE.rule, name="another", test="potassium", recheck="potassium")
    for rule, is_asked in ((again, False), (replace(again, action="hold", object=""), True)):
        asked = reasonings("NA", history, [lab("potassium", 2.9)], replace(DIGOXIN_RULE, rule=rule))
        assert bool(asked) == is_asked


@pytest.mark.parametrize(
    ("rule", "history", "is_flagged"),
    [
        (PAIR, [turn(LISINOPRIL), turn(CREATININE), turn(FUROSEMIDE)], True),
        (PAIR, [turn(LISINOPRIL), turn(FIRST), turn(FUROSEMIDE)], False),
        (RISE, [turn(CREATININE), turn(LISINOPRIL)], False),
        (RISE, [turn(COURSE), turn(LISINOPRIL)], True),
        (PAIR, [turn(LISINOPRIL), turn(CREATININE, rule=OTHER), turn(FUROSEMIDE)], False),
        (PAIR, [turn(CREATININE, rule=OTHER), turn(LISINOPRIL, FUROSEMIDE, rule=PAIR)], True),
    ],
)
def test_a_flag_needs_the_results_that_its_rule_is_about_and_the_last_reason(
    rule: BoundRule, history: list[Draft], is_flagged: bool
) -> None:
    forms: tuple[Subtype, ...] = ("NA", "AE")
    found = [e for form in forms for e in order_drafts(form, history, [rule], DAY, TOOLS)]
    assert any(each.write.tool == "Flag.create" for each in found) == is_flagged


@pytest.mark.parametrize(("advised", "is_repeated"), [(DIGOXIN_RULE, True), (PAIR, False)])
def test_no_test_of_an_advised_panel_is_ordered_alone(
    advised: BoundRule, is_repeated: bool
) -> None:
    history = [turn(DIGOXIN), turn(CREATININE, rule=advised)]
    found = list(order_drafts("NA", history, [advised], DAY, ["ServiceRequest.create"]))
    assert bool(found) == is_repeated


@pytest.mark.parametrize(("days", "priority"), [(0, "urgent"), (1, "urgent"), (2, "routine")])
def test_a_test_that_is_repeated_by_tomorrow_is_urgent(days: int, priority: str) -> None:
    history, rule = [turn(DIGOXIN), turn(CREATININE)], replace(DIGOXIN_RULE, sooner=days)
    [draft] = order_drafts("NA", history, [rule], DAY, ["ServiceRequest.create"])
    assert draft.write.arguments["priority"] == priority


@pytest.mark.parametrize(
    ("last", "is_meant"),
    [
        (turn(CREATININE), True),
        (turn(CREATININE, replace(DIGOXIN, kind="report", entity=Entity("report"))), False),
        (turn(LISINOPRIL), False),
    ],
)
def test_that_test_is_the_only_one_of_the_turn_before(last: Draft, is_meant: bool) -> None:
    history = [turn(DIGOXIN), turn(FIRST), last]
    found = list(order_drafts("NA", history, [DIGOXIN_RULE], DAY, ["ServiceRequest.create"]))
    assert bool(found) == is_meant


@pytest.mark.parametrize(("rule", "is_flagged"), [(PAIR, True), (None, False)])
def test_that_combination_is_what_the_turn_before_was_about(
    rule: BoundRule | None, is_flagged: bool
) -> None:
    history = [turn(LISINOPRIL), turn(CREATININE, FUROSEMIDE), turn(LISINOPRIL, FUROSEMIDE)]
    turns = [*history[:2], replace(history[2], rule=rule)]
    found = list(order_drafts("NA", turns, [PAIR], DAY, ["Flag.create"]))
    assert bool(found) == is_flagged


def test_nobody_requests_a_vital_sign() -> None:
    rule = bound("beta_blocker_amiodarone", "atenolol", "amiodarone")
    rate = lab(rule.rule.recheck, 52, "vital_latest")
    history = [turn(order("atenolol"), order("amiodarone")), turn(rate)]
    for each, is_requested in ((rate, False), (lab(rule.rule.recheck, 52), True)):
        turns = [*history[:1], turn(each)]
        found = list(order_drafts("NA", turns, [rule], DAY, ["ServiceRequest.create"]))
        assert bool(found) == is_requested


def test_a_drug_beside_a_bought_one_is_not_meant_by_it() -> None:
    bought = BoundRule(OTHER.rule, OTHER.drug, OTHER.beside, is_told=True)
    history = [turn(LISINOPRIL), turn(CREATININE, rule=bought)]
    assert Entity("drug", "lisinopril") not in pronouns(history)
    assert Entity("drug", "lisinopril") in pronouns(history[:1])


def test_an_advised_drug_could_be_meant_by_it() -> None:
    advised = bound("loop_potassium", "furosemide")
    history = [turn(FUROSEMIDE), turn(lab("potassium", 3.0), rule=advised)]
    assert Entity("drug", "furosemide") not in pronouns(history)


@pytest.mark.parametrize(
    ("form", "weight", "is_meant"),
    [("NA", True, True), ("AE", True, False), ("AE", False, True)],
)
def test_it_is_no_result_that_an_abstract_question_left_out(
    form: Subtype, weight: bool, is_meant: bool
) -> None:
    entity = CREATININE.entity
    asked = Draft("CR", form, "ehr", (DIGOXIN,), DIGOXIN_RULE, omitted=((entity, 0),))
    others = (lab("weight", 72),) if weight else ()
    assert (entity in pronouns([turn(CREATININE, *others), asked])) == is_meant


def test_the_harm_of_an_untaken_drug_rests_on_chart_and_account() -> None:
    untaken = bound("loop_untaken", "furosemide", is_told=True)
    heard = turn(told("furosemide"))
    for history, is_meant in (
        ([turn(FUROSEMIDE), heard], True),
        ([heard, turn(FUROSEMIDE)], True),
        ([turn(FUROSEMIDE, told("furosemide")), turn(CREATININE)], False),
        ([heard, turn(CREATININE)], False),
    ):
        assert bool(harms(history, [untaken])) == is_meant


@pytest.mark.parametrize(
    ("rule", "history", "refused"),
    [
        (OTHER, [turn(LISINOPRIL), turn(CREATININE)], "lisinopril"),
        (OTHER, [turn(LISINOPRIL), turn(order("ibuprofen"))], "ibuprofen"),
        (DIGOXIN_RULE, [turn(FUROSEMIDE), turn(CREATININE)], "furosemide"),
        (DIGOXIN_RULE, [turn(CREATININE)], ""),
    ],
)
def test_a_write_must_not_be_of_a_drug_that_the_session_is_about(
    rule: BoundRule, history: list[Draft], refused: str
) -> None:
    flag = PlannedCall("Flag.create", {})
    assert refused_drug(Draft("WU", "NA", "write", (), rule, flag), history) == refused


def test_a_drug_whose_level_is_ordered_is_not_refused() -> None:
    level = PlannedCall("ServiceRequest.create", {"service_type": "digoxin"})
    draft = Draft("WU", "NA", "write", (), DIGOXIN_RULE, level)
    assert refused_drug(draft, [turn(DIGOXIN), turn(FUROSEMIDE)]) == "furosemide"


def test_a_renewed_drug_is_not_refused() -> None:
    renewal = PlannedCall("MedicationRequest.create", {"medication": "digoxin"})
    draft = Draft("WU", "NA", "write", (), DIGOXIN_RULE, renewal)
    assert refused_drug(draft, [turn(DIGOXIN)]) == ""
    assert refused_drug(draft, [turn(DIGOXIN), turn(FUROSEMIDE)]) == "furosemide"


@pytest.mark.parametrize(
    ("frequency", "route", "is_home"),
    [("BID", "PO", True), ("ONCE", "PO", False), ("BID", "IV", False), ("BID", "SC", True)],
)
def test_a_single_dose_and_an_infusion_are_not_renewed(
    frequency: str, route: str, is_home: bool
) -> None:
    assert is_renewable(order("furosemide", frequency, route)) is is_home


def test_no_pronoun_means_one_of_the_drugs_that_all_of_that_was_about() -> None:
    drugs = order("warfarin"), order("aspirin")
    turns = [Draft("IL", None, "ehr", (each,), named=(each.entity,)) for each in drugs]
    raised = bound("warfarin_inr_raised", "warfarin")
    last = Draft("CR", "AE", "ehr", (lab("inr(pt)", 3.7),), raised)
    assert Entity("drug", "warfarin") not in pronouns([*turns, last])
    assert Entity("drug", "warfarin") in pronouns([*turns, replace(last, form="NA")])
