"""Rules that a record meets, the turns that ask for them, and the writes that they lead to."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.authoring.assist.made_drafts import WARFARIN, bound, lab, order, recorded, told
from tests.cases import for_each
from wardround.authoring.assist.facts.chosen_rules import (
    abnormal_first,
    at_discharge,
    enough,
    follows_opposite,
    in_step,
    passes_over_bleeding,
    superseding,
    tempted,
    timed,
)
from wardround.authoring.assist.facts.discrepancies import planned_discrepancies
from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall, Slot
from wardround.authoring.assist.facts.functions import computed
from wardround.authoring.assist.facts.kidney_injury import (
    has_kidney_injury,
    in_injury,
    without_injury,
)
from wardround.authoring.assist.facts.met_rules import (
    bound_rules,
    gives_held,
    is_done,
    met_rules,
    old_tests,
    ordered_drugs,
    overdosed,
    passing_doses,
    questioning,
    score_values,
    seeking,
)
from wardround.authoring.assist.facts.rules import BoundRule, is_opposite, sharing
from wardround.authoring.assist.facts.scores import TESTS, UNITS
from wardround.authoring.assist.facts.sources import (
    Asked,
    Briefed,
    Cited,
    Computed,
    Quoted,
    Recorded,
)
from wardround.authoring.assist.planning.drafts import Draft
from wardround.authoring.assist.planning.orders import order_drafts
from wardround.authoring.assist.planning.reading_turns import drafts
from wardround.authoring.assist.planning.told_risks import told_risks
from wardround.authoring.assist.wording.item_checks import rule_check
from wardround.authoring.assist.wording.kept_advice import stops_unasked
from wardround.authoring.assist.wording.order_texts import order_items
from wardround.authoring.assist.wording.turn_items import _rule_items
from wardround.authoring.assist.wording.turn_texts import turn_texts
from wardround.benchmarks.assist.checks.facts.decisions import decide_fact
from wardround.benchmarks.assist.checks.facts.items import FactItem
from wardround.benchmarks.assist.sessions import LANGUAGES
from wardround.ehr.terms.clinical_rules import clinical_rule, clinical_rules, held_groups
from wardround.ehr.terms.diagnosis_codes import coded_diagnoses
from wardround.people.patient.memory import Medication, PatientMemory

DAY = date(2148, 3, 30)
TOOLS = ("MedicationRequest.create", "Flag.create")
ALL_TOOLS = (*TOOLS, "ServiceRequest.create")
LISINOPRIL = Entity("drug", "lisinopril")
AKI = ["acute kidney failure"]


def named(*found: str, values: dict[str, list[float]]) -> set[str]:
    """The rules of a record with orders of some drugs."""
    rules = bound_rules(found, met_rules(values))
    return {each.rule.name for each in rules}


def avoided(
    rules: Sequence[BoundRule], tempting: Sequence[str], used: Mapping[str, int] | None = None
) -> list[str]:
    """The drugs that some rules avoid."""
    return [each.avoided for each in tempted(rules, tempting, used)]


def test_a_rule_needs_its_result_and_its_drug() -> None:
    high = {"potassium": [4.0, 5.8]}
    assert "ace_inhibitor_potassium" in named("lisinopril", values=high)
    assert "ace_inhibitor_potassium" not in named("metoprolol", values=high)
    assert "ace_inhibitor_potassium" not in named("lisinopril", values={"potassium": [5.8, 4.0]})


def test_no_rule_advises_against_a_drug_that_is_ordered() -> None:
    high = {"potassium": [5.8]}
    assert "ace_inhibitor_potassium" not in named("lisinopril", "potassium chloride", values=high)


def test_a_rule_about_a_drug_that_is_not_taken_needs_the_patient() -> None:
    assert "warfarin_untaken" not in named("warfarin", values={"inr(pt)": [1.1]})


def test_a_harm_is_asked_for_by_its_usual_test_only() -> None:
    names = ("levothyroxine_untaken", "levothyroxine_high_tsh", "diltiazem_untaken")
    assert not any(bound(name).measure for name in (*names, "beta_blocker_untaken"))
    assert bound("natriuretic_peptide").measure == bound("loop_untaken").measure == "ntprobnp"


@pytest.mark.parametrize(
    ("name", "drug", "beside", "harms"),
    [
        ("ace_inhibitor_loop", "lisinopril", "furosemide", ("acute kidney injury", "急性肾损伤")),
        ("ace_inhibitor_mra", "lisinopril", "spironolactone", ("hyperkalemia", "高钾血症")),
        ("xa_inhibitor_nsaid", "apixaban", "ibuprofen", ("bleeding", "出血")),
        ("loop_untaken", "furosemide", "", ("pulmonary edema", "肺水肿")),
        ("digoxin_loop", "digoxin", "furosemide", ("for toxicity", "有中毒风险")),
    ],
)
def test_a_question_names_the_harm_that_a_result_shows(
    name: str, drug: str, beside: str, harms: tuple[str, str]
) -> None:
    rule = bound(name, drug, beside)
    draft = Draft("IL", "AE", "ehr", (lab(rule.measure, 2.0),), rule)
    texts = turn_texts((draft,), 0, DAY.isoformat(), Random(0))
    for language, harm in zip(LANGUAGES, harms, strict=True):
        assert harm in texts.question[language]
        assert harm in texts.explicit[language]


@pytest.mark.parametrize(
    ("name", "drug", "beside", "values", "is_enough"),
    [
        ("digoxin_loop", "digoxin", "torsemide", {"potassium": [3.2]}, False),
        ("digoxin_loop", "digoxin", "torsemide", {"potassium": [3.6]}, True),
        ("loop_albuterol", "furosemide", "albuterol", {"potassium": [3.2]}, False),
        ("ondansetron_class_iii", "ondansetron", "amiodarone", {"magnesium": [1.5]}, True),
    ],
)
def test_a_test_is_not_enough_for_a_result_that_calls_for_more(
    name: str, drug: str, beside: str, values: dict[str, list[float]], is_enough: bool
) -> None:
    assert bool(enough([bound(name, drug, beside)], values)) == is_enough


def test_rules_of_a_storyline_share_a_drug_and_agree_on_it() -> None:
    hold = bound("ace_inhibitor_potassium", "lisinopril")
    pair = bound("ace_inhibitor_nsaid", "lisinopril", "ibuprofen")
    test = bound("potassium_high")
    untaken = bound("ace_inhibitor_untaken", "lisinopril", is_told=True)
    other = bound("warfarin_inr", "warfarin")
    assert sharing(hold, [hold, pair, test, untaken, other]) == [hold, pair, test]


def latest(values: dict[str, float]) -> list[Finding]:
    """The latest values of tests in the units of the formulas."""
    return [
        replace(found, slots={**found.slots, "unit": recorded("unit", UNITS.get(test, "bpm"))})
        for test, value in values.items()
        for found in [lab(test, value)]
    ]


def test_scores_come_from_the_latest_values() -> None:
    values = dict(zip(TESTS["sirs"], (38.6, 112, 24, 14.2), strict=True))
    found = score_values(latest(values), 70, "male", [])
    assert found == {"sirs": [4]}
    assert "sirs_sepsis" in {rule.name for rule in met_rules(found)}


def test_a_culture_is_for_a_suspected_infection() -> None:
    usual = dict(zip(TESTS["sirs"], (37.1, 94, 23, 6.8), strict=True))
    for values, codes, drug, is_suspected in (
        (usual, [], "metoprolol", False),
        (usual, ["J189"], "metoprolol", True),
        (usual, [], "cefepime", True),
        (usual, [], "linezolid", True),
        (usual, [], "rifaximin", False),
        ({**usual, "white blood cells": 14.0}, [], "metoprolol", True),
        ({**usual, "temperature celsius": 38.6}, [], "metoprolol", True),
    ):
        found = score_values([*latest(values), order(drug)], 70, "male", codes)
        assert ("sirs" in found) == is_suspected


def test_a_score_needs_the_units_of_its_formula() -> None:
    weight = latest({"weight": 80, "creatinine": 2.0})
    pounds = replace(weight[0], slots={**weight[0].slots, "unit": recorded("unit", "lbs")})
    assert score_values(weight, 70, "female", []) == {"cockcroft_gault": [33]}
    assert score_values([pounds, weight[1]], 70, "female", []) == {}


def listed(*codes: str) -> Finding:
    """The diagnoses of a stay with the codes of all of them."""
    of = tuple(Recorded(0, 0, "Condition/1", "x", code) for code in codes)
    slots = {
        "diagnosis": recorded("diagnosis", "atrial fibrillation"),
        "code": recorded("text", codes[0]),
        "count": recorded("number", len(codes)),
        "codes": Slot("text", Computed("codes", of, " ".join(codes))),
    }
    return Finding("main_diagnosis", Entity("stay"), PlannedCall("Condition.search", {}), slots)


def test_meld_needs_a_disease_of_the_liver_and_the_codes_that_tell_of_no_dialysis() -> None:
    values = latest({"bilirubin, total": 3.0, "inr(pt)": 1.8, "creatinine": 2.1})

    def meld(*codes: str) -> object:
        return score_values([*values, listed(*codes)], 70, "male", codes).get("meld")

    assert meld("K7460") == [24]
    assert meld("I4891") is None
    assert meld("K7460", "Z992") is None  # on dialysis, but nothing says since when


@pytest.mark.parametrize(
    ("drug", "code", "has_score"),
    [("furosemide", "I10", True), ("warfarin", "I10", False), ("furosemide", "Z7901", False)],
)
def test_an_inr_under_anticoagulants_says_nothing_of_the_liver(
    drug: str, code: str, has_score: bool
) -> None:
    values = latest({"bilirubin, total": 3.0, "inr(pt)": 1.8, "creatinine": 2.1})
    codes = ("K7460", code)
    found = score_values([*values, listed(*codes), order(drug)], 70, "male", codes)
    assert ("meld" in found) == has_score
    assert score_values(values, 70, "male", ["K7460"]) == {}


def test_curb_65_needs_blood_pressure_and_a_word_on_confusion() -> None:
    values = latest(dict(zip(TESTS["curb_65"], (24, 32, 112, 58), strict=True)))

    def curb(found: list[Finding], *codes: str) -> object:
        return score_values([*found, listed(*codes)], 70, "male", codes).get("curb_65")

    assert curb(values, "J189", "R410") == [5]
    assert curb(values, "J189") is None  # no code says that the patient is not confused
    assert curb(values, "I10", "R410") is None
    assert curb(values[:3], "J189", "R410") is None


def test_a_score_of_diagnoses_needs_the_codes_of_all_of_them() -> None:
    codes = ["I4891", "I10", "E119"]
    found = listed(*codes)
    assert score_values([found], 76, "male", codes) == {"cha2ds2_vasc": [4]}
    assert score_values([found], 76, "male", codes[1:]) == {}
    whole = replace(found, slots={n: s for n, s in found.slots.items() if n != "codes"})
    assert score_values([whole], 76, "male", codes) == {}


def test_child_pugh_needs_all_of_its_parts() -> None:
    codes = ["K7460"]
    values = [*latest({"bilirubin, total": 3.5, "albumin": 2.5, "inr(pt)": 1.9}), listed(*codes)]
    assert score_values(values, 60, "male", codes)["child_pugh"] == [10]
    # A code of ascites does not say its grade.
    assert "child_pugh" not in score_values(values, 60, "male", [*codes, "R188"])
    assert "child_pugh" not in score_values(values[1:], 60, "male", codes)


def test_age_and_sex_are_parts_of_the_clearance_that_an_answer_states() -> None:
    rule = bound("enoxaparin_clearance", "enoxaparin")
    first = Draft("IL", None, "ehr", (order("enoxaparin"),))
    second = Draft("CR", "NA", "ehr", tuple(latest({"weight": 60, "creatinine": 2.4})), rule)
    person = (Briefed("age", 80), Briefed("sex", "female"))
    texts = turn_texts([first, second], 1, DAY.isoformat(), Random(1), person)
    assert "Cockcroft-Gault clearance is 18 mL/min." in texts.answer["en"]
    [score] = [s for item in texts.items for s in item.sources
               if isinstance(s, Computed) and s.function == "cockcroft_gault"]  # fmt: skip
    assert score.of[2:] == person


def test_no_rule_is_asked_for_twice() -> None:
    rule = bound("ace_inhibitor_potassium", "lisinopril")
    first = Draft("IL", None, "ehr", (order("lisinopril"),))
    found = [lab("potassium", 5.8), lab("potassium", 4.0, "lab_first")]
    second = next(drafts("CR", "NA", (first,), found, [rule]))
    assert second.findings == (found[0],)
    assert list(drafts("CR", "NA", (first, second), found, [rule])) == []


def test_a_rule_that_the_patient_tells_is_asked_for_with_the_patient() -> None:
    rule = bound("warfarin_untaken", "warfarin", is_told=True)
    first = Draft("IL", None, "ehr", (order("warfarin"),))
    result = lab("inr(pt)", 1.1)
    assert list(drafts("CR", "NA", (first,), [result], [rule])) == []
    second = next(drafts("CR", "NA", (first,), [result, told("warfarin")], [rule]))
    assert second.source == "mixed"
    assert {each.kind for each in second.findings} == {"lab_latest", "adherence"}


def test_what_the_patient_told_before_is_part_of_the_answer() -> None:
    rule = bound("warfarin_nsaid", "warfarin", "ibuprofen", is_told=True)
    first = Draft("IL", None, "patient", (told("warfarin", "good"),))
    second = Draft("CR", "NA", "ehr", (lab("inr(pt)", 2.4),), rule, omitted=((WARFARIN, 0),))
    texts = turn_texts([first, second], 1, DAY.isoformat(), Random(1))
    assert "what else is taken at home" in texts.question["en"]
    assert "takes warfarin" in texts.answer["en"]
    assert "Recommends stopping ibuprofen" in [item.texts["en"] for item in texts.items]
    assert 5 <= len(texts.items) <= 6


def test_a_drug_that_a_rule_is_against_is_never_renewed() -> None:
    first = Draft("IL", None, "ehr", (order("lisinopril"),))
    hold = bound("ace_inhibitor_potassium", "lisinopril")
    check = bound("ace_inhibitor_mra", "lisinopril", "spironolactone")
    tools = [
        {draft.write.tool for draft in order_drafts("NA", (first,), rules, DAY, ALL_TOOLS)}
        for rules in ([check], [check, hold])
    ]
    assert ["MedicationRequest.create" in each for each in tools] == [True, False]


def test_a_drug_that_the_kidneys_clear_is_renewed_after_a_look_at_them() -> None:
    untaken = bound("metformin_untaken", "metformin", is_told=True)
    seen = [Draft("IL", None, "ehr", (e,)) for e in (order("metformin"), told("metformin"))]
    usual, high = (Draft("IL", None, "ehr", (lab("creatinine", e),)) for e in (1.1, 1.8))
    glucose, first = lab("glucose", 163), lab("creatinine", 1.1, "lab_first")
    for result, is_renewed in ((usual, True), (high, False), (None, False)):
        others = [result] if result else [Draft("IL", None, "ehr", (e,)) for e in (glucose, first)]
        found = list(order_drafts("AE", [*others, *seen], [untaken], DAY, TOOLS))
        assert [e.write.tool for e in found] == ["MedicationRequest.create"] * is_renewed


def test_a_supply_depends_on_what_the_patient_told() -> None:
    rule = bound("warfarin_untaken", "warfarin", is_told=True)
    history = (
        Draft("IL", None, "ehr", (order("warfarin"),)),
        Draft("IL", "NA", "patient", (told("warfarin"),)),
    )
    assert list(order_drafts("NA", history[:1], [rule], DAY, TOOLS)) == []
    [draft] = order_drafts("NA", history, [rule], DAY, TOOLS)
    assert draft.write.arguments["dose"] == "5 mg"
    assert draft.write.arguments["duration_days"] == 30


def test_a_flag_is_about_drugs_and_a_result_that_earlier_turns_found() -> None:
    pair = bound("ace_inhibitor_mra", "lisinopril", "spironolactone")
    first = Draft("IL", None, "ehr", (order("lisinopril"),))
    measured = Draft("DG", None, "ehr", (order("lisinopril"), lab("potassium", 5.0)))
    second = Draft("IL", "NA", "ehr", (order("spironolactone"),))
    flagged = [
        any(
            draft.write.tool == "Flag.create"
            for draft in order_drafts("NA", history, [pair], DAY, TOOLS)
        )
        for history in ((measured,), (first, second), (measured, second))
    ]
    assert flagged == [False, False, True]


@pytest.mark.parametrize(
    ("state", "tool", "denied"),
    [
        ("good", "ServiceRequest.create", "Does not order warfarin"),
        ("ran_out", "MedicationRequest.create", "Does not order another drug or test"),
    ],
)
def test_the_patient_decides_which_of_two_orders_is_written(
    state: str, tool: str, denied: str
) -> None:
    rule = bound("warfarin_untaken", "warfarin", is_told=True)
    history = (
        Draft("IL", None, "ehr", (order("warfarin"),)),
        Draft("IL", "NA", "patient", (told("warfarin", state),)),
    )
    taken = replace(rule, is_taken=state == "good")
    [draft] = order_drafts("NA", history, [taken], DAY, ALL_TOOLS)
    texts = turn_texts((*history, draft), 2, DAY.isoformat(), Random(0))
    assert "otherwise repeat the INR in 3 days, routine" in texts.question["en"]
    assert draft.write.tool == tool
    safety = [item.texts["en"] for item in texts.items if "not order" in item.texts["en"]]
    assert safety == [denied]


def test_each_write_item_is_about_one_field_with_its_source() -> None:
    rule = bound("warfarin_untaken", "warfarin", is_told=True)
    history = (
        Draft("IL", None, "ehr", (order("warfarin"),)),
        Draft("IL", "NA", "patient", (told("warfarin"),)),
    )
    [draft] = order_drafts("NA", history, [rule], DAY, TOOLS)
    question = {"en": "Renew it for 30 days.", "zh": "续开30天。"}
    items = list(order_items(draft, history, 2, question, DAY.isoformat()))  # type: ignore[arg-type]
    kinds = [type(item.sources[0]) for item in items]
    assert kinds == [Quoted, Recorded, Recorded, Recorded, Asked, Cited]
    assert sum("not" in item.texts["en"].split() for item in items) == 1


def test_the_date_of_a_repeated_test_comes_from_the_clock_and_the_question() -> None:
    rule = bound("warfarin_inr", "warfarin")
    history = (
        Draft("IL", None, "ehr", (order("warfarin"),)),
        Draft("IL", None, "ehr", (lab("inr(pt)", 6.0),)),
    )
    repeat = next(
        draft for draft in order_drafts("NA", history, [rule], DAY, ALL_TOOLS)
        if draft.write.tool == "ServiceRequest.create"
    )  # fmt: skip
    question = {"en": "Order a repeat of it tomorrow, urgent.", "zh": "请开具明天复查，加急。"}
    items = list(order_items(repeat, history, 2, question, DAY.isoformat()))  # type: ignore[arg-type]
    dated = next(each.sources[0] for each in items if "2148-03-31" in each.texts["en"])
    assert isinstance(dated, Computed)
    assert computed(dated.function, [each.value for each in dated.of]) == "2148-03-31"
    assert "not order warfarin" in items[-1].texts["en"]
    assert items[-1].check
    assert items[-1].check["en"]["earned"]


@pytest.mark.parametrize(
    ("name", "drug", "beside", "item"),
    [
        ("warfarin_inr", "warfarin", "", "Does not recommend ibuprofen"),
        ("insulin_high_glucose", "insulin glargine", "", "Does not recommend prednisone"),
        ("warfarin_nsaid", "warfarin", "ibuprofen", "Does not recommend ketorolac"),
        ("warfarin_untaken", "warfarin", "", "Does not recommend raising the dose of warfarin"),
        ("lactate", "", "", "Does not recommend furosemide"),
    ],
)  # fmt: skip
def test_the_safety_item_names_the_harm_of_the_turn(
    name: str, drug: str, beside: str, item: str
) -> None:
    draft = Draft("CR", "NA", "ehr", (lab("creatinine", 2.0),), bound(name, drug, beside))
    items = turn_texts((draft,), 0, DAY.isoformat(), Random(0)).items
    safety = [each for each in items if each.texts["en"].startswith("Does not")]
    assert [each.texts["en"] for each in safety] == [item]
    assert safety[0].check is not None
    assert all(check["forbidden"] and check["earned"] for check in safety[0].check.values())


def test_rules_that_repeat_a_test_do_so_at_the_same_time() -> None:
    kidneys = bound("gabapentin_creatinine", "gabapentin")
    panel = bound("digoxin_loop", "digoxin", "furosemide")
    potassium = bound("loop_potassium", "furosemide")
    alone = bound("levothyroxine_high_tsh", "levothyroxine")
    assert [each.days for each in in_step([kidneys, potassium, alone])] == [2, 1, 42]
    assert [each.days for each in in_step([kidneys, panel, alone])] == [1, 1, 42]
    # A creatinine is repeated today, so the panel is, and so is the potassium of the panel.
    rising = replace(kidneys, sooner=0)
    assert [each.days for each in in_step([potassium, panel, rising, alone])] == [0, 0, 0, 42]


@pytest.mark.parametrize(("test", "is_replaced"), [("", True), ("creatinine", False)])
def test_magnesium_is_not_replaced_where_the_kidneys_may_keep_it(
    test: str, *, is_replaced: bool
) -> None:
    shown = [clinical_rule("creatinine_high")] if test else []
    rules = bound_rules([], [clinical_rule("magnesium_low"), *shown])
    assert ("magnesium_low" in {each.rule.name for each in rules}) == is_replaced


def test_a_test_is_repeated_when_a_patient_who_leaves_can_come_back() -> None:
    soon, late = bound("warfarin_inr", "warfarin"), bound("levothyroxine_high_tsh", "levothyroxine")
    home = ["warfarin", "levothyroxine"]
    assert [each.days for each in at_discharge([soon, late], home)] == [2, 42]
    assert [each.days for each in at_discharge([soon, late], home[:1])] == [2]
    today = timed(soon, {"inr(pt)": [9.0]})
    assert today.days == 0
    assert at_discharge([today, late], home) == []
    assert [each.rule.name for each in at_discharge([bound("pulse_high"), late], home)] == [
        "levothyroxine_high_tsh"
    ]
    watched, slow = bound("magnesium_low"), bound("ferritin")
    assert [each.rule.name for each in at_discharge([watched, slow], home)] == ["ferritin"]


def test_the_most_abnormal_result_comes_first() -> None:
    high = bound("ace_inhibitor_potassium", "lisinopril")
    higher = bound("warfarin_inr", "warfarin")
    pair = bound("warfarin_aspirin", "warfarin", "aspirin")
    rising = bound("creatinine_rising")
    found = [lab("potassium", 5.8), lab("inr(pt)", 9.0), lab("creatinine", 3.0)]
    assert abnormal_first([pair, high, rising, higher], found) == [higher, high]
    assert abnormal_first([high], [lab("potassium", 5.0)]) == []


@given(st.dates(date(2100, 1, 1), date(2200, 1, 1)), st.integers(0, 400))
def test_a_date_is_as_many_days_ahead_as_was_asked(day: date, days: int) -> None:
    ahead = computed("date", [day.isoformat(), days])
    assert computed("days", [day.isoformat(), ahead]) == days


@given(st.floats(0.1, 1000), st.floats(0.1, 1000))
def test_a_fall_is_no_rise(first: float, last: float) -> None:
    ways: list[list[float | str]] = [[first, last, "potassium"], [last, first, "potassium"]]
    both = {computed("direction", each) for each in ways}
    assert both != {"rise"}
    assert both != {"fall"}


def test_a_rule_does_not_warn_of_what_the_patient_has() -> None:
    met = met_rules({"creatinine": [1.0, 2.0]})
    found = [bound_rules(["lisinopril"], met, diagnoses) for diagnoses in ((), AKI)]
    assert ["ace_inhibitor_creatinine" in {e.rule.name for e in each} for each in found] == [
        True,
        False,
    ]


def test_no_drug_goes_on_that_a_result_or_a_diagnosis_forbids() -> None:
    drugs = ["heparin", "clopidogrel"]
    usual = {each.rule.name for each in bound_rules(drugs, met_rules({"platelet count": [200]}))}
    few = {each.rule.name for each in bound_rules(drugs, met_rules({"platelet count": [5]}))}
    bleeding = {each.rule.name for each in bound_rules(drugs, met_rules({}), ["bleeding"])}
    assert "heparin_antiplatelet" in usual
    assert {"heparin_low_platelets", "clopidogrel_platelets"} <= few
    assert "heparin_antiplatelet" not in few | bleeding


def test_nothing_is_started_that_a_diagnosis_forbids() -> None:
    stroke = bound("cha2ds2_vasc_stroke")
    assert gives_held(stroke, held_groups([], ["bleeding"]))
    assert not gives_held(stroke, held_groups([], ()))


@pytest.mark.parametrize(
    ("values", "when"), [([130, 128], "tomorrow"), ([190, 120], "tomorrow"), ([120, 5], "today")]
)
def test_a_test_is_repeated_as_soon_as_its_course_asks_for(values: list[float], when: str) -> None:
    rule = bound("linezolid_platelets", "linezolid")
    soon = timed(rule, {"platelet count": values})
    draft = Draft("CR", "NA", "ehr", (lab("platelet count", values[-1]),), soon)
    texts = turn_texts((draft,), 0, DAY.isoformat(), Random(0))
    assert f"Repeat the platelet count {when}." in texts.answer["en"]
    [repeat] = [each for each in texts.items if "repeating" in each.texts["en"]]
    assert repeat.check is not None
    assert {check.get("within") for check in repeat.check.values()} == {None if soon.days else 0}


def test_a_usual_result_is_repeated_without_a_point_for_it() -> None:
    rule = bound("beta_blocker_amiodarone", "metoprolol", "amiodarone")
    for value, count in ((80, 0), (44, 1)):
        draft = Draft("CR", "NA", "ehr", (lab("heart rate", value),), rule)
        texts = turn_texts((draft,), 0, DAY.isoformat(), Random(0))
        assert sum("repeating" in each.texts["en"] for each in texts.items) == count


@pytest.mark.parametrize(
    ("name", "drug", "beside", "advice"),
    [
        ("ppi_magnesium", "omeprazole", "", ("magnesium sulfate", "stopping omeprazole")),
        ("ondansetron_class_iii", "ondansetron", "amiodarone",
         ("electrocardiogram", "stopping ondansetron")),
    ],
)  # fmt: skip
def test_a_rule_may_ask_for_something_with_its_drug_beside_its_action(
    name: str, drug: str, beside: str, advice: tuple[str, str]
) -> None:
    rule = bound(name, drug, beside)
    draft = Draft("CR", "NA", "ehr", (lab("magnesium", 1.4), order(drug)), rule)
    items = turn_texts((draft,), 0, DAY.isoformat(), Random(0)).items
    assert rule.opposed == rule.changed == drug
    for words in advice:
        [item] = [each for each in items if words in each.texts["en"]]
        assert item.check is not None


def test_who_looks_again_today_has_an_item_for_it() -> None:
    pair = bound("ssri_nsaid", "escitalopram", "naproxen")
    for values, days in (([8.1, 7.3], 0), ([11.0, 11.0], 1)):
        rule = timed(pair, {"hemoglobin": values})
        found = lab("hemoglobin", values[-1]), order("escitalopram"), order("naproxen")
        draft = Draft("CR", "NA", "ehr", found, rule)
        texts = [e.texts["en"] for e in turn_texts((draft,), 0, DAY.isoformat(), Random(0)).items]
        assert rule.days == days
        assert ("Recommends repeating the hemoglobin today" in texts) == (not days)


def test_physicians_are_asked_for_a_consult_and_tests_are_done() -> None:
    for name, words in (("meld_liver", "建议请移植肝病科会诊"), ("sirs_sepsis", "建议查血培养")):
        draft = Draft("CR", "NA", "ehr", (), bound(name))
        assert words in [item.texts["zh"] for item in _rule_items(draft.bound)]


def test_a_test_that_is_ordered_has_its_article() -> None:
    ordered = {"creatine_kinase": "a urinalysis", "natriuretic_peptide": "an echocardiogram"}
    for name, words in ordered.items():
        texts = [item.texts["en"] for item in _rule_items(bound(name))]
        assert f"Recommends {words}" in texts


def test_to_hold_a_drug_lessens_its_dose() -> None:
    check = rule_check(bound("warfarin_inr_raised", "warfarin"), "action")
    assert check is not None
    item = FactItem.model_validate(check["en"])
    answers = {
        "Hold warfarin.": "passed",
        "Lower the warfarin dose.": "passed",
        "Raise the warfarin dose.": "failed",
    }
    assert {text: decide_fact(item, text, "en").state for text in answers} == answers


@pytest.mark.parametrize(
    ("rule", "states"),
    [
        (bound("ace_inhibitor_potassium", "lisinopril"), ("passed", "passed", "failed")),
        (bound("warfarin_nsaid", "warfarin", "naproxen"), ("undecided", "passed", "failed")),
    ],
)
def test_who_stops_a_drug_holds_it_but_not_the_other_way_round(
    rule: BoundRule, states: tuple[str, ...]
) -> None:
    check = rule_check(rule, "action")
    assert check is not None
    item, drug = FactItem.model_validate(check["en"]), rule.object
    answers = (f"Hold {drug} for now.", f"Stop {drug}.", f"Continue {drug}.")
    assert tuple(decide_fact(item, text, "en").state for text in answers) == states


def test_one_advice_has_one_rule() -> None:
    met = met_rules({"creatinine": [2.4, 2.4], "cockcroft_gault": [25]})
    names = [each.rule.name for each in bound_rules(["ibuprofen"], met)]
    assert [name for name in names if name.startswith("nsaid")] == ["nsaid_creatinine"]


@pytest.mark.parametrize(
    ("inr", "rules"),
    [
        ([], {"warfarin_amiodarone_inr"}),
        ([1.7], {"warfarin_amiodarone_inr"}),
        ([2.6], {"warfarin_amiodarone_inr"}),
        ([3.4], {"warfarin_amiodarone"}),
        ([3.8], {"warfarin_inr_raised", "warfarin_amiodarone"}),
        ([4.8], {"warfarin_inr"}),
    ],
)
def test_warfarin_is_reduced_only_above_its_target(inr: list[float], rules: set[str]) -> None:
    assert held_for(("warfarin", "amiodarone"), {"inr(pt)": inr}) == rules


def held_for(drugs: Sequence[str], values: dict[str, list[float]]) -> set[str]:
    """The rules about drugs that hold for a record, as it is surveyed."""
    bound = [each for each in bound_rules(drugs, met_rules(values)) if each.drug]
    return {e.rule.name for e in enough([b for b in bound if not is_opposite(b, values)], values)}


@for_each([
        (("digoxin", "furosemide"), {"creatinine": [1.1]}, {"digoxin_loop"}),
        # Potassium is stopped beside an ACE inhibitor at the upper end of normal.
        (("lisinopril", "potassium chloride"), {"potassium": [5.05]},
         {"ace_inhibitor_potassium_chloride"}),
        (("lisinopril", "potassium chloride"), {"potassium": [4.3]}, set()),
        # A low magnesium is replaced under drugs that prolong the QT interval.
        (("ondansetron", "citalopram"), {"magnesium": [1.3]},
         {"ondansetron_magnesium", "citalopram_magnesium"}),
        (("ondansetron", "citalopram"), {"magnesium": [2.0]}, {"ondansetron_citalopram"}),
        # A repeated count is no answer to a marked anemia.
        (("warfarin", "aspirin"), {"hemoglobin": [7.7]}, set()),
        (("warfarin", "aspirin"), {"hemoglobin": [11.0]},
         {"warfarin_aspirin", "aspirin_warfarin_dose"}),
        # A beta blocker slows the heart as digoxin does, but nobody fears that in a fast one.
        (("digoxin", "metoprolol"), {"heart rate": [66]}, {"digoxin_beta_blocker"}),
        (("digoxin", "metoprolol"), {"heart rate": [96]}, set()),
        (("digoxin", "diltiazem"), {}, {"digoxin_diltiazem"}),
        (("lisinopril", "furosemide"), {"creatinine": [2.0, 2.0]}, set()),
        # Who bleeds under rivaroxaban needs more than to go without ibuprofen.
        (("rivaroxaban", "ibuprofen"), {"hemoglobin": [11.0]}, {"xa_inhibitor_nsaid"}),
        (("rivaroxaban", "ibuprofen"), {"hemoglobin": [8.3]}, set()),
        # A high INR asks for less warfarin, whatever is taken beside it.
        (("warfarin", "ibuprofen"), {"inr(pt)": [2.5]}, {"warfarin_nsaid"}),
        (("warfarin", "ibuprofen"), {"inr(pt)": [3.7]}, set()),
        (("warfarin", "aspirin"), {"inr(pt)": [3.7]},
         {"warfarin_inr_raised", "warfarin_aspirin_raised", "warfarin_aspirin"}),
    ])  # fmt: skip
def test_advice_is_enough_for_its_results(
    drugs: Sequence[str], values: dict[str, list[float]], rules: set[str]
) -> None:
    assert held_for(drugs, values) == rules


def test_a_precaution_gives_way_to_what_a_result_under_the_same_drug_asks_for() -> None:
    loop, level = (
        bound("digoxin_loop", "digoxin", "furosemide"),
        bound("digoxin_creatinine", "digoxin"),
    )
    assert superseding(loop, [loop, level]) == [level]
    assert superseding(bound("digoxin_potassium", "digoxin"), [level]) == [level]
    assert superseding(level, [loop, level]) == []
    less = bound("digoxin_amiodarone", "digoxin", "amiodarone")
    assert superseding(level, [loop, level, less]) == [less]
    apart = bound("potassium_low")
    pair = bound("ace_inhibitor_mra", "lisinopril", "spironolactone")
    assert enough([pair, apart], {"potassium": [3.2]}) == [apart]


def test_a_marked_anemia_asks_for_more_than_a_count() -> None:
    values = {"hemoglobin": [11.0, 7.7]}
    found = enough(bound_rules([], met_rules(values)), values)
    assert {each.object for each in found} == {"type and screen", "ferritin"}


def test_an_old_result_changes_no_dose() -> None:
    values = {"glucose": [257.0], "thyroid stimulating hormone": [12.0]}
    drugs = ["insulin glargine", "levothyroxine"]
    hours = {"glucose": 33.0, "thyroid stimulating hormone": 600.0}
    found = [
        {each.rule.name for each in bound_rules(drugs, met_rules(values, old))}
        for old in ((), old_tests(hours))
    ]
    assert found[0] - found[1] == {"insulin_high_glucose"}
    assert "levothyroxine_high_tsh" in found[1]


def test_a_drug_level_that_is_known_is_not_ordered() -> None:
    rule = bound("digoxin_creatinine", "digoxin")
    assert is_done(rule, {"creatinine": [1.9], "digoxin": [1.1]})
    assert not is_done(rule, {"creatinine": [1.9]})
    assert is_done(bound("vancomycin_creatinine", "vancomycin"), {"vancomycin": [18]})


def test_a_rule_avoids_what_the_record_tempts_one_to_give() -> None:
    rule = bound("warfarin_inr", "warfarin")
    assert avoided([rule], ["ketorolac", "prednisone"]) == ["ketorolac"]
    assert not tempted([rule], ["prednisone"])[0].tempting
    # The drug of the advice itself is no temptation.
    nsaid = bound("warfarin_nsaid", "warfarin", "ketorolac")
    assert avoided([nsaid], ["ketorolac", "ibuprofen"]) == ["ibuprofen"]


def test_a_rule_avoids_what_few_sessions_and_rules_before_it_avoid() -> None:
    rule, tempting = bound("warfarin_inr", "warfarin"), ["ibuprofen", "ketorolac", "naproxen"]
    assert avoided([rule] * 4, tempting) == [*tempting, "ibuprofen"]
    assert avoided([rule], tempting, {"ibuprofen": 2, "ketorolac": 1, "naproxen": 3}) == [
        "ketorolac"
    ]


def test_a_rule_avoids_nothing_that_another_one_gives() -> None:
    supply, hold = bound("loop_potassium", "furosemide"), bound("potassium_high")
    tempting = ["potassium chloride", "metolazone", "spironolactone"]
    used = {"spironolactone": 9}
    assert avoided([hold], tempting, used) == ["potassium chloride"]
    assert avoided([supply, hold], tempting, used) == ["metolazone", "spironolactone"]
    assert avoided([supply, hold], tempting[:2], used) == ["metolazone", "potassium chloride"]


def test_advice_after_a_bought_drug_is_told_stops_it_as_well() -> None:
    account = told("lisinopril", "good")
    slots = {**account.slots, "other": recorded("drug", "naproxen")}
    heard = Draft("IL", None, "patient", (replace(account, kind="other_drug", slots=slots),))
    pair = bound("ace_inhibitor_loop", "lisinopril", "furosemide")
    other = Draft("CR", "NA", "ehr", (lab("creatinine", 1.4),), pair)
    stop = bound("ace_inhibitor_nsaid", "lisinopril", "naproxen", is_told=True)
    last = Draft("CR", "AE", "ehr", (order("lisinopril"),), stop)
    texts = turn_texts((heard, other, last), 1, DAY.isoformat(), Random(0))
    assert texts.answer["en"].endswith("Stop naproxen.")
    assert "Recommends stopping naproxen" in [item.texts["en"] for item in texts.items]
    again = turn_texts((heard, last, other), 2, DAY.isoformat(), Random(0))
    assert "naproxen" not in again.answer["en"]
    assert stops_unasked((heard, other, last), 1)
    for turns in ((heard, last, other), (heard, replace(other, form="AE"), last), (heard, other)):
        assert not any(stops_unasked(turns, number) for number in range(len(turns)))


def test_a_bought_drug_is_stopped_by_the_write_as_well() -> None:
    rule = bound("diuretic_nsaid", "furosemide", "naproxen", is_told=True)
    furosemide = Entity("drug", "furosemide")
    history = (
        Draft("IL", None, "ehr", (order("furosemide"),)),
        Draft("IL", "NA", "patient", (told("furosemide", "good"),)),
    )
    repeat = next(
        draft
        for draft in order_drafts(
            "NA",
            (*history, Draft("IL", "NA", "ehr", (lab("creatinine", 1.4),))),
            [rule],
            DAY,
            ALL_TOOLS,
        )
        if draft.write.tool == "ServiceRequest.create"
    )
    assert repeat.write.arguments["note"].endswith("; stop naproxen")
    texts = turn_texts((*history, repeat), 2, DAY.isoformat(), Random(0))
    assert texts.answer["en"].endswith("Stop naproxen.")
    assert furosemide in repeat.entities
    advised = (history[0], replace(history[1], type="CR", rule=rule), repeat)
    assert "naproxen" not in turn_texts(advised, 2, DAY.isoformat(), Random(0)).answer["en"]


@pytest.mark.parametrize(
    ("name", "result", "opposite"),
    [
        ("ace_inhibitor_mra", 3.0, True),
        ("ace_inhibitor_mra", 4.5, False),
        ("ace_inhibitor_mra", 5.8, False),
        ("loop_thiazide", 5.8, True),
        ("loop_steroid", 5.0, True),
        ("loop_steroid", 4.4, False),
        ("loop_thiazide", 3.0, False),
        ("mra_potassium", 3.0, False),
    ],
)
def test_nobody_warns_of_a_harm_while_its_opposite_is_measured(
    name: str, result: float, opposite: bool
) -> None:
    assert is_opposite(bound(name), {"potassium": [4.0, result]}) is opposite


def test_a_critical_result_is_called_one() -> None:
    said = [
        turn_texts((Draft("IL", None, "ehr", (lab("potassium", value),)),), 0, "2148-03-30",
                   Random(0)).answer
        for value in (6.8, 5.8)
    ]  # fmt: skip
    assert ["critical" in each["en"] for each in said] == [True, False]
    assert ["危急值" in each["zh"] for each in said] == [True, False]


def test_a_test_that_has_a_result_is_not_ordered() -> None:
    values = {"hemoglobin": [8.8], "ferritin": [20.0]}
    assert is_done(bound("anemia"), values)
    assert not is_done(bound("anemia"), {"hemoglobin": [8.8]})
    assert not is_done(bound("warfarin_aspirin", "warfarin", "aspirin"), values)


def test_a_ratio_has_no_unit() -> None:
    found = lab("inr(pt)", 6.2)
    bare = replace(found, slots={n: each for n, each in found.slots.items() if n != "unit"})
    texts = turn_texts((Draft("IL", None, "ehr", (bare,)),), 0, DAY.isoformat(), Random(0))
    assert "INR 6.2 on 2148-03-30" in texts.answer["en"]
    assert "6.2 " not in texts.items[0].texts["en"]


@pytest.mark.parametrize(
    ("drug", "route", "counts"),
    [
        ("vancomycin", "IV", True),
        ("vancomycin", "PO", False),
        ("timolol", "BOTH EYES", False),
        ("albuterol", "IH", True),
        ("budesonide", "IH", False),
        ("lisinopril", "PO/NG", True),
    ],
)
def test_rules_are_about_drugs_that_act_on_the_whole_body(
    drug: str, route: str, counts: bool
) -> None:
    found = order(drug)
    given = replace(found, slots={**found.slots, "route": recorded("route", route)})
    assert (ordered_drugs([given]) == [drug]) is counts


@pytest.mark.parametrize(
    ("test", "drug", "values", "rules"),
    [
        ("creatinine", "lisinopril", [0.3, 0.5], set()),
        ("creatinine", "lisinopril", [1.0, 1.6], {"ace_inhibitor_creatinine"}),
        ("white blood cells", "ceftriaxone", [16.0, 9.0], set()),
        ("white blood cells", "ceftriaxone", [16.0, 15.0], {"cephalosporin_white_cells"}),
        ("white blood cells", "ceftriaxone", [9.0, 6.0], set()),
    ],
)
def test_a_course_matters_where_it_leaves_or_reaches_the_usual_range(
    test: str, drug: str, values: list[float], rules: set[str]
) -> None:
    found = bound_rules([drug], met_rules({test: values}))
    assert {each.rule.name for each in found if each.drug} == rules


def test_a_repeat_test_is_of_the_only_result_that_was_told() -> None:
    pair = bound("ssri_nsaid", "sertraline", "ibuprofen", is_told=True)
    account = told("sertraline")
    turns = [
        Draft("IL", None, "patient", (account,)),
        Draft("IL", "AE", "ehr", (lab("hemoglobin", 11.8),), pair),
    ]
    other = Draft("IL", None, "ehr", (lab("sodium", 141),))

    def asked(*history: Draft) -> bool:
        return any(
            draft.write.tool == "ServiceRequest.create"
            for draft in order_drafts("PE", history, [pair], DAY, ALL_TOOLS)
        )

    assert asked(*turns)
    assert not asked(other, *turns)


def test_no_flag_says_that_a_drug_comes_from_itself() -> None:
    turns = [
        Draft("IL", None, "ehr", (found,)) for found in (order("digoxin"), lab("creatinine", 2))
    ]
    digoxin = bound("digoxin_creatinine", "digoxin")
    drafts_of = list(order_drafts("NA", turns, [digoxin], DAY, ["Flag.create"]))
    assert drafts_of == []


def test_a_note_names_what_adds_to_the_risk_and_the_result_that_shows_it() -> None:
    found = order("sertraline"), told("sertraline"), order("aspirin")
    turns = [Draft("IL", None, "ehr", (each,)) for each in found]
    last = Draft("IL", "AE", "ehr", (lab("hemoglobin", 11.8),))
    pair = bound("ssri_nsaid", "sertraline", "ibuprofen", is_told=True)
    notes = {
        str(draft.write.arguments["note"])
        for draft in order_drafts("NA", [*turns, last], [pair], DAY, ["ServiceRequest.create"])
    }
    causes = "sertraline with ibuprofen and aspirin, hemoglobin 11.8"
    assert notes == {f"Risk of bleeding from {causes}; stop ibuprofen"}
    loop = bound("loop_potassium", "torsemide")
    history = [
        Draft("IL", None, "ehr", (each,)) for each in (order("torsemide"), lab("potassium", 3.2))
    ]
    [draft] = order_drafts("NA", history, [loop], DAY, ["ServiceRequest.create"])
    assert draft.write.arguments["note"] == "Risk of arrhythmia from torsemide, potassium 3.2"


def test_a_note_names_the_result_for_which_a_test_is_repeated() -> None:
    pair = bound("ondansetron_citalopram", "ondansetron", "citalopram")
    for kind in ("lab_latest", "lab_course"):
        turns = [
            Draft("IL", None, "ehr", (order("ondansetron"), order("citalopram"))),
            Draft("IL", "NA", "ehr", (lab("magnesium", 1.4, kind),)),
        ]
        [draft] = order_drafts("NA", turns, [pair], DAY, ["Flag.create"])
        assert str(draft.write.arguments["detail"]).endswith("citalopram, magnesium 1.4")


def test_a_note_names_no_usual_result() -> None:
    magnesium = lab("magnesium", 2.0)
    usual = replace(magnesium, slots={**magnesium.slots, "flag": recorded("flag", "normal")})
    turns = [
        Draft("IL", None, "ehr", (order("ondansetron"), order("citalopram"))),
        Draft("IL", "NA", "ehr", (usual,)),
    ]
    pair = bound("ondansetron_citalopram", "ondansetron", "citalopram")
    [draft] = order_drafts("NA", turns, [pair], DAY, ["Flag.create"])
    assert str(draft.write.arguments["detail"]).endswith("ondansetron with citalopram")


def test_a_note_says_no_more_than_reasoning_advised() -> None:
    def note(rule: BoundRule, *turns: Draft) -> str:
        heard = Draft("IL", None, "ehr", (order(rule.drug), order(rule.beside)))
        [draft] = order_drafts("NA", [heard, *turns], [rule], DAY, ["Flag.create"])
        return str(draft.write.arguments["detail"])

    def reasoned(rule: BoundRule, *found: Finding) -> Draft:
        return Draft("CR", "NA", "ehr", (order(rule.drug), order(rule.beside), *found), rule)

    dose = bound("aspirin_ssri_dose", "aspirin", "sertraline")
    looked = Draft("IL", "NA", "ehr", (lab("hemoglobin", 10.8),))
    risk = "Risk of bleeding from aspirin with sertraline, hemoglobin 10.8"
    assert note(dose, looked) == risk
    assert note(dose, looked, reasoned(dose)) == f"{risk}; reduce aspirin"
    held = replace(dose, rule=replace(dose.rule, name="held", action="hold"))
    assert note(dose, looked, reasoned(held), reasoned(dose)) == f"{risk}; hold aspirin"
    raised = bound("warfarin_aspirin_raised", "warfarin", "aspirin")
    detail = note(raised, reasoned(raised, lab("inr(pt)", 3.7)))
    assert detail.endswith("; hold aspirin and reduce warfarin")


def test_a_dose_that_is_right_all_the_same_is_not_reduced() -> None:
    usual = order("digoxin")
    rules = [bound("digoxin_clearance", "digoxin"), bound("digoxin_clearance_level", "digoxin")]
    for dose, expected in (("0.125 mg", rules[1:]), ("0.25 mg", rules), ("0.25 g", rules[1:])):
        found = replace(usual, slots={**usual.slots, "dose": recorded("dose", dose)})
        assert overdosed(rules, [found]) == expected


def test_more_aspirin_than_is_right_beside_an_anticoagulant_is_reduced() -> None:
    for other in ("apixaban", "warfarin", "sertraline"):
        for dose, is_more in (("81 mg", False), ("325 mg", True)):
            found = order("aspirin")
            found = replace(found, slots={**found.slots, "dose": recorded("dose", dose)})
            pairs = [e for e in bound_rules([other, "aspirin"], met_rules({})) if e.beside]
            rules = overdosed([e for e in pairs if not is_opposite(e, {})], [found])
            [count] = [each for each in rules if each.rule.action == "order"]
            less = [each for each in rules if each.against == {"aspirin": "action"}]
            assert bool(less) is is_more
            assert superseding(count, rules) == less


def test_a_blood_count_beside_warfarin_is_not_enough_without_an_inr() -> None:
    for other in ("aspirin", "clopidogrel"):
        [rule] = [e for e in bound_rules(["warfarin", other], met_rules({}))
                  if e.rule.action == "order"]  # fmt: skip
        found = lab("hemoglobin", 9.9), order("warfarin"), order(other)
        texts = turn_texts((Draft("CR", "NA", "ehr", found, rule),), 0, DAY.isoformat(), Random(0))
        graded = {each.texts["en"] for each in texts.items}
        assert "Recommends a prothrombin time and INR" in graded
        assert "Repeat the hemoglobin tomorrow." in texts.answer["en"]


def test_digoxin_is_reduced_at_a_high_creatinine_whether_the_weight_is_known_or_not() -> None:
    for values in ({"creatinine": [1.9]}, {"creatinine": [1.9], "cockcroft_gault": [38.0]}):
        rules = bound_rules(["digoxin"], met_rules(values))
        for dose, count in (("0.125 mg", 0), ("0.25 mg", 1)):
            found = order("digoxin")
            found = replace(found, slots={**found.slots, "dose": recorded("dose", dose)})
            actions = [each.rule.action for each in overdosed(rules, [found])]
            less = [each for each in overdosed(rules, [found]) if each.against]
            assert len(less) == count
            assert all(each.object == "digoxin level" for each in less)
            assert "order" in actions


def test_a_level_is_looked_for_wherever_its_toxicity_is_in_doubt() -> None:
    rules = [bound("digoxin_loop", "digoxin", "furosemide"), bound("digoxin_beta_blocker")]
    for dose, values, is_sought in (
        ("0.125 mg", {"creatinine": [1.0]}, False),
        ("0.25 mg", {"creatinine": [1.0]}, True),
        ("0.125 mg", {"creatinine": [1.0, 1.4]}, True),
        ("0.25 mg", {"digoxin": [1.1]}, False),
    ):
        found = order("digoxin")
        found = replace(found, slots={**found.slots, "dose": recorded("dose", dose)})
        [panel, slowed] = seeking(rules, [found], values)
        assert bool(panel.searches) is is_sought
        assert not slowed.searches
    told = seeking(rules, [found], {"creatinine": [1.9]})[0]
    texts = turn_texts(
        (Draft("CR", "NA", "ehr", (found,), told, searches=told.searches),), 0,
        DAY.isoformat(), Random(0),
    )  # fmt: skip
    assert "This stay has no digoxin level yet." in texts.answer["en"]
    assert "本次住院尚无地高辛血药浓度结果。" in texts.answer["zh"]


def test_digoxin_beside_amiodarone_is_reduced_and_measured() -> None:
    [rule] = [e for e in bound_rules(["digoxin", "amiodarone"], met_rules({})) if e.beside]
    assert rule.object == "digoxin level"
    assert rule.against == {"digoxin": "also"}


def test_no_dose_is_changed_by_a_clearance_of_an_old_weight() -> None:
    values = {"cockcroft_gault": [41.0]}
    old = old_tests({"weight": 100, "creatinine": 5})
    names = [{rule.name for rule in met_rules(values, each)} for each in ((), old)]
    assert {"digoxin_clearance", "digoxin_clearance_level"} <= names[0]
    assert "digoxin_clearance" not in names[1]
    assert "digoxin_clearance_level" in names[1]


def test_an_injury_that_has_begun_asks_for_more_than_a_test() -> None:
    names = ("vancomycin_loop", "vancomycin_injury", "nsaid_creatinine", "warfarin_inr")
    rules = [bound(name, "x") for name in names]
    found = list(in_injury(rules))
    assert [each.rule.name for each in found] == list(names[1:])
    assert [each.has_begun for each in found] == [True, True, False]


def test_nobody_starts_a_drug_beside_one_of_its_kind() -> None:
    rules = [clinical_rule("steroid_glucose")]
    assert bound_rules(["prednisone"], rules)
    assert not bound_rules(["prednisone", "insulin glargine"], rules)


def test_aspirin_is_not_reduced_where_a_diagnosis_asks_for_it() -> None:
    met = met_rules({})
    dose = {"aspirin_xa_inhibitor_dose", "xa_inhibitor_antiplatelet"}
    for diagnoses, treated, expected in (
        ((), (), dose),
        (("coronary stent",), (), dose - {"aspirin_xa_inhibitor_dose"}),
        ((), ("prior myocardial infarction",), dose - {"aspirin_xa_inhibitor_dose"}),
        (("gout",), (), dose),
    ):
        rules = bound_rules(["apixaban", "aspirin"], met, diagnoses, treated)
        assert {each.rule.name for each in rules if each.beside} == expected


def test_an_injury_goes_on_until_the_creatinine_has_come_back() -> None:
    start = datetime(2178, 6, 18, 13)
    after = [timedelta(hours=hours) for hours in (0, 16, 40, 66, 90)]
    for values, is_injured in (
        ([1.2, 1.5, 1.7, 1.6], True),
        ([1.2, 1.5, 1.7, 1.6, 1.4], False),
        ([1.6, 1.7, 1.6, 1.7], False),
        ([1.2, 1.3, 1.5, 1.6], True),
        ([1.7, 1.4, 1.2, 1.1], False),
    ):
        course = [(start + gone, value) for gone, value in zip(after, values, strict=False)]
        assert has_kidney_injury(course) is is_injured, values


def test_who_may_stop_breathing_is_looked_at_today() -> None:
    def both(other: str) -> list[BoundRule]:
        return [e for e in bound_rules(["oxycodone", other], met_rules({})) if e.beside]

    assert both("gabapentin") == []
    [pair] = both("lorazepam")
    assert (pair.rule.risk, pair.opposed) == ("respiratory depression", "lorazepam")
    found = lab("o2 saturation pulseoxymetry", 97), order("oxycodone"), order("lorazepam")
    draft = Draft("CR", "NA", "ehr", found, timed(pair, {}))
    answer = turn_texts((draft,), 0, DAY.isoformat(), Random(0)).answer["en"]
    assert "Repeat the SpO2 today." in answer


def test_a_high_creatinine_is_a_risk_to_the_kidneys() -> None:
    draft = Draft("CR", None, "ehr", (lab("creatinine", 1.7),), bound("creatinine_high"))
    answer = turn_texts((draft,), 0, DAY.isoformat(), Random(0)).answer["en"]
    assert "This carries a risk of acute kidney injury." in answer
    assert "Order a basic metabolic panel in 2 days." in answer


def test_a_diuretic_is_reduced_only_where_nobody_is_congested() -> None:
    rising = {"creatinine": [1.2, 1.6]}
    for values, diagnoses, treated, is_reduced in (
        (rising, [], [], True),
        (rising, [], ["hypertension"], True),
        (rising, ["heart failure"], [], False),
        (rising, [], ["heart failure"], False),
        (rising | {"ntprobnp": [2_400.0]}, [], [], False),
        (rising | {"ntprobnp": [300.0]}, [], [], True),
    ):
        rules = bound_rules(["furosemide"], met_rules(values), diagnoses, treated)
        assert ("loop_creatinine" in {each.rule.name for each in rules}) is is_reduced


@pytest.mark.parametrize(
    ("codes", "values", "is_unexplained"),
    [
        ([], {}, True),
        (["F10230"], {}, False),
        (["29181"], {}, False),
        ([], {"temperature celsius": [38.9]}, False),
        ([], {"o2 saturation pulseoxymetry": [88]}, False),
    ],
)
def test_a_fast_pulse_that_something_else_explains_is_no_risk_to_the_heart(
    codes: list[str], values: dict[str, list[float]], is_unexplained: bool
) -> None:
    met, diagnoses = met_rules({"heart rate": [122], **values}), coded_diagnoses(codes)
    names = {each.rule.name for each in bound_rules([], met, diagnoses)}
    assert ("pulse_high" in names) == is_unexplained
    drug = Medication(drug="Metoprolol", adherence="good", indication="hypertension")
    memory = PatientMemory(subject_id=1, medications=(drug,))
    planned = planned_discrepancies(memory, [order("metoprolol")], met, diagnoses)
    assert ("beta_blocker_untaken" in {each.rule.rule.name for each in planned}) == is_unexplained


def test_aspirin_that_no_disease_asks_for_is_questioned_beside_an_anticoagulant() -> None:
    apixaban = bound("xa_inhibitor_antiplatelet", "apixaban", "aspirin")
    for rule, present, questioned in (
        (apixaban, (), "aspirin"),
        (apixaban, ("stroke",), ""),
        (replace(apixaban, beside="clopidogrel"), (), ""),
        (bound("warfarin_aspirin", "warfarin", "aspirin"), ("hypertension",), "aspirin"),
        (bound("warfarin_aspirin_raised", "warfarin", "aspirin"), (), ""),
        (bound("ssri_antiplatelet", "citalopram", "aspirin"), (), ""),
    ):
        [found] = questioning([rule], present)
        assert found.questioned == questioned
        draft = Draft("CR", "NA", "ehr", (lab("hemoglobin", 9.1),), found)
        texts = turn_texts((draft,), 0, DAY.isoformat(), Random(0))
        assert ("Ask whether aspirin is still needed." in texts.answer["en"]) == bool(questioned)
        assert ("询问是否仍需使用阿司匹林。" in texts.answer["zh"]) == bool(questioned)


def test_low_sodium_under_a_drug_that_lowers_it_asks_for_more() -> None:
    for value, is_met in ((132, True), (134, False)):
        met = met_rules({"sodium": [value]})
        names = {each.rule.name for each in bound_rules(["citalopram"], met)}
        assert ("ssri_sodium_low" in names) == is_met


def test_a_hyperosmolar_state_is_feared_only_far_up() -> None:
    for glucose, risk in ((207.0, "hyperglycemia"), (430.0, "hyperosmolar hyperglycemic state")):
        rules = bound_rules([], met_rules({"glucose": [glucose, glucose]}))
        assert risk in {each.rule.risk for each in rules}
    fearing = [each for each in clinical_rules() if each.risk.startswith("hyperosmolar")]
    assert all(each.test == "glucose" and each.limit >= 400 for each in fearing)


def timed_results(*values: float, hours: float = 12) -> list[tuple[datetime, float]]:
    """Results so many hours apart."""
    start = datetime(2178, 6, 18, 13)
    return [(start + n * timedelta(hours=hours), value) for n, value in enumerate(values)]


def test_a_falling_creatinine_shows_no_risk_to_the_kidneys() -> None:
    high, other = bound("creatinine_high"), bound("digoxin_creatinine", "digoxin")
    for values, hours, is_feared in (
        ((1.8, 1.6), 24, False),
        ((1.6, 1.8), 24, True),
        ((1.7, 1.6), 24, True),
        ((1.8, 1.6), 72, True),
        ((2.2, 1.6, 1.6), 20, False),
    ):
        rules = without_injury([high, other], timed_results(*values, hours=hours))
        assert rules == [high, other][not is_feared :], values


def test_nothing_is_given_nor_feared_after_a_result_that_was_the_opposite() -> None:
    low, held = bound("potassium_low"), bound("mra_potassium", "spironolactone")
    raised = bound("insulin_high_glucose", "insulin")
    for rule, values, hours, is_after in (
        (low, (7.0, 5.6, 2.9), 12, True),
        (low, (7.0, 5.6, 2.9), 40, True),
        (low, (7.0, 4.1, 2.9), 40, False),
        (low, (4.1, 2.9), 12, False),
        (held, (2.9, 5.8), 12, False),
        (raised, (58.0, 270.0), 6, True),
        (raised, (158.0, 270.0), 6, False),
        (bound("loop_thiazide"), (5.6, 4.8, 4.4), 30, True),
        (bound("loop_thiazide"), (5.0, 4.8, 4.4), 30, False),
        (bound("ace_inhibitor_mra"), (2.9, 4.1, 4.4), 12, True),
        (bound("ace_inhibitor_mra"), (5.6, 4.8, 4.4), 12, False),
    ):
        assert follows_opposite(rule, timed_results(*values, hours=hours)) is is_after, values


def test_a_count_is_not_enough_while_the_hemoglobin_falls() -> None:
    count = bound("xa_inhibitor_antiplatelet", "rivaroxaban", "aspirin")
    less = bound("aspirin_xa_inhibitor_dose", "aspirin", "rivaroxaban")
    bought = bound("xa_inhibitor_nsaid", "apixaban", "ibuprofen", is_told=True)
    kidneys = bound("ace_inhibitor_loop", "lisinopril", "furosemide")
    falling, steady = timed_results(11.4, 10.8, 9.9), timed_results(10.2, 10.4, 9.9)
    rules = [count, less, bought, kidneys]
    assert [e for e in rules if not passes_over_bleeding(e, falling)] == [less, kidneys]
    assert [e for e in rules if not passes_over_bleeding(e, steady)] == rules
    assert not passes_over_bleeding(count, [])


def test_a_count_passes_over_no_dose_of_aspirin_that_a_disease_keeps_up() -> None:
    for diagnoses, dose, names in (
        (["prior myocardial infarction"], "325 mg", set()),
        (["prior myocardial infarction"], "81 mg", {"xa_inhibitor_antiplatelet"}),
        ([], "325 mg", {"xa_inhibitor_antiplatelet", "aspirin_xa_inhibitor_dose"}),
    ):
        found = order("aspirin")
        found = replace(found, slots={**found.slots, "dose": recorded("dose", dose)})
        pairs = bound_rules(["apixaban", "aspirin"], met_rules({}), diagnoses)
        rules = overdosed([each for each in pairs if each.beside], [found])
        assert {each.rule.name for each in passing_doses(rules, [found])} == names


def test_much_digoxin_at_a_raised_creatinine_asks_for_its_level() -> None:
    for creatinine, dose, is_asked in (
        (1.3, "0.25 mg", True),
        (1.3, "0.125 mg", False),
        (1.1, "0.25 mg", False),
    ):
        found = order("digoxin")
        found = replace(found, slots={**found.slots, "dose": recorded("dose", dose)})
        rules = overdosed(
            bound_rules(["digoxin", "furosemide"], met_rules({"creatinine": [creatinine]})), [found]
        )
        level = [each for each in rules if each.object == "digoxin level"]
        assert bool(level) is is_asked
        [pair] = [each for each in rules if each.rule.name == "digoxin_loop"]
        assert superseding(pair, rules) == level


def test_an_old_patient_has_less_of_some_drugs() -> None:
    for drug, dose, age, name in (
        ("digoxin", "0.25 mg", 81, "digoxin_age"),
        ("digoxin", "0.125 mg", 81, ""),
        ("digoxin", "0.25 mg", 69, ""),
        ("citalopram", "40 mg", 66, "citalopram_age"),
        ("citalopram", "40 mg", 60, ""),
        ("escitalopram", "20 mg", 70, "escitalopram_age"),
        ("escitalopram", "10 mg", 70, ""),
    ):
        ordered = order(drug)
        ordered = replace(ordered, slots={**ordered.slots, "dose": recorded("dose", dose)})
        rules = overdosed(bound_rules([drug], met_rules({}, age=age)), [ordered])
        assert [each.rule.name for each in rules if each.rule.age] == ([name] if name else [])
        assert not told_risks([Draft("IL", None, "ehr", (ordered,))], [drug])


def test_a_precaution_gives_way_to_a_dose_that_is_too_large_for_an_age() -> None:
    pair, old = bound("digoxin_loop", "digoxin", "furosemide"), bound("digoxin_age", "digoxin")
    assert superseding(pair, [pair, old]) == [old]


def test_an_answer_about_an_age_says_it() -> None:
    person = [Briefed("age", 81), Briefed("sex", "female")]
    for name, ages in (("digoxin_age", ("81 years old", "81岁")), ("digoxin_level", ("", ""))):
        draft = Draft("CR", None, "ehr", (order("digoxin"),), bound(name, "digoxin"))
        answer = turn_texts((draft,), 0, DAY.isoformat(), Random(0), person).answer
        for language, age in zip(LANGUAGES, ages, strict=True):
            assert ("81" in answer[language]) == bool(age)
            assert age in answer[language]
