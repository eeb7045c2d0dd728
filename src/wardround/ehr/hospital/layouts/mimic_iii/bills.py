"""MIMIC-III's billing and prescription tables, without row numbers."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from wardround.ehr.hospital.dictionaries import billing_codes, section_of
from wardround.ehr.hospital.layouts.layout import Row, TableRow
from wardround.ehr.hospital.layouts.prescriptions import dispensed, prescriptions
from wardround.ehr.hospital.layouts.published_names import spell, title_case
from wardround.ehr.hospital.layouts.reasons import reason_of, severity_of
from wardround.ehr.hospital.patient_record import Visit

_CRITICAL, _LATER, _FIRST_DAY, _NEXT_DAYS = "99291", "99233", "94002", "94003"
_VENTILATOR = {
    _FIRST_DAY: "VENT MGMT, 1ST DAY (INVASIVE)",
    _NEXT_DAYS: "VENT MGMT;SUBSQ DAYS(INVASIVE)",
}


def rows(visit: Visit) -> Iterator[TableRow]:
    """ICD-9 codes, diagnosis-related groups, physicians' bills and prescriptions."""
    stay = visit.stay
    ids = (stay.person.subject_id, stay.hadm_id)
    for number, (code, _) in enumerate(visit.diagnoses(9), start=1):
        yield "diagnoses_icd", (*ids, number, code.upper())
    for number, (procedure, _) in enumerate(visit.done, start=1):
        yield "procedures_icd", (*ids, number, procedure.icd9.upper())
    reason = reason_of(stay)
    yield "drgcodes", (*ids, "MS", reason.drg, reason.drg_title, None, None)
    yield "drgcodes", (*ids, "APR ", reason.apr, reason.apr_title, *severity_of(stay))
    for ticket, (day, center, code) in enumerate(_bills(visit), start=1):
        yield "cptevents", (*ids, *_bill(day, center, code, ticket))
    yield from _prescription_rows(visit, ids)


def _bills(visit: Visit) -> Iterator[tuple[datetime | None, str, str]]:
    """Bills of ICU days, ventilator days and procedures."""
    for span in visit.stay.intensive:
        for day in range(max(1, round(span.hours / 24))):
            yield None, "ICU", _LATER if day else _CRITICAL
    for device in visit.devices:
        if device.kind == "ventilation":
            time = device.start.replace(hour=0, minute=0)
            yield time, "Resp", _FIRST_DAY
            while (time := time + timedelta(days=1)) < device.end:
                yield time, "Resp", _NEXT_DAYS
    for procedure, _ in visit.done:
        if procedure.name in billing_codes():
            yield None, "ICU", billing_codes()[procedure.name][0]


def _bill(day: datetime | None, center: str, code: str, ticket: int) -> Row:
    section = section_of(int(code))
    headers = (section.section, section.subsection, _VENTILATOR.get(code))
    number = None if center == "Resp" else ticket
    return (center, day, code, int(code), None, number, *headers)


def _prescription_rows(visit: Visit, ids: tuple[int, int]) -> Iterator[TableRow]:
    for item in prescriptions(visit):
        for kind, order in item.parts():
            name = spell("drug", order.name)
            stop = order.stop or visit.stay.end
            yield (
                "prescriptions",
                (
                    *ids,
                    _intensive(visit, order.start),
                    order.start.replace(hour=0, minute=0),
                    stop.replace(hour=0, minute=0),
                    kind,
                    name,
                    name,
                    title_case(order.identity.generic),
                    order.identity.code,
                    None,
                    "0",
                    order.strength,
                    f"{float(order.dose):g}",
                    spell("unit", order.unit),
                    *dispensed(order),
                    order.route.upper(),
                ),
            )


def _intensive(visit: Visit, time: datetime) -> int | None:
    """The ICU stay at a time."""
    for span, care in zip(visit.stay.intensive, visit.intensive, strict=True):
        if span.holds(time):
            return care.number
    return None
