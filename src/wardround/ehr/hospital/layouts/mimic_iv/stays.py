"""MIMIC-IV's tables of patients, stays and billing."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from wardround.ehr.hospital.dictionaries import billing_codes
from wardround.ehr.hospital.layouts.layout import Row, TableRow, named_row
from wardround.ehr.hospital.layouts.published_names import spell, title_case
from wardround.ehr.hospital.layouts.reasons import drg_columns
from wardround.ehr.hospital.patient_record import PatientRecord, Visit
from wardround.ehr.hospital.staff import attending
from wardround.ehr.hospital.stays import Stay, hours_between

# Ages above 89 are reported as 91.
_OLDEST, _OLD = 89, 91
# Groups of original years of the first stay, before and after the change to ICD-10.
_GROUPS = {9: ("2008 - 2010", "2011 - 2013", "2014 - 2016"), 10: ("2017 - 2019", "2020 - 2022")}


def patient(record: PatientRecord, by: timedelta) -> TableRow:
    """The person's row, with shifted dates."""
    someone, first = record.person, record.visits[0].stay
    group = someone.draw("group").pick(_GROUPS[first.version])
    return "patients", (
        someone.subject_id,
        "F" if someone.female else "M",
        first.age if first.age <= _OLDEST else _OLD,
        (first.admitted + by).year,
        group,
        record.died + by if record.died else None,
    )


def rows(visit: Visit) -> Iterator[TableRow]:
    """Admission, transfers, services, intensive care and billing."""
    ids = (visit.stay.person.subject_id, visit.stay.hadm_id)
    yield "admissions", (*ids, *_admission(visit))
    for transfer in visit.transfers:
        kind = "ED" if transfer.kind == "ed" else transfer.kind
        unit = spell("care", transfer.unit) if transfer.unit else None
        yield "transfers", (*ids, transfer.number, kind, unit, transfer.came, transfer.left)
    for service in visit.services:
        yield "services", (*ids, *service)
    for care in visit.intensive:
        unit = spell("care", care.unit)
        days = hours_between(care.came, care.left) / 24 if care.left else None
        yield "icustays", (*ids, care.number, unit, unit, care.came, care.left, days)
    yield from _code_rows(visit, ids)


def outpatient(stays: Iterable[Stay]) -> Iterator[TableRow]:
    """A person's outpatient measurements, numbered where several visits are on one day."""
    visits = Counter[date]()
    for stay in stays:
        day, values = outpatient_visit(stay)
        visits[day] += 1
        for name, value in values:
            yield "omr", (stay.person.subject_id, day, visits[day], name, value)


def _admission(visit: Visit) -> Row:
    stay, demographics = visit.stay, visit.demographics
    emergency = next((transfer for transfer in visit.transfers if transfer.kind == "ed"), None)
    return (
        stay.admitted,
        None if stay.open else stay.end,
        stay.end if stay.died else None,
        demographics.kind.upper(),
        attending(stay),
        demographics.source.upper(),
        demographics.destination.upper() if demographics.destination else None,
        title_case(demographics.insurance),
        demographics.language.upper(),
        demographics.marital.upper() if demographics.marital else None,
        stay.person.race,
        emergency.came if emergency else None,
        emergency.left if emergency else None,
        int(stay.died),
    )


def outpatient_visit(stay: Stay) -> tuple[date, list[tuple[str, str]]]:
    """The day of a visit some days before a stay, and what was measured."""
    draw = stay.draw("outpatient")
    day = (stay.admitted - timedelta(days=draw.whole(3, 60))).date()
    weight = stay.person.weight + 1.2 * draw.normal()
    metres = stay.person.height / 100
    top = round(stay.person.draw("pressure").between(112, 148) + 6 * draw.normal())
    values = {
        "Blood Pressure": f"{top}/{round(0.6 * top)}",
        "Weight (Lbs)": f"{weight / 0.45359237:.1f}",
        "BMI (kg/m2)": f"{weight / (metres * metres):.1f}",
        "Height (Inches)": f"{stay.person.height / 2.54:.1f}",
    }
    return day, [item for item in values.items() if draw.chance(0.7)]


def _code_rows(visit: Visit, ids: tuple[int, int]) -> Iterator[TableRow]:
    """Diagnoses, procedures, diagnosis-related groups and billing codes of a discharged stay."""
    stay = visit.stay
    for number, (code, _) in enumerate(visit.diagnoses(stay.version), start=1):
        yield "diagnoses_icd", (*ids, number, code.upper(), stay.version)
    for number, (procedure, time) in enumerate(visit.done, start=1):
        code = procedure.in_edition(stay.version).upper()
        yield "procedures_icd", (*ids, number, time.date(), code, stay.version)
    if not stay.open:
        for columns in drg_columns(stay, "HCFA", "APR"):
            yield named_row("mimic_iv", "drgcodes", columns)
    yield from _billing_rows(visit, ids)


def _billing_rows(visit: Visit, ids: tuple[int, int]) -> Iterator[TableRow]:
    """Billing codes of observation hours and of procedures during it."""
    if "observation" not in visit.demographics.kind:
        return
    day = visit.stay.admitted.date()
    yield "hcpcsevents", (*ids, day, "G0378", 1, "Hospital observation per hr")
    for number, (procedure, time) in enumerate(visit.done, start=2):
        if procedure.name in billing_codes():
            code, section = billing_codes()[procedure.name]
            yield "hcpcsevents", (*ids, time.date(), code, number, section.subsection)
