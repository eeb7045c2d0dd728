"""MIMIC-IV's medication tables: poe, pharmacy, prescriptions and emar."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

from wardround.ehr.hospital.layouts.administration import Dose, doses
from wardround.ehr.hospital.layouts.layout import Numbers, TableRow, Value, named_row
from wardround.ehr.hospital.layouts.mimic_iv import entries
from wardround.ehr.hospital.layouts.mimic_iv.entries import Entry
from wardround.ehr.hospital.layouts.prescriptions import Prescription, dispensed, prescriptions
from wardround.ehr.hospital.layouts.published_names import spell
from wardround.ehr.hospital.patient_record import PatientRecord, Visit
from wardround.ehr.hospital.stays import NOW

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
        (entry, visit)
        for visit in record.visits
        for entry in entries.of_visit(visit, prescriptions(visit))
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
