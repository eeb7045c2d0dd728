"""MIMIC-IV's table of bedside procedures: lines, ventilators, imaging, cultures."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from wardround.ehr.hospital.devices import Device
from wardround.ehr.hospital.layouts.layout import Numbers, Row, TableRow
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
        yield "procedureevents", (*_device(visit, device, numbers.take("bedside")),)
    for task in tasks(visit):
        yield "procedureevents", (*_task(visit, task, numbers.take("bedside")),)


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


def _device(visit: Visit, device: Device, number: int) -> Row:
    minutes = float(int((device.end - device.start).total_seconds() // 60))
    category, where = _KINDS[device.kind]
    if device.name == "arterial_line":
        where = "Invasive Arterial"
    site = device.site if where else None
    times = (device.start, device.end, min(NOW, device.end + timedelta(minutes=4)))
    return (
        *_ids(visit, device.episode, device.start),
        *times,
        device.item,
        minutes,
        "min",
        site,
        where if site else None,
        number,
        number,
        category,
        "ContinuousProcess",
        visit.stay.person.weight,
        1,
        0,
        "FinishedRunning",
        minutes,
        1.0,
    )


def _task(visit: Visit, task: Task, number: int) -> Row:
    times = (task.time, task.time + timedelta(minutes=1), stored(task.time, task.item))
    order_columns = (None, None, None, number, number, task.category, "Task")
    return (
        *_ids(visit, task.episode, task.time),
        *times,
        task.item,
        1.0,
        *order_columns,
        visit.stay.person.weight,
        0,
        0,
        "FinishedRunning",
        1.0,
        0.0,
    )


def _ids(visit: Visit, episode: int, time: datetime) -> Row:
    stay = visit.stay
    return (
        stay.person.subject_id,
        stay.hadm_id,
        visit.intensive[episode].number,
        nurse(stay, time),
    )
