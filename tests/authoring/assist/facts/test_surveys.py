"""Tests of surveys: the result of a call is the one that the tool gives."""

from wardround.authoring.assist.facts.findings import PlannedCall
from wardround.authoring.assist.slots import SlotFiller

DRUG_TOOLS = ("MedicationRequest.search", "MedicationAdministration.search")
CATEGORIES = ("laboratory", "vital-signs")
NAMES = ("hemoglobin", "INR", "potassium", "heart rate", "penguin")


def test_results_of_one_drug_or_test_are_those_of_a_search(filler: SlotFiller) -> None:
    shown = 0
    for candidate in filler.candidates:
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
