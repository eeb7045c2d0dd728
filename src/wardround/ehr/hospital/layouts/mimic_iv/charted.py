"""MIMIC-IV's charting tables: signs, dates and outputs."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from wardround.ehr.hospital.devices import Device
from wardround.ehr.hospital.layouts.layout import TableRow
from wardround.ehr.hospital.layouts.published_names import spell
from wardround.ehr.hospital.patient_record import Visit
from wardround.ehr.hospital.staff import nurse
from wardround.ehr.hospital.stays import NOW

# The items of device insertion dates.
INSERTED = {
    "peripheral_20": 225754,
    "peripheral_18": 225755,
    "peripheral_22": 225753,
    "arterial_line": 224288,
    "central_line": 224280,
    "picc_line": 224184,
    "dialysis_catheter": 225322,
    "bladder_catheter": 229352,
}
_SHIFT = timedelta(hours=12)


def rows(visit: Visit) -> Iterator[TableRow]:
    """Charted rows of all ICU stays of a hospital stay."""
    yield from _signs(visit)
    yield from _dates(visit)
    yield from _losses(visit)


def stored(time: datetime, item: int) -> datetime:
    """The time of entry of a charted value, some minutes later."""
    return min(NOW, time + timedelta(minutes=1 + (item + 7 * time.hour + time.minute) % 24))


def _signs(visit: Visit) -> Iterator[TableRow]:
    stay = visit.stay
    ids = (stay.person.subject_id, stay.hadm_id)
    stays = [care.number for care in visit.intensive]
    for reading in (*visit.readings, *visit.observations):
        item, time, value, unit, text, episode = reading
        yield (
            "chartevents",
            (
                *ids,
                stays[episode],
                nurse(stay, time),
                time,
                stored(time, item),
                item,
                text if value is None or text is not None else f"{value:g}",
                value,
                spell("unit", unit) if unit else None,
                0,
            ),
        )


def _dates(visit: Visit) -> Iterator[TableRow]:
    stay = visit.stay
    ids = (stay.person.subject_id, stay.hadm_id)
    for device in visit.devices:
        item = INSERTED.get(device.name)
        placed = device.start.replace(hour=0, minute=0)
        for time in _shifts(device) if item else ():
            charted = (nurse(stay, time), time, stored(time, item or 0))
            number = visit.intensive[device.episode].number
            yield "datetimeevents", (*ids, number, *charted, item, placed, "Date", 0)


def _shifts(device: Device) -> Iterator[datetime]:
    time = device.start + timedelta(minutes=20)
    while time < device.end:
        yield time
        time += _SHIFT


def _losses(visit: Visit) -> Iterator[TableRow]:
    stay = visit.stay
    ids = (stay.person.subject_id, stay.hadm_id)
    seen: set[tuple[int, datetime, int]] = set()
    for item, time, volume, episode, _ in visit.output:
        number = visit.intensive[episode].number
        if (number, time, item) not in seen:
            seen.add((number, time, item))
            charted = (nurse(stay, time), time, stored(time, item), item)
            yield "outputevents", (*ids, number, *charted, volume, "mL")
