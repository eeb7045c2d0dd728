"""What each scenario's sessions may be about."""

from dataclasses import replace

from tests.authoring.assist.made_drafts import bound, lab, order, recorded
from tests.cases import for_each
from wardround.authoring.assist.facts.scenarios import (
    abnormal_tests,
    belongs,
    is_about,
    is_of_infection,
    responses,
    suits,
)
from wardround.benchmarks.assist.sessions import SCENARIOS, Scenario
from wardround.ehr.terms.chinese import chinese
from wardround.ehr.terms.classes import drug_classes
from wardround.ehr.terms.clinical_rules import clinical_rules
from wardround.ehr.terms.drugs import generics


@for_each([
        ("lactate", "", "", {"diagnostic_workup"}),
        ("cephalosporin_white_cells", "cefepime", "", set(SCENARIOS)),
        ("insulin_high_glucose", "insulin glargine", "", set(SCENARIOS)),
        ("warfarin_aspirin", "warfarin", "aspirin", {"med_safety", "discharge_planning"}),
        ("warfarin_amiodarone", "warfarin", "amiodarone",
         {"med_safety", "treatment_response", "discharge_planning"}),
        ("opioid_benzodiazepine", "oxycodone", "lorazepam",
         {"med_safety", "treatment_response", "discharge_planning"}),
        ("ssri_tramadol", "citalopram", "tramadol", {"med_safety", "discharge_planning"}),
        ("statin_ck", "atorvastatin", "",
         {"diagnostic_workup", "med_safety", "discharge_planning"}),
    ])  # fmt: skip
def test_a_scenario_begins_with_its_own_rules(
    name: str, drug: str, beside: str, scenarios: set[Scenario]
) -> None:
    rule = bound(name, drug, beside)
    assert {scenario for scenario in SCENARIOS if suits(scenario, rule, ())} == scenarios


def test_two_drugs_are_worked_up_as_a_cause_of_an_abnormal_result() -> None:
    rule = bound("warfarin_aspirin", "warfarin", "aspirin")
    assert suits("diagnostic_workup", rule, abnormal_tests({"hemoglobin": 8.8}))
    assert not suits("diagnostic_workup", rule, abnormal_tests({"hemoglobin": 14, "sodium": 120}))


def test_drug_safety_goes_on_to_rules_about_drugs_only() -> None:
    sepsis = bound("sirs_sepsis")
    assert not belongs("med_safety", sepsis)
    assert belongs("diagnostic_workup", sepsis)
    assert belongs("med_safety", bound("warfarin_aspirin", "warfarin", "aspirin"))


def test_antibiotics_with_their_marker_are_about_an_infection() -> None:
    assert is_of_infection(bound("cephalosporin_white_cells", "cefepime"))
    assert not is_of_infection(bound("insulin_high_glucose", "insulin glargine"))
    assert not is_of_infection(bound("white_cells_high"))


@for_each(responses())
def test_a_response_is_about_known_drugs_and_tests(group: str, test: str) -> None:
    assert group in {each.name for each in drug_classes()} or generics(group)
    assert chinese(test, "test")
    assert test in {name for rule in clinical_rules() for name in (rule.test, rule.recheck)}


def test_a_session_reads_what_its_scenario_is_about() -> None:
    high = lab("potassium", 5.8)
    usual = replace(high, slots={**lab("potassium", 4.2).slots, "flag": recorded("flag", "normal")})
    assert [is_about("diagnostic_workup", [each]) for each in (high, usual)] == [True, False]
    treated = [order("furosemide"), usual]
    assert is_about("treatment_response", treated)
    assert not is_about("treatment_response", [order("citalopram"), usual])
    assert not is_about("treatment_response", treated[:1])
    assert is_about("med_safety", [])
