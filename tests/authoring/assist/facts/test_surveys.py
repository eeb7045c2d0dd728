"""Tests of surveys: the result of a call is the one that the tool gives."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.authoring.assist.made_drafts import bound
from tests.cases import one_in
from wardround.authoring.assist.candidates import candidate_record
from wardround.authoring.assist.candidates.candidate_record import (
    CandidateRecord,
    SurveyedPatient,
    doubtful_drugs,
    established,
    supported,
)
from wardround.authoring.assist.facts.chosen_rules import blocks_twice
from wardround.authoring.assist.facts.drug_entries import (
    is_contradicted,
    is_in_force,
    is_maybe_broken,
    is_single_dose,
)
from wardround.authoring.assist.facts.findings import Entity, PlannedCall
from wardround.authoring.assist.facts.measured_tests import measured_findings
from wardround.authoring.assist.facts.met_rules import met_rules
from wardround.authoring.assist.facts.resource_reader import ResourceReader
from wardround.authoring.assist.facts.sources import entries_of
from wardround.authoring.assist.facts.survey import Survey
from wardround.authoring.assist.slots import SlotFiller
from wardround.benchmarks.assist.tools.desk import Desk
from wardround.people.patient.memory import Medication, PatientMemory

DRUG_TOOLS = ("MedicationRequest.search", "MedicationAdministration.search")
CATEGORIES = ("laboratory", "vital-signs")
NAMES = ("hemoglobin", "INR", "potassium", "heart rate", "penguin")


def test_results_of_one_drug_or_test_are_those_of_a_search(filler: SlotFiller) -> None:
    shown = 0
    for candidate in one_in(5, filler.candidates):
        survey = filler.record.patient(candidate, candidate.discharge).survey
        calls = [
            PlannedCall(tool, {"medication": drug})
            for tool in DRUG_TOOLS
            for drug in (*survey.ordered_drugs(), "lisinopril", "penguin")
        ]
        calls += [
            PlannedCall("Observation.search", {"category": category, "code": name, **most})
            for category in CATEGORIES
            for name in NAMES
            for most in ({}, {"_count": 2})
        ]
        for call in calls:
            searched = survey.desk.read(call.tool, survey.arguments(call))
            expected = searched if searched.get("entry") else None
            assert survey.result(call) == expected, call
            shown += expected is not None
    assert shown > 20


def test_a_mixture_with_a_chinese_name_is_one_drug(filler: SlotFiller) -> None:
    names = ("Piperacillin-Tazobactam", "Docusate Sodium / Senna", "Aspirin", "Zosyn")
    orders = [{"resource": {"medicationCodeableConcept": {"text": name}}} for name in names]
    desk = filler.record.patient(filler.candidates[0], filler.candidates[0].discharge).survey.desk
    survey = Survey(desk, {"MedicationRequest.search []": {"entry": orders}})
    assert survey.ordered_drugs() == ["piperacillin + tazobactam", "aspirin"]


def test_a_rule_waits_until_its_drug_was_given_for_some_time(filler: SlotFiller) -> None:
    candidate = filler.candidates[0]
    desk = filler.record.patient(candidate, candidate.discharge).survey.desk
    start = desk.clock - timedelta(hours=80)
    doses = [("completed", 30), ("not-done", 0), ("completed", 8)]
    entries = [
        {"resource": {"status": status, "medicationCodeableConcept": {"text": "Cefepime"},
                      "effectiveDateTime": (start + timedelta(hours=hours)).isoformat()}}
        for status, hours in doses
    ]  # fmt: skip
    found = {"entry": entries, "total": len(entries)}
    call = "MedicationAdministration.search [('medication', 'cefepime')]"
    survey = Survey(desk, {call: found, "MedicationAdministration.search []": None})
    assert survey.hours_given("cefepime") == 72
    assert survey.hours_given("warfarin") == 0
    cefepime = bound("cephalosporin_white_cells", "cefepime")
    course = bound("warfarin_inr", "cefepime")
    early = replace(cefepime, rule=replace(cefepime.rule, given=96))
    assert established([cefepime, early, course], survey) == [cefepime, course]
    at_home = replace(early, by_home_use=True)
    assert established([early, course], survey, home=["cefepime"]) == [at_home, course]


def test_no_rule_is_about_a_drug_that_was_given_twice_within_hours(filler: SlotFiller) -> None:
    found = doubtful = 0
    for candidate in filler.candidates:
        patient = filler.record.patient(candidate, candidate.discharge)
        named = {name for each in patient.rules for name in (each.drug, each.beside)}
        named |= {each.drug for each in (*patient.discrepancies, *patient.taken_drugs)}
        assert named.isdisjoint(patient.doubtful)
        twice = {e for e in named - {""} if patient.survey.is_given_too_often(e)}
        charted = {each.entity.name for each in patient.findings if each.entity.kind == "drug"}
        assert twice.isdisjoint(charted)
        found, doubtful = found + len(named), doubtful + len(patient.doubtful)
    assert found
    assert doubtful


def given_ago(drug: str, hours: Sequence[float], clock: datetime) -> dict[str, Any]:
    """The results of a survey with doses of one drug so many hours ago, and nothing else."""
    entries = [
        {"resource": {"status": "completed", "medicationCodeableConcept": {"text": drug},
                      "effectiveDateTime": (clock - timedelta(hours=ago)).isoformat()}}
        for ago in hours
    ]  # fmt: skip
    found: dict[str, Any] = {f"{tool} [('medication', '{drug}')]": None for tool in DRUG_TOOLS}
    return found | {f"{DRUG_TOOLS[1]} [('medication', '{drug}')]": {"entry": entries}}


def test_no_rule_is_about_a_drug_that_was_not_given_for_days(filler: SlotFiller) -> None:
    desk = filler.record.patient(filler.candidates[0], filler.candidates[0].discharge).survey.desk
    order = {
        "dispenseRequest": {"validityPeriod": {"end": (desk.clock + timedelta(1)).isoformat()}},
        "dosageInstruction": [{"timing": {"code": {"coding": [{"code": "Q6H:PRN"}]}}}],
    }
    as_needed = {f"{DRUG_TOOLS[0]} [('medication', 'warfarin')]": {"entry": [{"resource": order}]}}
    for hours, orders, is_lapsed in (
        ((192, 216, 240), {}, True),
        ((20, 44, 68), {}, False),
        ((), {}, False),
        ((192, 216, 240), as_needed, False),
    ):
        survey = Survey(desk, given_ago("warfarin", hours, desk.clock) | orders)
        assert [*doubtful_drugs(survey, ["warfarin"])] == ["warfarin"] * is_lapsed, hours


def test_a_result_under_doses_of_the_stay_shows_no_use_at_home(filler: SlotFiller) -> None:
    desk = filler.record.patient(filler.candidates[0], filler.candidates[0].discharge).survey.desk
    taken = Medication(drug="Metformin", adherence="good", indication="Diabetes")
    memory = PatientMemory(subject_id=1, medications=(taken,))
    glucose = {"code": {"coding": [{"display": "Glucose"}]}, "valueQuantity": {"value": 270},
               "effectiveDateTime": (desk.clock - timedelta(hours=6)).isoformat()}  # fmt: skip
    results = {
        "Observation.search [('_count', 1000), ('category', 'laboratory')]": {
            "entry": [{"resource": glucose}]
        },
        "Observation.search [('_count', 1000), ('category', 'vital-signs')]": None,
        "DocumentReference.search [('type_code', 'discharge-summary')]": None,
    }
    for hours, is_shown in (((8, 20, 32, 44), True), ((8, 32, 56, 80, 104, 128), False)):
        survey = Survey(desk, given_ago("metformin", hours, desk.clock) | results)
        patient = SurveyedPatient(survey, [], met_rules({"glucose": [270]}), [], memory)
        assert bool(patient.discrepancies) is is_shown
        assert bool(patient.taken_drugs) is is_shown


def survey_of(desk: Desk, courses: Mapping[str, Sequence[float]]) -> Survey:
    """A survey of results twelve hours apart, the latest of six hours ago."""
    entries = [
        {"resource": {"code": {"coding": [{"display": name}]},
                      "valueQuantity": {"value": value},
                      "effectiveDateTime": (desk.clock - timedelta(hours=ago)).isoformat()}}
        for name, course in courses.items()
        for ago, value in zip(range(6, 999, 12), reversed(course), strict=False)
    ]  # fmt: skip
    call = "Observation.search [('_count', 1000), ('category', 'laboratory')]"
    return Survey(desk, {call: {"entry": entries}})


def test_rules_hold_only_by_the_recent_course_of_results(filler: SlotFiller) -> None:
    desk = filler.record.patient(filler.candidates[0], filler.candidates[0].discharge).survey.desk
    replaced, feared = bound("potassium_low"), bound("creatinine_high")
    counted = bound("xa_inhibitor_antiplatelet", "rivaroxaban", "aspirin")
    for test, values, left in (
        ("Potassium", (7.0, 2.9), [feared, counted]),
        ("Potassium", (4.1, 2.9), [replaced, feared, counted]),
        ("Creatinine", (1.6, 1.6), [replaced, feared, counted]),
        ("Creatinine", (1.8, 1.5), [replaced, counted]),
        ("Hemoglobin", (11.4, 9.9), [replaced, feared]),
        ("Hemoglobin", (10.0, 9.9), [replaced, feared, counted]),
    ):
        survey = survey_of(desk, {"Creatinine": (1.6, 1.6), test: values})
        assert supported([replaced, feared, counted], survey) == left, (test, values)


@pytest.mark.parametrize("check", ["supported", "passing_doses", "questioning", "seeking"])
def test_the_rules_of_a_patient_pass_each_check(
    filler: SlotFiller, monkeypatch: pytest.MonkeyPatch, check: str
) -> None:
    candidate = filler.candidates[0]
    assert filler.record.patient(candidate, candidate.discharge).rules
    monkeypatch.setattr(candidate_record, check, lambda *_: [])
    record = CandidateRecord(filler.record.chart, filler.record.database)
    assert not record.patient(candidate, candidate.discharge).rules


def test_nobody_bought_a_drug_that_a_summary_has_an_allergy_to(
    filler: SlotFiller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bought(record: CandidateRecord) -> list[str]:
        patients = (record.patient(each, each.discharge) for each in filler.candidates)
        return [e.rule.beside for each in patients for e in each.discrepancies if e.rule.beside]

    assert bought(filler.record)
    monkeypatch.setattr(Survey, "is_allergic_to", lambda _, drug: bool(drug))
    assert not bought(CandidateRecord(filler.record.chart, filler.record.database))


def test_a_result_that_a_rule_of_a_drug_is_about_presses(filler: SlotFiller) -> None:
    patients = (filler.record.patient(each, each.discharge) for each in filler.candidates)
    patient = replace(next(patients), courses={"sodium": [134, 132]})
    rules = [bound("ssri_sodium_low", "citalopram"), bound("anemia")]
    assert replace(patient, rules=rules[1:]).pressing == frozenset()
    assert replace(patient, rules=rules).pressing == {"sodium"}


def test_a_fall_of_the_hemoglobin_within_three_days_presses(filler: SlotFiller) -> None:
    patient = filler.record.patient(filler.candidates[0], filler.candidates[0].discharge)
    for values, is_pressing in (((14.0, 12.5, 11.9), True), ((13.8, 12.5, 11.9), False)):
        survey = survey_of(patient.survey.desk, {"Hemoglobin": values})
        changed = replace(patient, survey=survey, rules=[], courses={"hemoglobin": values[-1:]})
        assert bool(changed.pressing) is is_pressing


def test_no_rule_is_about_one_of_two_blockers(filler: SlotFiller) -> None:
    drugs = ["lisinopril", "valsartan", "furosemide"]
    assert [blocks_twice(each, drugs) for each in drugs] == [True, True, False]
    candidate = filler.candidates[0]
    survey = filler.record.patient(candidate, candidate.discharge).survey
    assert [*doubtful_drugs(survey, drugs)] == drugs[:2]
    assert [*doubtful_drugs(survey, drugs[1:])] == []


def test_a_vital_sign_of_more_than_a_day_ago_shows_nothing(filler: SlotFiller) -> None:
    desk = filler.record.patient(filler.candidates[0], filler.candidates[0].discharge).survey.desk
    for hours, is_shown in ((20, True), (30, False)):
        entries = [
            {"resource": {
                "id": f"{number}", "resourceType": "Observation",
                "code": {"coding": [{"display": "Heart Rate", "code": "220045"}]},
                "valueQuantity": {"value": 122 - number, "unit": "bpm"},
                "effectiveDateTime": (desk.clock - timedelta(hours=hours + number)).isoformat(),
            }}
            for number in range(2)
        ]  # fmt: skip
        found = {"entry": entries, "total": 2, "resourceType": "Bundle"}
        calls = (("_count", 1000), ("category", "vital-signs")), (
            ("category", "vital-signs"), ("code", "heart rate"))  # fmt: skip
        survey = Survey(desk, {f"Observation.search {list(each)}": found for each in calls})
        assert ("heart rate" in survey.courses()) == is_shown
        assert ("heart rate" in survey.ages()) == is_shown
        shown = [each for each in survey.findings([Entity("test", "heart rate")])
                 if each.entity.name == "heart rate"]  # fmt: skip
        assert bool(shown) == is_shown


@pytest.mark.parametrize(
    ("test", "results", "before", "count"),
    [
        ("Hemoglobin", {0: 10, 20: 11, 44: 12, 90: 13}, 12, 3),
        ("Hemoglobin", {0: 11.4, 20: 12.1, 44: 11.1}, 12.1, 2),
        ("Creatinine", {0: 1.4, 20: 1.6, 44: 1.4}, 1.6, 2),
        ("Hemoglobin", {0: 9.6, 8: 8.6, 20: 9.2}, 8.6, 2),
        ("Creatinine", {0: 10, 20: 11}, 11, 2),
        ("Hemoglobin", {0: 10, 2: 11}, None, 1),
        ("Hemoglobin", {0: 10, 90: 11}, None, 1),
        ("Potassium", {0: 10, 20: 11}, None, 1),
    ],
)
def test_a_result_that_matters_by_its_course_comes_with_one_of_the_days_before(
    test: str, results: Mapping[float, float], before: float | None, count: int
) -> None:
    now = datetime.fromisoformat("2148-04-02T10:00:00-04:00")
    entries = [
        {"resource": {
            "id": f"{number}", "resourceType": "Observation",
            "code": {"coding": [{"display": test}]},
            "valueQuantity": {"value": value, "unit": "g/dL"},
            "referenceRange": [{"low": {"value": 12}, "high": {"value": 17}}],
            "effectiveDateTime": (now - timedelta(hours=ago)).isoformat(),
        }}
        for number, (ago, value) in enumerate(results.items())
    ]  # fmt: skip
    found = {"entry": entries, "total": len(entries)}
    readers = [ResourceReader(found, number, "2148-04-02") for number in range(len(entries))]
    call = PlannedCall("Observation.search", {"code": test})
    first, *_ = measured_findings(test.casefold(), call, readers, "flag")
    told = first.slots["before"].source.value if "before" in first.slots else None
    assert (first.kind, told, first.call.arguments["_count"]) == ("lab_latest", before, count)


def test_nobody_buys_a_drug_that_the_note_has_an_allergy_to(filler: SlotFiller) -> None:
    desk = filler.record.patient(filler.candidates[0], filler.candidates[0].discharge).survey.desk
    call = "DocumentReference.search [('type_code', 'discharge-summary')]"
    for words, drug, is_named in (
        ("NSAIDS (Non-Steroidal Anti-Inflammatory Drug) / Latex", "naproxen", True),
        ("Levofloxacin", "levofloxacin", True),
        ("Penicillins", "naproxen", False),
        ("No Known Allergies / Adverse Drug Reactions", "naproxen", False),
    ):
        text = f"Service: MEDICINE\n \nAllergies: \n{words}\n \nAttending: ___\n"
        note = {"content": [{"attachment": {"data": text}}]}
        survey = Survey(desk, {call: {"entry": [{"resource": note}]}})
        assert survey.is_allergic_to(drug) == is_named
        assert not survey.is_allergic_to("")


def test_a_slow_release_form_is_given_twice_a_day_at_most(filler: SlotFiller) -> None:
    desk = filler.record.patient(filler.candidates[0], filler.candidates[0].discharge).survey.desk
    later = (desk.clock + timedelta(hours=5)).isoformat()
    for name, frequency, is_too_often in (
        ("Diltiazem Extended-Release", "TID", True),
        ("Diltiazem Extended-Release", "DAILY", False),
        ("Diltiazem", "TID", False),
    ):
        order = {
            "medicationCodeableConcept": {"text": name},
            "dispenseRequest": {"validityPeriod": {"end": later}},
            "dosageInstruction": [{"timing": {"code": {"coding": [{"code": frequency}]}}}],
        }
        call = "MedicationRequest.search [('medication', 'diltiazem')]"
        doses = "MedicationAdministration.search [('medication', 'diltiazem')]"
        survey = Survey(desk, {call: {"entry": [{"resource": order}]}, doses: None})
        assert survey.is_given_too_often("diltiazem") == is_too_often


@pytest.mark.parametrize(("value", "is_judged"), [(2.6, False), (3.2, True)])
def test_an_inr_beyond_its_usual_target_is_high(
    filler: SlotFiller, value: float, is_judged: bool
) -> None:
    desk = filler.record.patient(filler.candidates[0], filler.candidates[0].discharge).survey.desk
    entry = {"resource": {"medicationCodeableConcept": {"text": "Warfarin"}}}
    survey = Survey(desk, {"MedicationRequest.search []": {"entry": [entry]}})
    assert (survey._level("laboratory", "inr(pt)", value) == "latest flag") == is_judged


def test_low_magnesium_is_of_no_inhibitor_that_was_begun_in_the_stay(filler: SlotFiller) -> None:
    survey = filler.record.patient(filler.candidates[0], filler.candidates[0].discharge).survey
    inhibitor = bound("ppi_magnesium", "pantoprazole")
    assert established([inhibitor], survey) == []
    [at_home] = established([inhibitor], survey, home=["pantoprazole"])
    assert at_home.by_home_use


@pytest.mark.parametrize(("amount", "is_contrary"), [(1500, True), (250, False)])
def test_nobody_asks_for_an_order_that_a_dose_contradicts(amount: float, is_contrary: bool) -> None:
    quantity = {"doseQuantity": {"value": 250, "unit": "mg"}}
    order = {
        "dosageInstruction": [{"doseAndRate": [quantity]}],
        "dispenseRequest": {"validityPeriod": {"start": "2178-06-21T02:00:00-04:00"}},
    }
    dose = {
        "status": "completed",
        "dosage": {"dose": {"value": amount, "unit": "mg"}},
        "effectiveDateTime": "2178-06-21T02:13:00-04:00",
    }
    earlier = {**dose, "dosage": {"dose": {"value": 900, "unit": "mg"}},
               "effectiveDateTime": "2178-06-20T02:13:00-04:00"}  # fmt: skip
    assert is_contradicted(order, [dose, earlier]) == is_contrary


@pytest.mark.parametrize(
    ("before", "is_unclear"),
    [
        ([("06-20T08:00", "06-21T10:00", "PO")], False),
        ([("06-20T08:00", "06-21T05:00", "PO")], True),
        ([("06-21T02:00", "06-21T05:00", "PO")], False),
        ([("06-21T09:00", "06-21T10:00", "IV"), ("06-20T08:00", "06-21T09:00", "PO")], True),
        ([("06-15T08:00", "06-17T09:00", "PO")], False),
    ],
)
def test_nobody_asks_since_when_an_order_with_gaps_is_unchanged(
    before: list[tuple[str, str, str]], is_unclear: bool
) -> None:
    orders = [
        {
            "dosageInstruction": [{"route": {"coding": [{"code": route}]}}],
            "dispenseRequest": {"validityPeriod": {"start": f"2178-{start}", "end": f"2178-{end}"}},
        }
        for start, end, route in [("06-21T12:00", "06-28T12:00", "PO"), *before]
    ]
    assert is_maybe_broken(orders) == is_unclear


def test_orders_that_findings_tell_go_on_until_the_discharge(filler: SlotFiller) -> None:
    told = {True: 0, False: 0}
    for candidate in filler.candidates:
        for time in (candidate.ward_round or candidate.discharge, candidate.discharge):
            patient = filler.record.patient(candidate, time)
            orders = [each for each in patient.findings if each.kind == "order"]
            clock = patient.survey.desk.clock
            for each in orders:
                newest = entries_of(patient.survey.result(each.call))[0]
                is_over = time == candidate.discharge
                assert is_in_force(newest, clock) != is_over
                assert not is_single_dose(newest)
                told[is_over] += 1
    assert all(told.values())


def test_nobody_asks_for_an_order_of_a_single_dose() -> None:
    once, daily = (
        {"dosageInstruction": [{"timing": {"code": {"coding": [{"code": code}]}}}]}
        for code in ("ONCE", "DAILY")
    )
    assert [is_single_dose(each) for each in (once, daily)] == [True, False]


@pytest.mark.parametrize(("stays", "is_told"), [("aa", True), ("ab", False)])
def test_diagnoses_of_an_earlier_stay_need_no_id_that_nothing_tells(
    filler: SlotFiller, stays: str, is_told: bool
) -> None:
    desk = filler.record.patient(filler.candidates[0], filler.candidates[0].discharge).survey.desk
    code = {"code": "I4891", "display": "Unspecified atrial fibrillation"}
    entries = [
        {"resource": {"resourceType": "Condition", "id": f"{number}", "code": {"coding": [code]},
                      "encounter": {"reference": f"Encounter/{stay}"}}}
        for number, stay in enumerate(stays)
    ]  # fmt: skip
    found = {"entry": entries, "total": len(entries)}
    known = {"Condition.search []": None, "Condition.search [('hadm_id', None)]": found}
    told = [each for each in Survey(desk, known).findings(()) if each.kind == "past_diagnosis"]
    assert bool(told) == is_told
    assert all("hadm_id" not in Survey(desk).arguments(each.call) for each in told)
