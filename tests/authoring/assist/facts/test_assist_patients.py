"""Findings of patients in made sessions, and the discrepancies that only they know."""

from random import Random

import pytest

from tests.authoring.assist.made_drafts import lab, order
from wardround.authoring.assist.facts.discrepancies import (
    planned_discrepancies,
    recorded_discrepancies,
    taken_drugs,
    with_discrepancy,
)
from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.facts.met_rules import met_rules
from wardround.authoring.assist.facts.patients import (
    patient_findings,
    spoken,
    with_purposes,
    with_symptom_details,
)
from wardround.authoring.assist.facts.sources import Computed, Told
from wardround.benchmarks.assist.sessions import LANGUAGES, LITERACIES
from wardround.people.patient.memory import Diagnosis, Medication, PatientMemory, Symptom

WARFARIN = Medication(
    drug="Warfarin",
    adherence="good",
    current_status="taking",
    indication="Atrial fibrillation",
)
MEMORY = PatientMemory(
    subject_id=1,
    medications=(WARFARIN,),
    symptom_log=(Symptom(symptom="knee pain", zh={"symptom": "膝关节疼痛"}),),
    social_history=(
        "Lives alone. Work: cook. Tobacco: current smoker, one pack a day. Alcohol: none."
    ),
    functional_status="walks with a cane, independent in dressing and eating, "
    "needs help with bathing",
)
LOW_INR = {"inr(pt)": [1.1]}


def by_kind(memory: PatientMemory) -> dict[str, Finding]:
    """The findings of a memory by their kinds."""
    return {finding.kind: finding for finding in patient_findings(memory)}


def test_every_kind_of_question_to_a_patient_finds_something() -> None:
    memory = with_symptom_details(MEMORY, Random(1))
    simple = memory.model_copy(update={"functional_status": "walks with a walker, needs help with "
                                       "bathing"})  # fmt: skip
    assert by_kind(simple).keys() == {"symptoms", "pain", "social", "function", "adherence"}


def test_an_anticoagulant_is_for_the_disease_that_calls_for_it() -> None:
    circular = WARFARIN.model_copy(update={"indication": "Long-term anticoagulation"})
    memory = MEMORY.model_copy(update={"medications": (circular,)})
    assert "adherence" not in by_kind(with_purposes(memory))
    listed = {"diagnoses": (Diagnosis(medical_term="Atrial fibrillation"),)}
    found = by_kind(with_purposes(memory.model_copy(update=listed)))["adherence"]
    assert found.slots["indication"].source.value == "atrial fibrillation"


def test_every_value_is_in_a_sentence_that_the_patient_says() -> None:
    memory = with_symptom_details(MEMORY, Random(1))
    for finding in patient_findings(memory):
        said = spoken(memory, [finding.call])[0]["en"]["high"]
        for slot in finding.slots.values():
            told = slot.source.of[0] if isinstance(slot.source, Computed) else slot.source
            assert isinstance(told, Told)
            assert told.quote in said


def test_details_of_a_symptom_are_the_same_in_both_languages() -> None:
    memory = with_symptom_details(MEMORY, Random(2))
    symptom = memory.symptom_log[0]
    assert symptom.severity.split()[0] in symptom.zh["severity"]
    for call in (finding.call for finding in patient_findings(memory)):
        answers = spoken(memory, [call])[0]
        assert all(answers[language][literacy] for language in LANGUAGES for literacy in LITERACIES)


def test_details_are_given_to_felt_complaints_once() -> None:
    detailed = with_symptom_details(MEMORY, Random(1))
    assert with_symptom_details(detailed, Random(5)) == detailed
    other = MEMORY.model_copy(update={"symptom_log": (Symptom(symptom="scheduled chemotherapy"),)})
    assert with_symptom_details(other, Random(1)) == other


def test_smoking_and_dependence_follow_from_what_is_told() -> None:
    found = by_kind(MEMORY)
    assert found["social"].slots["smoking"].source.value == "smoking"
    assert "symptoms" not in found


def test_who_never_had_a_drug_is_not_given_its_full_dose() -> None:
    findings = [lab("inr(pt)", 1.1), order("warfarin")]
    found = planned_discrepancies(MEMORY, findings, met_rules(LOW_INR))
    assert "never_filled" not in {each.state for each in found}


@pytest.mark.parametrize("state", ["ran_out", "self_discontinued"])
def test_a_drug_that_is_not_taken_asks_for_a_new_supply(state: str) -> None:
    findings = [lab("inr(pt)", 1.1), order("warfarin")]
    found = planned_discrepancies(MEMORY, findings, met_rules(LOW_INR))
    planned = next(each for each in found if each.state == state)
    assert planned.rule.rule.action == "resupply"
    assert planned.rule.is_told
    told = by_kind(with_discrepancy(MEMORY, planned))["adherence"]
    assert told.slots["state"].source.value == state
    assert told.slots["taking"].source.value == "not taking"


def test_a_drug_bought_without_a_prescription_is_told_with_the_home_drug() -> None:
    found = planned_discrepancies(MEMORY, [order("warfarin")], met_rules({}))
    assert {each.rule.beside for each in found} == {"aspirin", "ibuprofen", "naproxen"}
    assert {each.rule.object for each in found} == {each.rule.beside for each in found}
    planned = next(each for each in found if each.rule.beside == "ibuprofen")
    assert planned.rule.rule.name == "warfarin_nsaid"
    changed = with_discrepancy(MEMORY, planned)
    told = by_kind(changed)["other_drug"]
    assert told.slots["other"].source.value == "ibuprofen"
    assert "布洛芬" in spoken(changed, [told.call])[0]["zh"]["low"]
    assert [each for each in patient_findings(changed) if each.entity.name == "ibuprofen"] == []


def test_a_drug_in_doubt_that_is_taken_asks_for_no_supply() -> None:
    findings = [lab("inr(pt)", 1.1), order("warfarin")]
    [planned] = taken_drugs(MEMORY, findings, met_rules(LOW_INR))
    assert planned.rule.is_taken
    told = by_kind(with_discrepancy(MEMORY, planned))["adherence"]
    assert told.slots["taking"].source.value == "taking"


def test_nothing_is_planned_against_the_chart() -> None:
    high = met_rules({"inr(pt)": [6.0]})
    with_pain_drug = [order("warfarin"), order("ibuprofen")]
    assert planned_discrepancies(MEMORY, with_pain_drug, met_rules({})) == []
    assert planned_discrepancies(MEMORY, [order("warfarin")], high) == []
    usual = met_rules({"inr(pt)": [2.4]})
    states = {each.state for each in planned_discrepancies(MEMORY, [order("warfarin")], usual)}
    assert states == {"takes_other"}
    bleeding = planned_discrepancies(MEMORY, [order("warfarin")], usual, ["bleeding"])
    assert bleeding == []


def test_a_real_record_has_a_discrepancy_only_with_a_quote() -> None:
    stopped = WARFARIN.model_copy(
        update={"adherence": "self_discontinued", "current_status": "not_taking"}
    )
    quoted = stopped.model_copy(update={"adherence_evidence": "stopped warfarin on her own."})
    findings = [lab("inr(pt)", 1.1), order("warfarin")]
    found = [
        recorded_discrepancies(MEMORY.model_copy(update={"medications": (each,)}), findings,
                               met_rules(LOW_INR))
        for each in (stopped, quoted)
    ]  # fmt: skip
    assert [len(each) for each in found] == [0, 1]


def test_who_is_confused_gives_no_history() -> None:
    confused = Diagnosis(medical_term="Metabolic encephalopathy")
    assert patient_findings(MEMORY)
    assert patient_findings(MEMORY.model_copy(update={"diagnoses": (confused,)})) == []


def test_a_symptom_that_nobody_feels_for_a_while_has_no_times() -> None:
    for complaint, is_timed in (
        ("weakness, low urine output", False),
        ("abdominal distension, confusion", False),
        ("headache, weakness", True),
    ):
        log = (Symptom(symptom=complaint),)
        memory = with_symptom_details(MEMORY.model_copy(update={"symptom_log": log}), Random(1))
        assert bool(memory.symptom_log[0].timing) is is_timed
