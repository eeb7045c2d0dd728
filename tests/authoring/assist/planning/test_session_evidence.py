"""What a question about a rule rests on, and what an order needs to have been found before."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest

from tests.authoring.assist.made_drafts import bound, lab, order
from wardround.authoring.assist.facts.findings import Entity, Finding
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.planning.drafts import Draft, pronouns
from wardround.authoring.assist.planning.orders import order_drafts
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


def test_the_first_value_of_a_stay_is_no_evidence() -> None:
    history = [turn(CREATININE), turn(DIGOXIN)]
    found = reasonings("AE", history, [FIRST, COURSE], DIGOXIN_RULE)
    assert [each.findings for each in found] == [(COURSE,)]


def test_a_rule_about_a_course_rests_on_the_course() -> None:
    found = reasonings("NA", [turn(LISINOPRIL)], [CREATININE, COURSE], RISE)
    assert [each.findings for each in found] == [(COURSE,)]


def test_the_risk_of_two_drugs_is_asked_for_once() -> None:
    rules = [bound(name, "warfarin", "amiodarone") for name in PAIRED]
    history = [turn(order("warfarin")), turn(order("amiodarone"), rule=rules[0])]
    assert not reasonings("NA", history, [lab("inr(pt)", 3.0)], rules[1])
    assert reasonings("NA", history[:1], [lab("inr(pt)", 3.0)], rules[1])


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
