"""eICU's respiratory tables: airways, ventilators and their settings."""

from collections.abc import Iterator

from wardround.ehr.hospital.layouts.eicu.unit_stay import UnitStay, unit_row
from wardround.ehr.hospital.layouts.eicu.vital_signs import BREATHS, DEVICE, FLOW, by_time
from wardround.ehr.hospital.layouts.layout import TableRow, Value

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
            ventilation: dict[str, Value] = {
                "respcarestatusoffset": start,
                "currenthistoryseqnum": number,
                "airwaytype": "Oral ETT",
                "airwaysize": "7.5" if unit.visit.stay.person.female else "8.0",
                "airwayposition": "Center",
                "ventstartoffset": start,
                "ventendoffset": end,
                "priorventstartoffset": before[0],
                "priorventendoffset": before[1],
            }
            yield unit_row("respiratorycare", ventilation)
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
