"""Answers keep what nobody leaves out: advice for critical results, and against drugs before."""

from dataclasses import replace

import pytest

from tests.authoring.assist.made_drafts import bound, lab, recorded
from tests.authoring.assist.wording import made_turns
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.wording.turn_texts import TurnTexts
from wardround.benchmarks.assist.sessions import Subtype

CLOPIDOGREL = bound("clopidogrel_platelets", "clopidogrel")
BOUGHT = bound("ace_inhibitor_nsaid", "lisinopril", "ibuprofen", is_told=True)
PAIR = bound("ace_inhibitor_loop", "lisinopril", "furosemide")


def items(texts: TurnTexts) -> list[str]:
    """The English items of a turn."""
    return [item.texts["en"] for item in texts.items]


@pytest.mark.parametrize(("count", "is_kept"), [(7, True), (15, False)])
def test_a_critical_result_is_treated_beside_the_drug(count: float, is_kept: bool) -> None:
    dose = made_turns.finding("given", "clopidogrel")
    found = (lab("platelet count", count), dose)
    texts = made_turns.texts([Draft("CR", "NA", "ehr", found, CLOPIDOGREL)])
    assert ("Order a platelet transfusion." in texts.answer["en"]) == is_kept
    assert ("给予血小板输注。" in texts.answer["zh"]) == is_kept
    assert ("Recommends a platelet transfusion" in items(texts)) == is_kept
    assert "Recommends holding or stopping clopidogrel" in items(texts)
    assert "That platelet count is a critical value." in texts.answer["en"]
    assert len(items(texts)) <= 6


def test_a_critical_result_stops_every_drug_that_bleeds() -> None:
    aspirin, enoxaparin = (
        made_turns.finding("order", "aspirin"),
        bound("heparin_low_platelets", "enoxaparin"),
    )
    found = (lab("platelet count", 5), made_turns.finding("order", "enoxaparin"))
    turns = [Draft("IL", None, "ehr", (aspirin,)), Draft("CR", "NA", "ehr", found, enoxaparin)]
    for texts, is_known in ((made_turns.texts(turns), True), (made_turns.texts(turns[1:]), False)):
        assert ("Hold aspirin for now." in texts.answer["en"]) == is_known
        assert ("Recommends holding or stopping aspirin" in items(texts)) == is_known


def test_nobody_questions_a_drug_that_the_answer_holds() -> None:
    aspirin, enoxaparin = (made_turns.finding("order", e) for e in ("aspirin", "enoxaparin"))
    rule = replace(bound("heparin_low_platelets", "enoxaparin"), questioned="aspirin")
    for count, is_questioned in ((5, False), (60, True)):
        found = (lab("platelet count", count), enoxaparin)
        turns = [Draft("IL", None, "ehr", (aspirin,)), Draft("CR", "NA", "ehr", found, rule)]
        answer = made_turns.texts(turns).answer["en"]
        assert ("Hold aspirin for now." in answer) != is_questioned
        assert ("Ask whether aspirin is still needed." in answer) == is_questioned


def test_a_critical_result_is_not_only_low() -> None:
    def flag(count: float) -> list[str]:
        texts = made_turns.texts([Draft("IL", None, "ehr", (lab("platelet count", count),))])
        return [each for each in items(texts) if "alls" in each or "critical" in each]

    assert flag(5) == ["Says that the platelet count is a critical value"]
    assert flag(90) == ["Calls the platelet count high"]  # as the made finding has it


def test_an_injury_that_has_begun_is_no_risk() -> None:
    begun = replace(BOUGHT, has_begun=True)
    account = made_turns.finding("other_drug", "lisinopril")
    texts = made_turns.texts([Draft("CR", None, "patient", (account,), begun)])
    assert "Acute kidney injury has begun, and lisinopril with ibuprofen can" in texts.answer["en"]
    assert "Names the acute kidney injury" in items(texts)
    assert "risk" not in texts.answer["en"]


def test_no_advice_turns_on_why_a_drug_is_not_taken() -> None:
    account = made_turns.finding("adherence", "warfarin", 2)
    assert "why" in account.slots
    untaken = bound("warfarin_untaken", "warfarin", is_told=True)
    found = (account, lab("inr(pt)", 1.1, "vital_value"))
    texts = made_turns.texts([Draft("CR", None, "mixed", found, untaken)])
    assert not [each for each in items(texts) if "reason" in each]


def test_a_course_that_ends_at_a_critical_value_says_so() -> None:
    course = replace(lab("platelet count", 7, "lab_course"))
    course = replace(course, slots={**course.slots, "direction": recorded("direction", "fall")})
    texts = made_turns.texts([Draft("CR", "NA", "ehr", (course,), CLOPIDOGREL)])
    assert "That platelet count is a critical value." in texts.answer["en"]


@pytest.mark.parametrize(
    ("form", "asked", "is_kept"),
    [("AE", (), True), ("AE", ("hyperkalemia",), False), ("NA", (), False)],
)
def test_all_of_that_keeps_what_earlier_turns_advised(
    form: Subtype, asked: tuple[str, ...], is_kept: bool
) -> None:
    account, order = (made_turns.finding(kind, "lisinopril") for kind in ("other_drug", "order"))
    first = Draft("CR", None, "patient", (account,), BOUGHT)
    last = Draft("CR", form, "ehr", (order,), PAIR, asked_risks=asked)
    texts = made_turns.texts([first, last])
    assert ("Stop ibuprofen." in texts.answer["en"]) == is_kept
    assert ("Recommends stopping ibuprofen" in items(texts)) == is_kept
    assert "Recommends a basic metabolic panel" in items(texts)


@pytest.mark.parametrize(("form", "is_kept"), [("AE", True), ("NA", False)])
def test_all_of_that_is_also_the_result_that_earlier_advice_rests_on(
    form: Subtype, is_kept: bool
) -> None:
    dose, drug = (made_turns.finding(kind, "digoxin") for kind in ("given", "order"))
    found = (lab("creatinine", 1.9), dose)
    first = Draft("CR", None, "ehr", found, bound("digoxin_creatinine", "digoxin"))
    loop = bound("digoxin_loop", "digoxin", "furosemide")
    texts = made_turns.texts([first, Draft("CR", form, "ehr", (drug,), loop)])
    assert ("Creatinine 1.9 mg/dL" in texts.answer["en"]) == is_kept
    assert ("Order a digoxin level." in texts.answer["en"]) == is_kept
    assert ("Recommends a digoxin level" in items(texts)) == is_kept
    assert "States the latest creatinine as 1.9 mg/dL" in items(texts) or not is_kept


def test_all_of_that_tells_no_usual_result_of_earlier_advice() -> None:
    dose, drug = (made_turns.finding(kind, "digoxin") for kind in ("given", "order"))
    advised = bound("digoxin_creatinine", "digoxin")
    loop = bound("digoxin_loop", "digoxin", "furosemide")
    for value, is_told in ((1.9, True), (1.0, False)):
        first = Draft("CR", None, "ehr", (lab("creatinine", value), dose), advised)
        answer = made_turns.texts([first, Draft("CR", "AE", "ehr", (drug,), loop)]).answer["en"]
        assert (f"Creatinine {value:g} mg/dL" in answer) == is_told


def test_all_of_that_keeps_no_drug_that_the_answer_must_not_give() -> None:
    potassium = bound("loop_potassium", "furosemide")
    first = Draft("CR", None, "ehr", (lab("potassium", 3.1),), potassium)
    drug = made_turns.finding("order", "lisinopril")
    for tempting, is_kept in (("ibuprofen", True), ("potassium chloride", False)):
        last = Draft("CR", "AE", "ehr", (drug,), replace(PAIR, tempting=tempting))
        answer = made_turns.texts([first, last]).answer["en"]
        assert ("Give potassium chloride." in answer) == is_kept


def test_an_answer_says_what_a_rule_asks_for_beside_its_action() -> None:
    found = (lab("magnesium", 1.4), made_turns.finding("order", "pantoprazole"))
    draft = Draft("CR", None, "ehr", found, bound("ppi_magnesium", "pantoprazole"))
    answer = made_turns.texts([draft]).answer
    assert "Give magnesium sulfate. Hold pantoprazole for now." in answer["en"]
    assert "暂停泮托拉唑" in answer["zh"]


def test_an_answer_repeats_a_panel_and_no_test_of_it() -> None:
    drug = made_turns.finding("order", "lisinopril")
    answer = made_turns.texts([Draft("CR", None, "ehr", (drug,), PAIR)]).answer["en"]
    assert answer.endswith("Order a basic metabolic panel in 2 days.")


def test_what_an_answer_advises_itself_is_not_kept_twice() -> None:
    raised = bound("warfarin_aspirin_raised", "warfarin", "aspirin")
    found = (made_turns.finding("order", "warfarin"), lab("inr(pt)", 3.8, "vital_value"))
    turns = [
        Draft("CR", None, "ehr", found, raised),
        Draft("CR", "AE", "ehr", found[:1], bound("warfarin_inr_raised", "warfarin")),
    ]
    answer = made_turns.texts(turns).answer["en"]
    assert answer.count("Reduce the dose of warfarin.") == answer.count("Hold aspirin") == 1


@pytest.mark.parametrize(
    ("rule", "fields"),
    [
        (BOUGHT, {"ibuprofen": "action"}),
        (bound("ppi_magnesium", "pantoprazole"), {"pantoprazole": "also"}),
        (
            bound("warfarin_aspirin_raised", "warfarin", "aspirin"),
            {"aspirin": "action", "warfarin": "also"},
        ),
        (bound("ondansetron_potassium", "ondansetron"), {}),
    ],
)
def test_rules_say_which_drugs_they_are_against(rule: BoundRule, fields: dict[str, str]) -> None:
    assert rule.against == fields
    assert rule.opposed == next(iter(fields), "")
