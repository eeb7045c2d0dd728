"""MIMIC-IV's medication tables: poe, pharmacy, prescriptions and emar."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from wardround.ehr.hospital.layouts.administration import Dose, doses
from wardround.ehr.hospital.layouts.layout import Numbers, TableRow, Value, named_row
from wardround.ehr.hospital.layouts.prescriptions import Prescription, dispensed, prescriptions
from wardround.ehr.hospital.layouts.published_names import spell
from wardround.ehr.hospital.patient_record import PatientRecord, Visit
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.staff import prescriber
from wardround.ehr.hospital.stays import NOW

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


_FIRST_PHARMACY = 10_000_000
_SCHEDULES = {"DAILY": "08", "Q24H": "10", "BID": "08, 20", "TID": "08, 14, 20", "HS": "22"}
_PIGGYBACK, _LARGE = "IV Piggyback", "IV Large Volume"


@dataclass(frozen=True)
class _Ordered:
    """An order entry with its stay and its number for the person."""

    entry: Entry
    visit: Visit
    number: int
    id: str
    stopped_by: str | None = None
    stops: str | None = None


def rows(record: PatientRecord, numbers: Numbers) -> Iterator[TableRow]:
    """All orders of a person in time order, with pharmacy, prescriptions and administrations."""
    administered = 0
    for ordered in _numbered(record):
        yield from _poe(record, ordered)
        if ordered.entry.prescription and not ordered.stops:
            pharmacy = _FIRST_PHARMACY + numbers.take("pharmacy")
            yield from _pharmacy(ordered, ordered.entry.prescription, pharmacy)
            for dose in doses(ordered.visit.stay, ordered.entry.prescription):
                administered += 1
                yield from _emar(ordered, ordered.entry.prescription, dose, pharmacy, administered)


def _numbered(record: PatientRecord) -> list[_Ordered]:
    """Numbered entries in time order, with links from stops to the stopped orders."""
    subject = record.person.subject_id
    pairs = [
        (entry, visit) for visit in record.visits for entry in of_visit(visit, prescriptions(visit))
    ]
    pairs.sort(key=lambda pair: (pair[0].time, pair[0].kind, pair[0].subtype or ""))
    ordered = [
        _Ordered(entry, visit, number, f"{subject}-{number}")
        for number, (entry, visit) in enumerate(pairs, start=1)
    ]
    started = {
        id(item.entry.prescription): index
        for index, item in enumerate(ordered)
        if item.entry.prescription and item.entry.transaction == "New"
    }
    for index, item in enumerate(ordered):
        if item.entry.transaction == "D/C":
            first = started[id(item.entry.prescription)]
            ordered[first] = replace(ordered[first], stopped_by=item.id)
            ordered[index] = replace(item, stops=ordered[first].id)
    return ordered


def _poe(record: PatientRecord, ordered: _Ordered) -> Iterator[TableRow]:
    entry, stay = ordered.entry, ordered.visit.stay
    ids = (ordered.id, ordered.number, record.person.subject_id)
    active = entry.prescription is not None and entry.prescription.main.stop is None
    yield (
        "poe",
        (
            *ids,
            stay.hadm_id,
            entry.time,
            entry.kind,
            entry.subtype,
            entry.transaction,
            ordered.stops,
            ordered.stopped_by,
            entry.provider,
            "Active" if active else "Inactive",
        ),
    )
    for name, value in entry.details:
        yield "poe_detail", (*ids, name, value)


def _pharmacy(ordered: _Ordered, item: Prescription, pharmacy: int) -> Iterator[TableRow]:
    stay, main = ordered.visit.stay, item.main
    per_day = main.per_day if main.per_day >= 1 else None
    once = main.frequency == "ONCE"
    process, entered = _process(item), ordered.entry.time
    ids: dict[str, Value] = {
        "subject_id": stay.person.subject_id,
        "hadm_id": stay.hadm_id,
        "pharmacy_id": pharmacy,
        "poe_id": ordered.id,
    }
    yield named_row(
        "mimic_iv",
        "pharmacy",
        {
            **ids,
            "starttime": main.start,
            "stoptime": main.stop,
            "medication": spell("drug", main.name),
            "proc_type": process,
            "status": _status(ordered, item),
            "entertime": entered,
            "verifiedtime": min(NOW, entered + timedelta(minutes=12)),
            "route": main.route.upper(),
            "frequency": main.frequency,
            "disp_sched": _SCHEDULES.get(main.frequency),
            "infusion_type": {_LARGE: "C", _PIGGYBACK: "B"}.get(process),
            "doses_per_24_hrs": per_day,
            "duration": 1.0 if once else None,
            "duration_interval": "Doses" if once else "Ongoing",
            "expiration_value": 36 if item.carrier else 365,
            "expiration_unit": "Hours" if item.carrier else "Days",
            "dispensation": "Omnicell",
        },
    )
    for kind, order in item.parts():
        form_value, form_unit = dispensed(order)
        yield named_row(
            "mimic_iv",
            "prescriptions",
            {
                **ids,
                "poe_seq": ordered.number,
                "order_provider_id": ordered.entry.provider,
                "starttime": order.start,
                "stoptime": order.stop,
                "drug_type": kind,
                "drug": spell("drug", order.name),
                "formulary_drug_cd": order.identity.code,
                "ndc": "0",
                "prod_strength": order.strength,
                "dose_val_rx": f"{float(order.dose):g}",
                "dose_unit_rx": spell("unit", order.unit),
                "form_val_disp": form_value,
                "form_unit_disp": form_unit,
                "doses_per_24_hrs": order.per_day if order.per_day >= 1 else None,
                "route": order.route.upper(),
            },
        )


def _process(item: Prescription) -> str:
    """The pharmacy's preparation."""
    if item.main.name.startswith("amino acids"):
        return "TPN"
    if item.main.route == "iv drip" or item.main.identity.form == "bag":
        return _LARGE
    return _PIGGYBACK if item.carrier else "Unit Dose"


def _status(ordered: _Ordered, item: Prescription) -> str:
    stop, stay = item.main.stop, ordered.visit.stay
    if stop is None:
        return "Active"
    if stop >= stay.end:
        return "Discontinued via patient discharge"
    return "Expired" if item.main.frequency == "ONCE" else "Discontinued"


def _emar(
    ordered: _Ordered, item: Prescription, dose: Dose, pharmacy: int, administered: int
) -> Iterator[TableRow]:
    stay, main = ordered.visit.stay, item.main
    subject = stay.person.subject_id
    id_ = f"{subject}-{administered}"
    yield (
        "emar",
        (
            subject,
            stay.hadm_id,
            id_,
            administered,
            ordered.id,
            pharmacy,
            dose.giver,
            dose.time,
            spell("drug", main.name),
            dose.event,
            dose.due,
            min(NOW, dose.time + timedelta(minutes=1)),
        ),
    )
    ids: dict[str, Value] = {"subject_id": subject, "emar_id": id_, "emar_seq": administered}
    yield named_row("mimic_iv", "emar_detail", {**ids, **_due(item, dose, pharmacy)})
    if dose.given:
        yield named_row("mimic_iv", "emar_detail", {**ids, **_product(item, pharmacy)})


def _due(item: Prescription, dose: Dose, pharmacy: int) -> dict[str, Value]:
    """The first detail row of an administration: the due dose and its route."""
    main = item.main
    infused = main.route == "iv drip"
    return {
        "administration_type": "IV Infusion" if infused else "Standard Maintenance Medication",
        "pharmacy_id": pharmacy,
        "barcode_type": "if" if item.carrier else "ud",
        "complete_dose_not_given": None if dose.given else "Yes",
        "dose_due": f"{float(main.dose):g}",
        "dose_due_unit": spell("unit", main.unit),
        "route": main.route.upper(),
    }


def _product(item: Prescription, pharmacy: int) -> dict[str, Value]:
    """The second detail row: the scanned product."""
    main = item.main
    amount, unit = dispensed(main)
    return {
        "parent_field_ordinal": "1.1",
        "pharmacy_id": pharmacy,
        "dose_given": f"{float(main.dose):g}",
        "dose_given_unit": spell("unit", main.unit),
        "will_remainder_of_dose_be_given": "No",
        "product_amount_given": amount,
        "product_unit": unit,
        "product_code": main.identity.code,
        "product_description": spell("drug", main.name),
        "route": main.route.upper(),
    }
