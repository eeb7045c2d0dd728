"""eICU's respiratory tables: airways, ventilators and their settings."""

from collections.abc import Iterator

from wardround.ehr.hospital.layouts.eicu.unit_stay import UnitStay
from wardround.ehr.hospital.layouts.eicu.vital_signs import BREATHS, DEVICE, FLOW, by_time
from wardround.ehr.hospital.layouts.layout import TableRow

_SETTINGS = "respFlowSettings"
_LABELS = {
    223835: (_SETTINGS, "FiO2"),
    220339: (_SETTINGS, "PEEP"),
    224684: (_SETTINGS, "Tidal Volume (set)"),
    FLOW: (_SETTINGS, "LPM O2"),
    DEVICE: ("respFlowCareData", "O2 Device"),
}
_VENTILATED = 220339


def rows(unit: UnitStay) -> Iterator[TableRow]:
    """A row for each ventilation period, and each charted setting."""
    number = 0
    before = (0, 0)
    for device in unit.visit.devices:
        if device.kind == "ventilation" and device.episode == unit.episode:
            number += 1
            start, end = unit.offset(device.start), unit.offset(device.end)
            size = "7.5" if unit.visit.stay.person.female else "8.0"
            airway = (start, number, "Oral ETT", size, "Center", None)
            times = (start, end, *before)
            yield "respiratorycare", (*airway, *times, *(None,) * 22)
            before = (start, end)
    for time, readings in by_time(unit.visit, unit.episode).items():
        offset = unit.offset(time)
        for item, (category, label) in _LABELS.items():
            if item in readings:
                reading = readings[item]
                value = reading.text if reading.value is None else f"{reading.value:g}"
                yield "respiratorycharting", (offset, offset + 1, category, label, value)
        if _VENTILATED in readings and BREATHS in readings:
            value = f"{readings[BREATHS].value:g}"
            row = ("respFlowPtVentData", "Total RR", value)
            yield "respiratorycharting", (offset, offset + 1, *row)
