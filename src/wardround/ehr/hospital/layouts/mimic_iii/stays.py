"""MIMIC-III's tables of patients and stays, without row numbers."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta

from wardround.ehr.hospital.layouts.layout import Row, TableRow, Value, named_row
from wardround.ehr.hospital.layouts.published_names import title_case
from wardround.ehr.hospital.layouts.reasons import reason_of
from wardround.ehr.hospital.patient_record import PatientRecord, Visit
from wardround.ehr.hospital.stays import hours_between
from wardround.ehr.hospital.wards import IcuStay, Transfer

# People older than 89 are born 300 years before their first stay.
_OLDEST, _LONG_AGO = 89, 300
_KINDS = {"elective": "ELECTIVE", "surgical same day admission": "ELECTIVE", "urgent": "URGENT"}
_SOURCES = {
    "emergency room": "EMERGENCY ROOM ADMIT",
    "transfer from hospital": "TRANSFER FROM HOSP/EXTRAM",
    "clinic referral": "CLINIC REFERRAL/PREMATURE",
}
_REFERRED = "PHYS REFERRAL/NORMAL DELI"
_DESTINATIONS = {
    "home": "HOME",
    "home health care": "HOME HEALTH CARE",
    "skilled nursing facility": "SNF",
    "rehab": "REHAB/DISTINCT PART HOSP",
    "chronic/long term acute care": "LONG TERM CARE HOSPITAL",
    "hospice": "HOSPICE-HOME",
    "against advice": "LEFT AGAINST MEDICAL ADVI",
    "psych facility": "DISCH-TRAN TO PSYCH HOSP",
    "died": "DEAD/EXPIRED",
}
_INSURANCES = {"other": "Private"}
_RELIGIONS = {
    "CATHOLIC": 0.38,
    "NOT SPECIFIED": 0.2,
    "UNOBTAINABLE": 0.14,
    "PROTESTANT QUAKER": 0.13,
    "JEWISH": 0.09,
    "OTHER": 0.06,
}
_UNITS = {
    "medical intensive care unit (micu)": ("MICU", 52),
    "medical/surgical intensive care unit (micu/sicu)": ("MICU", 23),
    "surgical intensive care unit (sicu)": ("SICU", 57),
    "neuro surgical intensive care unit (neuro sicu)": ("SICU", 33),
    "neuro intermediate": ("SICU", 33),
    "neuro stepdown": ("SICU", 33),
    "trauma sicu (tsicu)": ("TSICU", 14),
    "coronary care unit (ccu)": ("CCU", 7),
    "cardiac vascular intensive care unit (cvicu)": ("CSRU", 12),
}
_WARDS = (55, 18, 45, 3, 4, 17, 54, 40, 36, 29)


def source_of(visit: Visit) -> str:
    """The charting system of a person's ICU stays; two in five use the older one."""
    older = visit.stay.person.draw("charting system").chance(0.4)
    return "carevue" if older else "metavision"


def patient(record: PatientRecord, by: timedelta) -> Row:
    """The person's row, with shifted dates."""
    first = record.visits[0].stay
    born = record.person.born + by
    if first.age > _OLDEST:
        year = (first.admitted + by).year - _LONG_AGO
        born = born.replace(year=year)
    died = _midnight(record.died + by) if record.died else None
    inside = any(visit.stay.died for visit in record.visits)
    gender = "F" if record.person.female else "M"
    at = (died if inside else None, None if inside else died)
    return (record.person.subject_id, gender, _midnight(born), died, *at, int(died is not None))


def rows(visit: Visit) -> Iterator[TableRow]:
    """Admission, ICU stays, transfers, services and callouts."""
    stay = visit.stay
    ids = (stay.person.subject_id, stay.hadm_id)
    source = source_of(visit)
    yield _admission(visit)
    for service in visit.services:
        yield "services", (*ids, *service)
    for care, span in zip(visit.intensive, stay.intensive, strict=True):
        unit, ward = _UNITS[care.unit]
        days = round(span.hours / 24, 4)
        times = (care.came, care.left, days if care.left else None)
        yield "icustays", (*ids, care.number, source, unit, unit, ward, ward, *times)
        if care.left and span.end < stay.end:
            yield _callout(visit, care)
    yield from _transfers(visit, ids, source)


def _admission(visit: Visit) -> TableRow:
    """The admission; open stays end at the current time (MIMIC-III has only closed ones)."""
    stay, demographics = visit.stay, visit.demographics
    emergency = next((transfer for transfer in visit.transfers if transfer.kind == "ed"), None)
    race = stay.person.race
    columns: dict[str, Value] = {
        "subject_id": stay.person.subject_id,
        "hadm_id": stay.hadm_id,
        "admittime": stay.admitted,
        "dischtime": stay.end,
        "deathtime": stay.end if stay.died else None,
        "admission_type": _KINDS.get(demographics.kind, "EMERGENCY"),
        "admission_location": _SOURCES.get(demographics.source, _REFERRED),
        "discharge_location": _DESTINATIONS[demographics.destination or "home"],
        "insurance": _INSURANCES.get(demographics.insurance, title_case(demographics.insurance)),
        "language": "ENGL" if demographics.language == "english" else None,
        "religion": stay.person.draw("religion").weighted(_RELIGIONS),
        "marital_status": demographics.marital.upper() if demographics.marital else None,
        "ethnicity": "UNKNOWN/NOT SPECIFIED" if race == "UNKNOWN" else race,
        "edregtime": emergency.came if emergency else None,
        "edouttime": emergency.left if emergency else None,
        "diagnosis": reason_of(stay).admission,
        "hospital_expire_flag": int(stay.died),
        "has_chartevents_data": int(bool(visit.intensive)),
    }
    return named_row("mimic_iii", "admissions", columns)


def _transfers(visit: Visit, ids: tuple[int, int], source: str) -> Iterator[TableRow]:
    """Transfers between units, without the emergency room."""
    stays = {care.came: care.number for care in visit.intensive}
    before: tuple[str | None, int | None] = (None, None)
    for transfer in visit.transfers:
        if transfer.kind == "ed":
            continue
        unit, ward = unit_and_ward(transfer)
        hours = round(hours_between(transfer.came, transfer.left), 2) if transfer.left else None
        care = stays.get(transfer.came) if unit else None
        units = (before[0], unit, before[1], ward)
        yield (
            "transfers",
            (
                *ids,
                care,
                source,
                transfer.kind,
                *units,
                transfer.came,
                transfer.left,
                hours,
            ),
        )
        before = unit, ward


def unit_and_ward(transfer: Transfer) -> tuple[str | None, int | None]:
    """The ICU (None for a ward) and the ward number (None at discharge)."""
    if transfer.unit is None:
        return None, None
    if transfer.unit in _UNITS:
        return _UNITS[transfer.unit]
    return None, _WARDS[len(transfer.unit) % len(_WARDS)]


def _callout(visit: Visit, care: IcuStay) -> TableRow:
    """The callout for a ward bed, hours before the transfer."""
    unit, ward = _UNITS[care.unit]
    draw = visit.stay.draw(f"callout:{care.number}")
    departed = care.left or visit.stay.end
    requested = max(care.came, departed - timedelta(minutes=draw.whole(120, 900)))
    acknowledged = min(departed, requested + timedelta(minutes=draw.whole(5, 60)))
    to = draw.pick(_WARDS)
    return named_row(
        "mimic_iii",
        "callout",
        {
            "subject_id": visit.stay.person.subject_id,
            "hadm_id": visit.stay.hadm_id,
            "submit_wardid": ward,
            "curr_wardid": ward,
            "curr_careunit": unit,
            "callout_wardid": 1,
            "callout_service": visit.services[-1].current,
            "request_tele": int(draw.chance(0.5)),
            "request_resp": 0,
            "request_cdiff": int(draw.chance(0.1)),
            "request_mrsa": int(draw.chance(0.1)),
            "request_vre": 0,
            "callout_status": "Inactive",
            "callout_outcome": "Discharged",
            "discharge_wardid": to,
            "acknowledge_status": "Acknowledged",
            "createtime": requested,
            "updatetime": acknowledged,
            "acknowledgetime": acknowledged,
            "outcometime": departed,
        },
    )


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day)
