"""Tests of surveys: the result of a call is the one that the tool gives."""

from wardround.authoring.assist.facts.findings import PlannedCall
from wardround.authoring.assist.facts.survey import Survey
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


def test_a_mixture_with_a_chinese_name_is_one_drug(filler: SlotFiller) -> None:
    names = ("Piperacillin-Tazobactam", "Docusate Sodium / Senna", "Aspirin", "Zosyn")
    orders = [{"resource": {"medicationCodeableConcept": {"text": name}}} for name in names]
    desk = filler.record.patient(filler.candidates[0], filler.candidates[0].discharge).survey.desk
    survey = Survey(desk, {"MedicationRequest.search []": {"entry": orders}})
    assert survey.ordered_drugs() == ["piperacillin + tazobactam", "aspirin"]
