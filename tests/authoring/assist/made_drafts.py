"""Findings and drafts of turns made by hand, for tests."""

from wardround.authoring.assist.facts.findings import Entity, Finding, PlannedCall, Slot, Wording
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.facts.sources import Quoted, Recorded
from wardround.ehr.terms.clinical_rules import clinical_rule

WARFARIN, INR = Entity("drug", "warfarin"), Entity("test", "inr(pt)")


def recorded(wording: Wording, value: float | str, path: str = "x") -> Slot:
    """A value of a resource."""
    return Slot(wording, Recorded(0, 0, "Observation/1", path, value))


def lab(test: str, value: float, kind: str = "lab_latest") -> Finding:
    """The latest value of a test."""
    call = PlannedCall("Observation.search", {"category": "laboratory", "code": test})
    slots = {
        "test": recorded("test", test),
        "value": recorded("number", value),
        "unit": recorded("unit", "mg/dL"),
        "day": recorded("day", "2148-03-30"),
        "flag": recorded("flag", "high"),
        "first": recorded("number", value),
    }
    return Finding(kind, Entity("test", test), call, slots)


def order(drug: str, frequency: str = "BID", route: str = "PO") -> Finding:
    """The current order of a drug."""
    call = PlannedCall("MedicationRequest.search", {"medication": drug})
    slots = {
        "drug": Slot("drug", Quoted(0, 0, "MedicationRequest/1", "x", drug, drug)),
        "dose": recorded("dose", "5 mg"),
        "route": recorded("route", route),
        "day": recorded("day", "2148-03-28"),
        "ago": recorded("ago", 2),
        "frequency": recorded("frequency", frequency),
    }
    return Finding("order", Entity("drug", drug), call, slots)


def told(drug: str, state: str = "never_filled") -> Finding:
    """The finding of the patient's words about a drug."""
    call = PlannedCall("patient.get_medication_adherence", {"drug": drug})
    slots = {"drug": recorded("drug", drug), "state": recorded("text", state),
             "taking": recorded("words", "not taking"),
             "indication": recorded("diagnosis", "atrial fibrillation")}  # fmt: skip
    return Finding("adherence", Entity("drug", drug), call, slots)


def bound(name: str, drug: str = "", beside: str = "", *, is_told: bool = False) -> BoundRule:
    """A packaged rule with its drugs."""
    return BoundRule(clinical_rule(name), drug, beside, is_told)
