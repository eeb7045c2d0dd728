"""Tools that read: shapes, order and limits; the published faults are in paper shapes alone."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from tests.benchmarks.assist.tools.small_chart import (
    AFTER,
    ANN,
    BEFORE,
    BOB,
    BOBS,
    LONG,
    NOW,
    Ward,
    resources_of,
)
from wardround.benchmarks.assist.tools.compaction import compact
from wardround.benchmarks.assist.tools.results import bundle

LABS: dict[str, Any] = {"category": "laboratory"}
POTASSIUM = {**LABS, "code": "Potassium"}
ALL = [4.1, 4.8, 1.4, 13.1, 12.0, 31.0, 1.0, 5.9, 4.4]


def drug_names(result: dict[str, Any]) -> list[str]:
    return [each["medicationCodeableConcept"]["text"] for each in resources_of(result)]


def test_results_are_bundles_and_nothing_is_an_outcome(strict: Ward) -> None:
    patient = strict.call("Patient.read")
    assert (patient["resourceType"], patient["type"], patient["total"]) == (
        "Bundle", "searchset", 1,
    )  # fmt: skip
    assert patient["_fhir_resource_type"] == "Patient"
    assert patient["entry"][0]["resource"]["_anchor_age"] == 70
    nothing = strict.call("Observation.search", code="ferritin")
    assert nothing["resourceType"] == "OperationOutcome"
    assert strict.call("CarePlan.search", hadm_id=BEFORE, category="followup")["total"] == 1


def test_a_published_patient_is_no_bundle_and_has_no_day_of_birth(paper: Ward) -> None:
    patient = paper.call("Patient.read")
    assert patient.keys() == {"resourceType", "id", "identifier", "gender", "_anchor_age"}
    assert (patient["resourceType"], patient["_anchor_age"]) == ("Patient", 70)


def test_published_outcomes_plans_stays_and_diagnoses(paper: Ward) -> None:
    nothing = paper.call("DiagnosticReport.search", report_type="MRI")
    assert nothing["issue"][0].keys() == {"severity", "diagnostics"}
    plans = resources_of(paper.call("CarePlan.search", category="treatment"))
    assert [each["note"] for each in plans] == [
        [{"text": "1. Furosemide 40 mg PO DAILY"}], [{"text": "1. Furosemide 20 mg PO DAILY"}],
    ]  # fmt: skip
    assert not any("description" in each for each in plans)
    assert "Furosemide 40 mg" in compact(paper.call("CarePlan.search", type="treatment"), "paper")
    assert paper.call("CarePlan.search", hadm_id=999)["total"] == 0
    [stay] = resources_of(paper.call("Encounter.search", hadm_id=NOW))
    assert (stay["status"], stay["class"]) == ("finished", {"code": "IMP"})
    assert stay.keys() == {
        "resourceType", "id", "identifier", "subject", "period", "status", "class", "_mimic",
    }  # fmt: skip
    assert {"insurance", "race", "hospital_expire_flag"} <= stay["_mimic"].keys()
    diagnoses = resources_of(paper.call("Condition.search"))
    codes = {each["clinicalStatus"]["coding"][0]["code"] for each in diagnoses}
    assert codes == {"active"}


@pytest.mark.parametrize(
    ("tool", "part", "drugs"),
    [
        ("MedicationRequest.search", "semi", ["Furosemide", "Furosemide"]),
        ("MedicationAdministration.search", "RFAR", ["Warfarin"]),
        ("MedicationRequest.search", "Lasix", []),
    ],
)
def test_published_drugs_are_found_by_any_part_of_their_name(
    strict: Ward, paper: Ward, tool: str, part: str, drugs: list[str]
) -> None:
    assert drug_names(paper.call(tool, medication=part)) == drugs
    assert drug_names(strict.call(tool, medication=part)) != drugs


def test_published_tests_are_found_by_any_part_of_their_label(strict: Ward, paper: Ward) -> None:
    assert paper.values("Observation.search", code="tassi") == [4.8, 5.9, 4.4]
    assert strict.values("Observation.search", code="tassi") == []
    line = compact(paper.call("Observation.search", code="tassi", _count=1), "paper")
    assert line == "Observation: 1\nPotassium: 4.8 mEq/L @ 2150-07-03T09:00:00-04:00"


def bobs(ward: Ward, tool: str, **arguments: Any) -> dict[str, Any]:
    """The result of a call at a desk on Bob's session."""
    desk = replace(ward.desk, subject_id=BOB, hadm_id=BOBS)
    result: dict[str, Any] = asyncio.run(desk.call(tool, {"subject_id": BOB, **arguments}))
    return result


def test_positive_cultures_show_their_organisms_and_these_their_antibiotics(strict: Ward) -> None:
    found = bobs(strict, "Observation.search", category="microbiology")
    values = {each["code"]["coding"][0]["display"]: each for each in resources_of(found)}
    assert values["Blood Culture, Routine"]["valueString"] == "ESCHERICHIA COLI, YEAST"
    assert (
        values["ESCHERICHIA COLI"]["valueString"] == "AMPICILLIN Resistant, GENTAMICIN Susceptible"
    )
    text = compact(found, "strict")
    assert "Blood Culture, Routine: ESCHERICHIA COLI, YEAST @ " in text
    assert "no value" not in text
    [report] = resources_of(bobs(strict, "DiagnosticReport.search", report_type="microbiology"))
    assert "ESCHERICHIA COLI, YEAST" in report["conclusion"]


def test_withheld_doses_are_shown_as_not_given(strict: Ward, paper: Ward) -> None:
    for ward in (strict, paper):
        found = bobs(ward, "MedicationAdministration.search")
        events = [(each["status"], each["_event_txt"]) for each in resources_of(found)]
        assert events == [
            ("not-done", "Not Given per Sliding Scale"), ("completed", "Administered"),
            ("not-done", "Hold Dose"), ("not-done", "Not Given"),
        ]  # fmt: skip
    lines = compact(bobs(strict, "MedicationAdministration.search"), "strict").splitlines()
    assert lines[1].startswith("Metoprolol Tartrate: not given (Not Given per Sliding Scale) @ ")
    assert lines[2].startswith("Metoprolol Tartrate: 25 mg (Administered) @ ")
    assert lines[3].startswith("Sodium Chloride Flush: not given (Hold Dose) @ ")


def test_stays_are_newest_first_without_their_parts(strict: Ward) -> None:
    stays = resources_of(strict.call("Encounter.search"))
    assert [each["identifier"][0]["value"] for each in stays] == [str(NOW), str(BEFORE)]
    assert stays[0]["_mimic"]["discharge_location"] == "HOME"
    assert stays[0]["_mimic"]["hospital_expire_flag"] == 0
    assert len(resources_of(strict.call("Encounter.search", hadm_id=BEFORE))) == 1


def test_diagnoses_have_their_rank_and_count_as_active(strict: Ward) -> None:
    found = resources_of(strict.call("Condition.search", hadm_id=NOW, clinical_status="active"))
    assert [each["_seq_num"] for each in found] == [1, 2]
    for name in ("I50", "i50.2", "heart failure", "CHF", "心衰"):
        assert len(resources_of(strict.call("Condition.search", code=name))) == 1
    assert resources_of(strict.call("Condition.search", clinical_status="resolved")) == []


def test_diagnoses_of_all_stays_say_of_which_they_are(strict: Ward, paper: Ward) -> None:
    every, one = (strict.call("Condition.search", **stay) for stay in ({}, {"hadm_id": NOW}))
    assert all(", stay from 21" in line for line in compact(every, "strict").splitlines()[1:])
    assert "stay from" not in compact(one, "strict")
    assert "stay from" not in compact(paper.call("Condition.search", hadm_id=NOW), "paper")


def test_observations_are_newest_first_and_limited(strict: Ward) -> None:
    assert strict.values("Observation.search", **POTASSIUM) == [4.1, 4.8, 5.9, 4.4]
    assert strict.values("Observation.search", **POTASSIUM, _count=2) == [4.1, 4.8]
    assert strict.call("Observation.search", **POTASSIUM, _count=2)["_left_out"] == 2
    between = {"date_from": "2150-07-01", "date_to": "2150-07-03"}
    assert strict.values("Observation.search", **POTASSIUM, **between) == [4.8, 5.9]
    assert strict.values("Observation.search", **POTASSIUM, hadm_id=BEFORE) == [4.4]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("wbc", [13.1]),
        ("白细胞", [13.1]),
        ("血钾", [4.1, 4.8, 5.9, 4.4]),
        ("K", [4.1, 4.8, 5.9, 4.4]),
        ("PT", [12.0]),
        ("creat", [1.4]),
        ("HR", [96, 110]),
        ("心率", [96, 110]),
    ],
)
def test_tests_are_known_by_other_names(strict: Ward, name: str, values: list[float]) -> None:
    assert strict.values("Observation.search", code=name) == values


def test_an_unknown_test_finds_nothing_but_as_published_everything(
    strict: Ward, paper: Ward
) -> None:
    assert strict.values("Observation.search", **LABS, code="ferritin") == []
    assert len(paper.values("Observation.search", **LABS, code="ferritin")) == len(ALL) - 1


@pytest.mark.parametrize("name", ["creatinine", "creat"])
def test_a_test_that_only_another_patient_has_finds_nothing(
    strict: Ward, paper: Ward, name: str
) -> None:
    for ward in (strict, paper):
        assert resources_of(bobs(ward, "Observation.search", **LABS, code=name)) == []


def test_a_test_of_another_time_finds_nothing(strict: Ward, paper: Ward) -> None:
    later = {**LABS, "code": "creatinine", "date_from": "2150-07-03", "date_to": "2150-07-05"}
    for ward in (strict, paper):
        assert ward.values("Observation.search", **later) == []


def test_cultures_are_found_by_their_codes_but_as_published_by_a_syllable(
    strict: Ward, paper: Ward
) -> None:
    assert strict.values("Observation.search", category="microbiology") == ["NO GROWTH."] * 2
    assert paper.values("Observation.search", category="microbiology") == [1.0]
    assert sorted(strict.values("Observation.search", **LABS)) == sorted(ALL)


def test_vital_signs_keep_to_stay_and_dates_but_not_as_published(strict: Ward, paper: Ward) -> None:
    vitals = {"category": "vital-signs", "hadm_id": BEFORE, "date_from": "2150-07-01T11:30"}
    assert strict.values("Observation.search", **vitals) == []
    assert paper.values("Observation.search", **vitals) == [96, 110]
    assert strict.values("Observation.search", category="vital-signs", date_to="2149-12-31") == [
        None
    ]


def test_nothing_after_the_clock_is_seen_but_as_published_with_an_end(
    strict: Ward, paper: Ward
) -> None:
    later = {**POTASSIUM, "date_to": "2150-12-31"}
    assert 6.6 not in strict.values("Observation.search", **later)
    assert paper.values("Observation.search", **later) == [6.6, 4.1, 4.8, 5.9, 4.4]
    assert paper.values("Observation.search", **POTASSIUM) == [4.8, 5.9, 4.4]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("MedicationRequest.search", {"medication": "Digoxin"}),
        ("DiagnosticReport.search", {"report_type": "ULTRASOUND"}),
        ("DocumentReference.search", {"keyword": "gallstones"}),
        ("Encounter.search", {"hadm_id": AFTER}),
    ],
)
def test_other_reads_see_nothing_after_the_clock_but_as_published(
    strict: Ward, paper: Ward, tool: str, arguments: dict[str, Any]
) -> None:
    assert resources_of(strict.call(tool, **arguments)) == []
    assert len(resources_of(paper.call(tool, **arguments))) == 1


def test_orders_are_newest_first_with_dose_route_and_frequency(strict: Ward) -> None:
    found = strict.call("MedicationRequest.search")
    assert drug_names(found) == ["Warfarin", "Furosemide", "Furosemide"]
    texts = [each["dosageInstruction"][0]["text"] for each in resources_of(found)]
    assert texts == ["5 mg PO DAILY", "40 mg IV BID", "20 mg PO DAILY"]


@pytest.mark.parametrize("name", ["furo", "Lasix", "速尿", "呋塞米"])
def test_drugs_are_known_by_other_names(strict: Ward, name: str) -> None:
    assert drug_names(strict.call("MedicationRequest.search", medication=name)) == [
        "Furosemide", "Furosemide",
    ]  # fmt: skip
    assert drug_names(strict.call("MedicationAdministration.search", medication=name)) == [
        "Furosemide"
    ]


def test_the_status_of_an_order_is_derived_from_its_times_as_published(paper: Ward) -> None:
    completed = paper.call("MedicationRequest.search", status="completed", hadm_id=NOW)
    assert drug_names(completed) == ["Furosemide"]


def test_doses_have_their_drug_and_event(strict: Ward) -> None:
    found = strict.call("MedicationAdministration.search", hadm_id=NOW)
    assert drug_names(found) == ["Warfarin", "Furosemide"]
    assert {each["_event_txt"] for each in resources_of(found)} == {"Administered"}


def test_reports_are_limited_and_their_data_plain(strict: Ward) -> None:
    every = strict.call("DiagnosticReport.search")
    kinds = [each["category"][0]["coding"][0]["code"] for each in resources_of(every)]
    assert (kinds.count("RAD"), kinds.count("MB"), every["_left_out"]) == (5, 1, 1)
    [scan] = resources_of(strict.call("DiagnosticReport.search", report_type="CT"))
    assert "No bleeding" in scan["presentedForm"][0]["data"]
    assert len(resources_of(strict.call("DiagnosticReport.search", report_type="CXR"))) == 5
    [culture] = resources_of(strict.call("DiagnosticReport.search", report_type="微生物"))
    assert culture["conclusion"].count("NO GROWTH") == 2


def test_notes_are_cut_off_and_found_by_keyword(strict: Ward, paper: Ward) -> None:
    note = {"type_code": "discharge-summary", "keyword": "furosemide 40"}
    [found] = resources_of(strict.call("DocumentReference.search", **note))
    text = found["content"][0]["attachment"]["data"]
    assert "Furosemide 40 mg" in text
    assert len(text) <= 4_000
    [published] = resources_of(paper.call("DocumentReference.search", **note))
    assert published["content"][0]["attachment"]["data"].strip().startswith("Brief")
    assert len(LONG) > 4_000
    assert resources_of(strict.call("DocumentReference.search", keyword="unicorn")) == []


def test_plans_are_sections_of_summaries(strict: Ward) -> None:
    plans = resources_of(strict.call("CarePlan.search", category="treatment"))
    assert [each["description"] for each in plans] == [
        "1. Furosemide 40 mg PO DAILY", "1. Furosemide 20 mg PO DAILY",
    ]  # fmt: skip


@pytest.mark.parametrize("tool", ["Observation.search", "Condition.search", "CarePlan.search"])
def test_the_stay_of_another_patient_is_not_found(strict: Ward, tool: str) -> None:
    result = strict.call(tool, hadm_id=BOBS)
    assert f"no stay with the hadm_id {BOBS}" in result["issue"][0]["diagnostics"]


def test_agents_read_lines(strict: Ward, paper: Ward) -> None:
    lines = compact(strict.call("Observation.search", **POTASSIUM, _count=1), "strict")
    assert lines == (
        "Observation: 1\nPotassium: 4.1 mEq/L [3.5-5.1] @ 2150-07-05T09:00:00-04:00\n"
        "(3 more are not shown)"
    )
    assert len(compact(paper.call("DiagnosticReport.search"), "paper")) <= 4_100
    assert compact(strict.call("Encounter.search", hadm_id=NOW), "strict").startswith(
        f"Encounter: 1\nhadm_id {NOW}: 2150-07-01T08:00:00-04:00 to "
    )
    assert str(ANN) in compact(strict.call("Patient.read"), "strict")
    infusion = {
        "resourceType": "MedicationAdministration",
        "medicationCodeableConcept": {"text": "Norepinephrine"},
        "dosage": {"rateQuantity": {"value": 0.2, "unit": "mcg/kg/min"}},
        "effectivePeriod": {"start": "2150-07-01T08:00:00-04:00"},
        "_event_txt": "Continuous Med",
    }
    assert compact(bundle("MedicationAdministration", [infusion]), "strict").endswith(
        "Norepinephrine: at 0.2 mcg/kg/min (Continuous Med) @ 2150-07-01T08:00:00-04:00"
    )
