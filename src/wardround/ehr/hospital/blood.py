"""Red cell transfusions and their effect on the blood count."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from wardround.ehr.hospital.catalogue import labs, toml
from wardround.ehr.hospital.course import shift
from wardround.ehr.hospital.stays import Stay, hours_between, minutes_after


def transfusions(stay: Stay) -> tuple[datetime, ...]:
    """The times of red cell units, units one by one below a haemoglobin threshold.

    The threshold is 7 g/dl, or 8 g/dl with heart disease, after heart surgery and during
    bleeding (AABB 2016), plus variation between doctors.
    """
    if ("labs", "hemoglobin") not in stay.moves:
        return ()
    return tuple(_units(stay))


def _units(stay: Stay) -> Iterator[datetime]:
    draw = stay.draw("transfusion")
    facts = toml("blood")
    threshold = _threshold(stay) + 0.25 * draw.normal()
    units = 0
    time = minutes_after(stay.admitted, draw.between(1.5, 4))
    while stay.inside(time) and units < facts["most"]:
        # A unit is ordered before the next count is known.
        expected = _untransfused(stay, time) + facts["rise"] * units
        if expected < threshold:
            yield time
            units += 1
            time += timedelta(minutes=draw.whole(100, 260))
        else:
            time += timedelta(hours=6)


def _threshold(stay: Stay) -> float:
    facts = toml("blood")
    heart = stay.reason.unit == "cardiovascular" or stay.has("coronary_disease")
    return float(facts["heart"] if heart or stay.has("blood_loss_anemia") else facts["usual"])


def _untransfused(stay: Stay, time: datetime) -> float:
    lab = labs()["hemoglobin"]
    shifted = shift(stay, "labs", lab.name, time, lab.peak, lab.tau)
    return stay.person.usual[lab.name] + shifted - _blood_loss(stay, time)


def haemoglobin_change(stay: Stay, time: datetime) -> float:
    """The change of haemoglobin by transfusions and hospital stay, in g/dl.

    Blood samples and infusions lower every patient's haemoglobin.
    """
    units = sum(hours_between(unit, time) > 1.5 for unit in stay.transfusions)
    return float(toml("blood")["rise"]) * units - _blood_loss(stay, time)


def _blood_loss(stay: Stay, time: datetime) -> float:
    facts = toml("blood")
    days = max(0.0, hours_between(stay.admitted, time) / 24)
    return float(min(facts["drained_most"], facts["drained"] + facts["drained_a_day"] * days))
