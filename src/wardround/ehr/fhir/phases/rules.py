"""The rules of the clock for each resource type: known times, ends, and planned times.

Dots lead into elements; lists are not entered.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# The elements that say since when a resource is known; the first that has a value counts.
# Types that are not listed wait for their encounter's end.
KNOWN: Mapping[str, tuple[str, ...]] = {
    "AllergyIntolerance": ("recordedDate",),
    "CarePlan": ("created", "period.start"),
    "Condition": ("recordedDate",),
    "DiagnosticReport": ("issued", "effectiveDateTime", "effectivePeriod.end"),
    "DocumentReference": ("date",),
    "Encounter": ("period.start",),
    "Flag": ("period.start",),
    "MedicationAdministration": ("effectiveDateTime", "effectivePeriod.start"),
    "MedicationDispense": ("whenPrepared", "whenHandedOver"),
    "MedicationRequest": ("authoredOn",),
    "MedicationStatement": ("dateAsserted", "effectiveDateTime", "effectivePeriod.start"),
    "Observation": (
        *("issued", "effectiveDateTime", "effectiveInstant"),
        *("effectivePeriod.end", "effectivePeriod.start"),
    ),
    "Patient": ("birthDate",),
    "Procedure": ("performedDateTime", "performedPeriod.start"),
    "ServiceRequest": ("authoredOn",),
    "Specimen": ("collection.collectedDateTime", "collection.collectedPeriod.start"),
}
# Types that are not part of a patient's record.
TIMELESS = ("Location", "Medication", "Organization", "Practitioner")
# Billing writes codes of these systems after the stay, whatever day they are about.
BILLING_TYPE, BILLING_SYSTEM = "Procedure", "icd"
# Types whose known time MIMIC has as a day, which its FHIR form writes as midnight.
MIDNIGHT_IS_A_DAY = ("DiagnosticReport", "DocumentReference", "Procedure")


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of an activity, and the resource until then.

    Attributes:
        time: the element with the end.
        element: the element that says that it is over.
        until: its value until the end.
        hidden: elements that are known from the end only.
        with_stay: True if it ends with its encounter where it has no end of its own.
    """

    time: str
    element: str = "status"
    until: Any = "active"
    hidden: tuple[str, ...] = ()
    with_stay: bool = False


_CLINICAL = "http://terminology.hl7.org/CodeSystem/condition-clinical"
ENDINGS: Mapping[str, Ending] = {
    "CarePlan": Ending("period.end"),
    "Condition": Ending(
        "abatementDateTime",
        "clinicalStatus",
        {"coding": [{"system": _CLINICAL, "code": "active"}]},
    ),
    "Encounter": Ending(
        "period.end",
        until="in-progress",
        hidden=(
            "hospitalization.dischargeDisposition",
            "hospitalization.destination",
            "length",
            "diagnosis",
        ),
    ),
    "Flag": Ending("period.end"),
    # The dose is the amount of the whole infusion; its rate is known while it runs.
    "MedicationAdministration": Ending(
        "effectivePeriod.end", until="in-progress", hidden=("dosage.dose",)
    ),
    "MedicationRequest": Ending(
        "dispenseRequest.validityPeriod.end", hidden=("statusReason",), with_stay=True
    ),
    "MedicationStatement": Ending("effectivePeriod.end"),
    "Patient": Ending("deceasedDateTime", "", hidden=("deceasedBoolean",), with_stay=True),
    "Procedure": Ending("performedPeriod.end", until="in-progress", hidden=("outcome",)),
    "ServiceRequest": Ending("", with_stay=True),
}
# Statuses that an activity has only when it is over; any of them is replaced until the end.
OVER = ("finished", "completed", "stopped", "cancelled", "revoked", "inactive", "ended")
# Elements whose times may lie ahead: a plan is known when it is made, a value when it is recorded.
PLANNED: Mapping[str, tuple[str, ...]] = {
    "CarePlan": ("scheduledPeriod", "scheduledTiming"),
    "MedicationRequest": ("timing",),
    "Observation": ("valueDateTime", "valuePeriod"),
    "ServiceRequest": ("occurrenceDateTime", "occurrencePeriod", "occurrenceTiming"),
}
# A day, month or year in these is known at its end, elsewhere at its beginning.
ENDS = ("end", "deceasedDateTime", "abatementDateTime")
# An entry of a list with one of these in the future is left out as a whole.
BEGINNINGS = ("period.start", "time", "date", "timeDateTime", "onset")
# Texts, which may look like dates; and the data about the resource itself.
NO_TIMES = ("meta", "text", "div", "value", "valueString", "code", "display", "title", "id", "url")
