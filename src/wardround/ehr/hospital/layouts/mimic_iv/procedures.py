"""MIMIC-IV's table of bedside procedures: lines, ventilators, imaging, cultures."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from wardround.ehr.hospital.devices import Device
from wardround.ehr.hospital.layouts.layout import Numbers, TableRow, Value, named_row
from wardround.ehr.hospital.layouts.mimic_iv.charted import stored
from wardround.ehr.hospital.patient_record import Visit
from wardround.ehr.hospital.staff import nurse
from wardround.ehr.hospital.stays import NOW

_KINDS = {
    "ventilation": ("Ventilation", None),
    "peripheral": ("Peripheral Lines", "Peripheral"),
    "invasive": ("Invasive Lines", "Invasive Venous"),
    "tube": ("Tubes", "GI/GU"),
}
_INTUBATION, _EXTUBATION = 224385, 227194
_ARRIVAL = {225459: "Imaging", 225402: "Procedures"}
# Item and category of bedside procedures, by procedure and by specimen.
_BEDSIDE = {
    "echocardiogram": (225432, "Procedures"),
    "head_ct": (221214, "Imaging"),
    "chest_ct": (221214, "Imaging"),
    "abdominal_ct": (221214, "Imaging"),
    "abdominal_ultrasound": (221217, "Procedures"),
    "leg_doppler": (221217, "Procedures"),
    "brain_mri": (223253, "Procedures"),
    "bronchoscopy": (225400, "Procedures"),
    "hemodialysis": (225441, "Procedures"),
}
_CULTURES = {"blood": 225401, "urine": 225454, "sputum": 225451, "mrsa": 225966}


class Task(NamedTuple):
    """A procedure without duration."""

    time: datetime
    item: int
    category: str
    episode: int


def rows(visit: Visit, numbers: Numbers) -> Iterator[TableRow]:
    """Devices with their duration, and tasks."""
    for device in visit.devices:
        yield _device(visit, device, numbers.take("bedside"))
    for task in tasks(visit):
        yield _task(visit, task, numbers.take("bedside"))


def tasks(visit: Visit) -> Iterator[Task]:
    """Procedures without duration in a stay's intensive care."""
    spans = list(enumerate(visit.stay.intensive))
    for episode, span in spans:
        for item, category in _ARRIVAL.items():
            yield Task(min(span.end, span.start + timedelta(minutes=40)), item, category, episode)
    for device in visit.devices:
        if device.kind == "ventilation":
            end = visit.stay.intensive[device.episode].end
            yield Task(device.start, _INTUBATION, "Intubation/Extubation", device.episode)
            if device.end < end:
                yield Task(device.end, _EXTUBATION, "Intubation/Extubation", device.episode)
    for episode, span in spans:
        for procedure, time in visit.done:
            if procedure.name in _BEDSIDE and span.holds(time):
                yield Task(time, *_BEDSIDE[procedure.name], episode)
        for culture in visit.cultures:
            if culture.source in _CULTURES and span.holds(culture.time):
                yield Task(culture.time, _CULTURES[culture.source], "Procedures", episode)


def _device(visit: Visit, device: Device, number: int) -> TableRow:
    category, where = _KINDS[device.kind]
    if device.name == "arterial_line":
        where = "Invasive Arterial"
    site = device.site if where else None
    minutes = float(int((device.end - device.start).total_seconds() // 60))
    columns: dict[str, Value] = {
        "starttime": device.start,
        "endtime": device.end,
        "storetime": min(NOW, device.end + timedelta(minutes=4)),
        "itemid": device.item,
        "value": minutes,
        "valueuom": "min",
        "location": site,
        "locationcategory": where if site else None,
        "ordercategoryname": category,
        "ordercategorydescription": "ContinuousProcess",
        "isopenbag": 1,
        "originalamount": minutes,
        "originalrate": 1.0,
    }
    return _row(visit, device.episode, device.start, number, columns)


def _task(visit: Visit, task: Task, number: int) -> TableRow:
    columns: dict[str, Value] = {
        "starttime": task.time,
        "endtime": task.time + timedelta(minutes=1),
        "storetime": stored(task.time, task.item),
        "itemid": task.item,
        "value": 1.0,
        "ordercategoryname": task.category,
        "ordercategorydescription": "Task",
        "isopenbag": 0,
        "originalamount": 1.0,
        "originalrate": 0.0,
    }
    return _row(visit, task.episode, task.time, number, columns)


def _row(
    visit: Visit, episode: int, time: datetime, number: int, columns: Mapping[str, Value]
) -> TableRow:
    """A row with the columns that all procedures have."""
    stay = visit.stay
    common: dict[str, Value] = {
        "subject_id": stay.person.subject_id,
        "hadm_id": stay.hadm_id,
        "stay_id": visit.intensive[episode].number,
        "caregiver_id": nurse(stay, time),
        "orderid": number,
        "linkorderid": number,
        "patientweight": stay.person.weight,
        "continueinnextdept": 0,
        "statusdescription": "FinishedRunning",
    }
    return named_row("mimic_iv", "procedureevents", {**common, **columns})
