"""MIMIC-IV's medication tables: poe, pharmacy, prescriptions and emar."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

from wardround.ehr.hospital.layouts.administration import Dose, doses
from wardround.ehr.hospital.layouts.layout import Numbers, Row, TableRow
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
        id(item.entry.prescription): place
        for place, item in enumerate(ordered)
        if item.entry.prescription and item.entry.transaction == "New"
    }
    for place, item in enumerate(ordered):
        if item.entry.transaction == "D/C":
            first = started[id(item.entry.prescription)]
            ordered[first] = replace(ordered[first], stopped_by=item.id)
            ordered[place] = replace(item, stops=ordered[first].id)
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
    ids = (stay.person.subject_id, stay.hadm_id, pharmacy, ordered.id)
    entered = ordered.entry.time
    yield (
        "pharmacy",
        (
            *ids,
            main.start,
            main.stop,
            spell("drug", main.name),
            _process(item),
            _status(ordered, item),
            entered,
            min(NOW, entered + timedelta(minutes=12)),
            main.route.upper(),
            main.frequency,
            _SCHEDULES.get(main.frequency),
            {_LARGE: "C", _PIGGYBACK: "B"}.get(_process(item)),
            None,
            None,
            None,
            None,
            main.per_day if main.per_day >= 1 else None,
            1.0 if main.frequency == "ONCE" else None,
            "Doses" if main.frequency == "ONCE" else "Ongoing",
            36 if item.carrier else 365,
            "Hours" if item.carrier else "Days",
            None,
            "Omnicell",
            None,
        ),
    )
    for kind, order in item.parts():
        yield (
            "prescriptions",
            (
                *ids,
                ordered.number,
                ordered.entry.provider,
                order.start,
                order.stop,
                kind,
                spell("drug", order.name),
                order.identity.code,
                None,
                "0",
                order.strength,
                None,
                f"{float(order.dose):g}",
                spell("unit", order.unit),
                *dispensed(order),
                order.per_day if order.per_day >= 1 else None,
                order.route.upper(),
            ),
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
    yield "emar_detail", (subject, id_, administered, None, *_due(item, dose, pharmacy))
    if dose.given:
        yield "emar_detail", (subject, id_, administered, "1.1", *_product(item, pharmacy))


def _due(item: Prescription, dose: Dose, pharmacy: int) -> Row:
    """The first detail row of an administration: the due dose and its route."""
    unit = spell("unit", item.main.unit)
    kind = "IV Infusion" if item.main.route == "iv drip" else "Standard Maintenance Medication"
    barcode = "if" if item.carrier else "ud"
    amount = f"{float(item.main.dose):g}"
    due: Row = (kind, pharmacy, barcode, None, None if dose.given else "Yes", amount, unit)
    return due + (None,) * 13 + (item.main.route.upper(),) + (None,) * 8


def _product(item: Prescription, pharmacy: int) -> Row:
    """The second detail row: the scanned product."""
    main = item.main
    unit = spell("unit", main.unit)
    amount = f"{float(main.dose):g}"
    product = (main.identity.code, spell("drug", main.name))
    pieces = dispensed(main)
    return (
        (None, pharmacy, None, None, None, None, None, amount, unit, "No", *pieces, *product)
        + (None,) * 6
        + (main.route.upper(),)
        + (None,) * 8
    )
