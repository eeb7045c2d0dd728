"""Administration of the doses of an order."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from wardround.ehr.hospital.layouts.prescriptions import Prescription
from wardround.ehr.hospital.staff import PROVIDERS, provider
from wardround.ehr.hospital.stays import NOW, Stay, minutes_after

# Hours between checks of a drip.
_CHECKED = 8.0
# Share of scheduled doses not given: refused, held or patient absent.
_MISSED = 0.06


class Dose(NamedTuple):
    """One dose: due time, administration, caregiver and recorded event."""

    due: datetime
    time: datetime
    event: str
    given: bool
    giver: str


def doses(stay: Stay, item: Prescription) -> Iterator[Dose]:
    """The doses of one order due within the stay, in time order."""
    main = item.main
    draw = stay.draw(f"doses:{main.name}:{main.start}")
    last = min(main.stop or NOW, stay.end, NOW)
    for number, due in enumerate(_times(main.start, last, main.frequency, main.per_day)):
        late = -40 + draw.whole(0, 90) if number else draw.whole(0, 30)
        time = min(max(main.start, due + timedelta(minutes=late)), last)
        missed = draw.chance(_MISSED)
        event = _event(item, number, missed)
        giver = provider(draw.whole(0, PROVIDERS - 1))
        yield Dose(due, time, event, not missed, giver)


def _times(start: datetime, last: datetime, frequency: str, per_day: float) -> Iterator[datetime]:
    if frequency == "ONCE":
        yield start
        return
    hours = _CHECKED if frequency == "INFUSION" else 24 / per_day
    time = start
    while time <= last:
        yield time
        time = minutes_after(time, hours)


def _event(item: Prescription, number: int, missed: bool) -> str:
    if missed:
        return "Not Given"
    if item.main.route == "iv drip":
        return "Started" if number == 0 else "Rate Change"
    if "flush" in item.main.name:
        return "Flushed"
    return "Applied" if item.main.identity.form == "patch" else "Administered"
