"""Red cells: when a person is transfused, and what a unit does to the blood count."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from wardround.ehr.hospital.catalogue import labs, toml
from wardround.ehr.hospital.course import shift
from wardround.ehr.hospital.stays import Stay, hours_between, minutes_after


def transfusions(stay: Stay) -> tuple[datetime, ...]:
    """When units of red cells are given: below a threshold, one unit after another.

    The threshold is 7 g/dl, and 8 g/dl for people with heart disease, after heart surgery and while
    bleeding (AABB 2016), with what doctors differ by.
    """
    if ("labs", "hemoglobin") not in stay.moves:
        return ()
    return tuple(_units(stay))


def _units(stay: Stay) -> Iterator[datetime]:
    draw = stay.draw("transfusion")
    facts = toml("blood")
    threshold = _threshold(stay) + 0.25 * draw.normal()
    given = 0
    time = minutes_after(stay.admitted, draw.between(1.5, 4))
    while stay.inside(time) and given < facts["most"]:
        # A unit is on its way before the next count is known.
        expected = _untransfused(stay, time) + facts["rise"] * given
        if expected < threshold:
            yield time
            given += 1
            time += timedelta(minutes=draw.whole(100, 260))
        else:
            time += timedelta(hours=6)


def _threshold(stay: Stay) -> float:
    facts = toml("blood")
    heart = stay.reason.unit == "cardiovascular" or stay.has("coronary_disease")
    return float(facts["heart"] if heart or stay.has("blood_loss_anemia") else facts["usual"])


def _untransfused(stay: Stay, time: datetime) -> float:
    lab = labs()["hemoglobin"]
    moved = shift(stay, "labs", lab.name, time, lab.peak, lab.tau)
    return stay.person.usual[lab.name] + moved - _drained(stay, time)


def changed(stay: Stay, time: datetime) -> float:
    """By how much transfusions have raised haemoglobin and being in hospital has lowered it, g/dl.

    Blood taken for tests and fluids given cost every patient some haemoglobin.
    """
    given = sum(hours_between(unit, time) > 1.5 for unit in stay.transfusions)
    return float(toml("blood")["rise"]) * given - _drained(stay, time)


def _drained(stay: Stay, time: datetime) -> float:
    facts = toml("blood")
    days = max(0.0, hours_between(stay.admitted, time) / 24)
    return float(min(facts["drained_most"], facts["drained"] + facts["drained_a_day"] * days))
