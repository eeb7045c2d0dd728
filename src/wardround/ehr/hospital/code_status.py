"""Code status: the patient's resuscitation preference."""

from datetime import datetime

from wardround.ehr.hospital.stays import Stay, minutes_after

FULL, DECLINED, COMFORT = "Full code", "DNR / DNI", "Comfort measures only"


def code_status(stay: Stay) -> list[tuple[datetime, str]]:
    """Changes of code status with their times; the first is at admission.

    Most deaths in intensive care follow a decision to limit treatment, days to hours before.
    """
    declined = stay.has("do_not_resuscitate")
    changes = [(stay.admitted, DECLINED if declined else FULL)]
    draw = stay.draw("goals")
    if stay.died and draw.chance(0.75):
        left = min(stay.hours / 2, draw.between(4, 40))
        changes.append((minutes_after(stay.end, -left), DECLINED if draw.chance(0.35) else COMFORT))
    return changes
