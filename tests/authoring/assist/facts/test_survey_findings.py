"""A survey finds nothing that its results leave open: doses, diagnoses, visits and words."""

from collections.abc import Sequence
from typing import Any

import pytest

from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.facts.survey import Survey
from wardround.authoring.assist.slots import SlotFiller

GIVEN = "MedicationAdministration.search"


def survey(
    filler: SlotFiller, found: dict[str, Sequence[dict[str, Any]]], total: int | None = None
) -> Survey:
    """The survey of a patient with some resources as the results of its calls."""
    desk = filler.record.patient(filler.candidates[0], filler.candidates[0].discharge).survey.desk
    results = {
        call: {
            "entry": [{"resource": {"id": f"{n}", **each}} for n, each in enumerate(resources)],
            "total": total or len(resources),
        }
        for call, resources in found.items()
    }
    return Survey(desk, dict(results))


def kinds(findings: Sequence[Finding]) -> list[str]:
    """The kinds of some findings."""
    return [each.kind for each in findings]


def dose(drug: str, status: str = "completed") -> dict[str, Any]:
    """A dose of a drug."""
    amount = {"dose": {"value": 5, "unit": "mg"}, "route": {"coding": [{"code": "PO"}]}}
    return {
        "status": status,
        "medicationCodeableConcept": {"text": drug},
        "dosage": amount,
        "effectiveDateTime": "2148-04-01T08:00:00-04:00",
    }


@pytest.mark.parametrize(
    ("statuses", "total", "expected"),
    [
        (["completed", "completed"], 2, ["given", "first_given"]),
        (["completed", "completed"], 3, ["given"]),
        (["not-done", "completed", "completed"], 3, ["first_given"]),
        (["completed", "not-done"], 2, ["given"]),
    ],
)
def test_the_last_and_the_first_dose_are_those_that_were_given(
    filler: SlotFiller, statuses: Sequence[str], total: int, expected: list[str]
) -> None:
    doses = [dose("Warfarin", status) for status in statuses]
    calls = (f"{GIVEN} []", f"{GIVEN} [('medication', 'warfarin')]")
    found = survey(filler, dict.fromkeys(calls, doses), total)
    assert kinds([*found._given({"warfarin"})]) == expected


def test_a_flush_of_a_line_is_no_dose_of_its_drug(filler: SlotFiller) -> None:
    calls = (f"{GIVEN} []", f"{GIVEN} [('medication', 'heparin')]")
    for name, expected in (("Heparin", ["given", "first_given"]), ("Heparin Flush", [])):
        doses = [dose("Heparin"), dose(name)]
        found = survey(filler, dict.fromkeys(calls, doses))
        assert kinds([*found._given({"heparin"})]) == expected


def condition(code: str, title: str) -> dict[str, Any]:
    """A diagnosis of the stay."""
    return {"resourceType": "Condition", "code": {"coding": [{"code": code, "display": title}]}}


FIBRILLATION = condition("I4891", "Unspecified atrial fibrillation")


@pytest.mark.parametrize(
    ("conditions", "total", "has_codes"),
    [
        ([FIBRILLATION, condition("I10", "Hypertension")], 2, True),
        ([FIBRILLATION, condition("I10", "Hypertension")], 3, False),
        ([FIBRILLATION, condition("", "Hypertension")], 2, False),
    ],
)
def test_a_score_of_diagnoses_is_told_the_codes_of_all(
    filler: SlotFiller, conditions: Sequence[dict[str, Any]], total: int, has_codes: bool
) -> None:
    [found] = survey(filler, {"Condition.search []": conditions}, total)._diagnosis()
    assert ("codes" in found.slots) == has_codes


def test_a_diagnosis_whose_words_say_less_than_its_code_is_not_asked_for(
    filler: SlotFiller,
) -> None:
    long = condition("I130", "Hypertensive heart and chronic kidney disease with heart failure")
    assert kinds([*survey(filler, {"Condition.search []": [FIBRILLATION]})._diagnosis()])
    assert not kinds([*survey(filler, {"Condition.search []": [long]})._diagnosis()])


def test_the_next_visit_is_the_earliest(filler: SlotFiller) -> None:
    visits = {"description": "Cardiology: 2190-05-01\nUrology: 2190-04-20"}
    call = "CarePlan.search [('category', 'followup')]"
    [found] = survey(filler, {call: [visits]})._plans()
    assert found.slots["day"].source.value == "2190-04-20"
    assert found.slots["clinic"].source.value == "Urology"


def test_what_has_no_words_in_both_languages_is_not_asked_for(filler: SlotFiller) -> None:
    call = "CarePlan.search [('category', 'followup')]"
    for clinic, is_told in (("Cardiology Clinic", True), ("Penguin Clinic", False)):
        visit = {"description": f"{clinic}: 2190-05-01"}
        found = survey(filler, {call: [visit]}).findings(())
        assert ("followup" in kinds(found)) == is_told
