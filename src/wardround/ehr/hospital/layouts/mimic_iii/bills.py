"""MIMIC-III's billing and prescription tables, without row numbers."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from wardround.ehr.hospital.dictionaries import billing_codes, section_of
from wardround.ehr.hospital.layouts.layout import TableRow, Value, named_row
from wardround.ehr.hospital.layouts.prescriptions import dispensed, prescriptions
from wardround.ehr.hospital.layouts.published_names import spell, title_case
from wardround.ehr.hospital.layouts.reasons import drg_columns
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
    identity: dict[str, Value] = dict(zip(("subject_id", "hadm_id"), ids, strict=True))
    for number, (code, _) in enumerate(visit.diagnoses(9), start=1):
        yield "diagnoses_icd", (*ids, number, code.upper())
    for number, (procedure, _) in enumerate(visit.done, start=1):
        yield "procedures_icd", (*ids, number, procedure.icd9.upper())
    for columns in drg_columns(stay, "MS", "APR "):
        yield named_row("mimic_iii", "drgcodes", columns)
    for ticket, (day, center, code) in enumerate(_bills(visit), start=1):
        yield named_row("mimic_iii", "cptevents", {**_bill(day, center, code, ticket), **identity})
    yield from _prescription_rows(visit, identity)


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


def _bill(day: datetime | None, center: str, code: str, ticket: int) -> dict[str, Value]:
    section = section_of(int(code))
    return {
        "costcenter": center,
        "chartdate": day,
        "cpt_cd": code,
        "cpt_number": int(code),
        "ticket_id_seq": None if center == "Resp" else ticket,
        "sectionheader": section.section,
        "subsectionheader": section.subsection,
        "description": _VENTILATOR.get(code),
    }


def _prescription_rows(visit: Visit, identity: Mapping[str, Value]) -> Iterator[TableRow]:
    for item in prescriptions(visit):
        for kind, order in item.parts():
            name = spell("drug", order.name)
            stop = order.stop or visit.stay.end
            pieces, form = dispensed(order)
            columns: dict[str, Value] = {
                **identity,
                "icustay_id": _intensive(visit, order.start),
                "startdate": order.start.replace(hour=0, minute=0),
                "enddate": stop.replace(hour=0, minute=0),
                "drug_type": kind,
                "drug": name,
                "drug_name_poe": name,
                "drug_name_generic": title_case(order.identity.generic),
                "formulary_drug_cd": order.identity.code,
                "ndc": "0",
                "prod_strength": order.strength,
                "dose_val_rx": f"{float(order.dose):g}",
                "dose_unit_rx": spell("unit", order.unit),
                "form_val_disp": pieces,
                "form_unit_disp": form,
                "route": order.route.upper(),
            }
            yield named_row("mimic_iii", "prescriptions", columns)


def _intensive(visit: Visit, time: datetime) -> int | None:
    """The ICU stay at a time."""
    for span, care in zip(visit.stay.intensive, visit.intensive, strict=True):
        if span.holds(time):
            return care.number
    return None
