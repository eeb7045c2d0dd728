"""Provider order entries of a stay."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from wardround.ehr.hospital.layouts.prescriptions import Prescription
from wardround.ehr.hospital.patient_record import Visit
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.staff import prescriber

_IMAGING = {
    "chest_ct": "CT Scan",
    "head_ct": "CT Scan",
    "abdominal_ct": "CT Scan",
    "brain_mri": "MRI",
    "abdominal_ultrasound": "Ultrasound",
    "kidney_ultrasound": "Ultrasound",
    "leg_doppler": "Ultrasound",
}
_TUBES = {
    "bladder_catheter": "Indwelling urinary catheter (IUC) - Foley",
    "chest_tube": "Chest tube",
}
_CODE_STATUS = {
    "Full code": "Full code  (attempt resuscitation)",
    "DNR / DNI": "Do not resuscitate (DNR/DNI)",
    "Comfort measures only": "Comfort measures only",
}
_SERVICES = {"MED": "Medicine", "SURG": "Surgery", "CMED": "Cardiology NP", "NMED": "Neuromed"}


@dataclass(frozen=True)
class Entry:
    """One order entry: type, provider and details."""

    time: datetime
    kind: str
    subtype: str | None
    transaction: str
    provider: str
    details: tuple[tuple[str, str], ...] = ()
    prescription: Prescription | None = None


def of_visit(visit: Visit, items: list[Prescription]) -> Iterator[Entry]:
    """All entries of a stay, by kind."""
    draw = visit.stay.draw("entries")
    yield from _admitting(draw, visit)
    yield from _medication(draw, visit, items)
    yield from _tests(draw, visit)
    yield from _care(draw, visit)


def _admitting(draw: RandomStream, visit: Visit) -> Iterator[Entry]:
    stay = visit.stay
    doctor = prescriber(draw, stay)
    observed = "observation" in visit.demographics.kind
    category = "Place in observation" if observed else "Admit to inpatient"
    first = visit.services[0].current
    details = (("Admit category", category), ("Admit to", _SERVICES.get(first, first)))
    yield Entry(stay.admitted, "ADT orders", "Admit", "New", doctor, details)
    for service in visit.services[1:]:
        to = (("Transfer to", _SERVICES.get(service.current, service.current)),)
        yield Entry(service.time, "ADT orders", "Transfer", "New", doctor, to)
    if not stay.open and not stay.died:
        details = (("Discharge When", "Discharge Now"), ("Discharge Planning", "Finalized"))
        time = max(stay.admitted, stay.end - timedelta(minutes=draw.whole(60, 300)))
        yield Entry(time, "ADT orders", "Discharge", "New", doctor, details)


def _medication(draw: RandomStream, visit: Visit, items: list[Prescription]) -> Iterator[Entry]:
    """Each order some minutes before its first dose, and an entry for each early stop."""
    stay = visit.stay
    for item in items:
        doctor = prescriber(draw, stay)
        time = max(stay.admitted, item.main.start - timedelta(minutes=draw.whole(5, 55)))
        kind = "TPN" if item.main.name.startswith("amino acids") else "Medications"
        yield Entry(time, kind, None, "New", doctor, prescription=item)
        stop = item.main.stop
        if stop and time < stop < stay.end and item.main.frequency != "ONCE":
            yield Entry(stop, kind, None, "D/C", doctor, prescription=item)


def _tests(draw: RandomStream, visit: Visit) -> Iterator[Entry]:
    stay = visit.stay
    sample_times = sorted(
        {result.time for result in visit.results} | {item.time for item in visit.cultures}
    )
    for time in sample_times:
        ordered = max(stay.admitted, time - timedelta(minutes=draw.whole(20, 400)))
        yield Entry(ordered, "Lab", None, "New", prescriber(draw, stay))
    for procedure, time in visit.done:
        if procedure.name in _IMAGING:
            ordered = max(stay.admitted, time - timedelta(minutes=draw.whole(20, 200)))
            subtype = _IMAGING[procedure.name]
            yield Entry(ordered, "Radiology", subtype, "New", prescriber(draw, stay))
        elif procedure.name == "hemodialysis":
            yield Entry(time, "Hemodialysis", None, "New", prescriber(draw, stay))
    for time in stay.transfusions:
        details = (("Indication", "Blood products- Red cells"),)
        yield Entry(time, "Blood Bank", None, "New", prescriber(draw, stay), details)


def _care(draw: RandomStream, visit: Visit) -> Iterator[Entry]:
    stay = visit.stay
    doctor = prescriber(draw, stay)
    yield Entry(stay.admitted, "Nutrition", "Diet Order", "New", doctor)
    yield Entry(stay.admitted, "General Care", "Vitals/Monitoring", "New", doctor)
    yield Entry(stay.admitted, "General Care", "Activity", "New", doctor)
    for time, status in visit.code_status:
        details = (("Code status", _CODE_STATUS[status]),)
        yield Entry(time, "General Care", "Code status", "New", doctor, details)
    for device in visit.devices:
        if device.name in _TUBES:
            details = (("Tubes & Drains type", _TUBES[device.name]),)
            yield Entry(device.start, "General Care", "Tubes & Drains", "New", doctor, details)
        elif device.kind == "ventilation":
            yield Entry(device.start, "Respiratory", "Mechanical Ventilation", "New", doctor)
