"""Laboratory results: what is ordered when, and what comes back."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from wardround.ehr.hospital.blood import changed
from wardround.ehr.hospital.catalogue import Lab, Wish, labs, toml
from wardround.ehr.hospital.course import shift
from wardround.ehr.hospital.derived import DERIVED, lab_error
from wardround.ehr.hospital.random_stream import Draw
from wardround.ehr.hospital.stays import NOW, Problem, Stay, hours_between, minutes_after
from wardround.ehr.hospital.ventilation import ventilation


class Result(NamedTuple):
    """One laboratory result.

    Attributes:
        lab: What was tested, with unit, fluid and reference range.
        time: When the specimen was taken; results of one time share a specimen per fluid.
        value: The number; at the end of what the analyser measures, that end.
        stored: When the result was known, never beyond the current time.
        priority: "STAT" or "ROUTINE".
        text: The result as written, such as "4.1" or "<0.01".
        abnormal: Whether it lies outside the reference range.
    """

    lab: Lab
    time: datetime
    value: float
    stored: datetime
    priority: str
    text: str
    abnormal: bool


Schedule = dict[datetime, list[str]]
# By test, when it was last measured and how far that was from what is expected.
Noise = dict[str, tuple[datetime, float]]
# Nobody sends the same test twice in so short a time.
SOON = timedelta(minutes=100)
# Hours after which one measurement's deviation says nothing about the next.
FORGOTTEN = 14.0
# Hours after onset at which a test is repeated to see a rise or fall.
SERIES = (0.5, 6, 12, 20, 30, 42)
LEVELS = {
    "phenytoin": "phenytoin_level",
    "divalproex": "valproic_acid_level",
    "carbamazepine": "carbamazepine_level",
}


def results(stay: Stay) -> Iterator[Result]:
    """All laboratory results of a stay, in time order."""
    draw = stay.draw("laboratory")
    schedule = _schedule(draw, stay)
    before: dict[str, datetime] = {}
    noise: Noise = {}
    for time in sorted(schedule):
        ordered = dict.fromkeys(test for panel in schedule[time] for test in _tests(panel))
        tests = [test for test in ordered if test not in before or time - before[test] > SOON]
        if stay.inside(time):
            before |= dict.fromkeys(tests, time)
            yield from _resulted(draw, stay, time, tests, noise)


def _tests(panel: str) -> list[str]:
    tests: list[str] = toml("panels")["panels"][panel]
    return tests


def _schedule(draw: Draw, stay: Stay) -> Schedule:
    """Panels by the time at which blood is drawn."""
    schedule: Schedule = {}
    arrival = minutes_after(stay.admitted, draw.between(0.3, 1.6))
    _order(draw, schedule, arrival, "arrival")
    for morning in _mornings(draw, stay, arrival):
        _order(draw, schedule, morning, "morning")
        _order(draw, schedule, minutes_after(morning, draw.between(9, 13)), "evening")
    _order_intensive(draw, schedule, stay)
    for unit in stay.transfusions[:1]:
        # A count decides on blood, and another shows what it did.
        for hours in (-0.8, 5.0):
            schedule.setdefault(minutes_after(unit, hours), []).append("crit")
    for problem in stay.problems:
        for wish in problem.condition.tests:
            _order_for(draw, schedule, stay, problem, wish, arrival)
    return schedule


def _order(draw: Draw, schedule: Schedule, time: datetime, occasion: str) -> None:
    for panel, chance in toml("panels")["routine"][occasion].items():
        if draw.chance(chance):
            schedule.setdefault(time, []).append(panel)


def _mornings(draw: Draw, stay: Stay, arrival: datetime) -> list[datetime]:
    first = stay.admitted.replace(hour=0, minute=0) + timedelta(days=1)
    days = int(stay.hours / 24) + 1
    times = (
        minutes_after(first + timedelta(days=day), draw.between(4.2, 7.6)) for day in range(days)
    )
    return [time for time in times if time > arrival + timedelta(hours=4) and time < stay.end]


def _order_intensive(draw: Draw, schedule: Schedule, stay: Stay) -> None:
    gaps = toml("panels")["routine"]["hours"]
    for start, end in stay.intensive:
        for time in _every(draw, start, end, gaps["intensive"]):
            _order(draw, schedule, time, "intensive")
    for start, end in ventilation(stay):
        for time in _every(draw, start, min(end, start + timedelta(days=5)), gaps["ventilated"]):
            _order(draw, schedule, time, "ventilated")


def _every(draw: Draw, start: datetime, end: datetime, hours: float) -> Iterator[datetime]:
    time = minutes_after(start, draw.between(0.2, 1.5))
    while time < end:
        yield time
        time = minutes_after(time, hours * draw.between(0.75, 1.3))


def _order_for(
    draw: Draw, schedule: Schedule, stay: Stay, problem: Problem, wish: Wish, arrival: datetime
) -> None:
    """Orders what one problem asks for: once, every morning or as a series."""
    if not draw.chance(wish.chance):
        return
    panel = _panel(stay, wish.name)
    started = problem.onset if problem.condition.late else arrival
    times = [started]
    if wish.detail == "serial":
        times = [arrival] + [minutes_after(started, hours) for hours in SERIES[: draw.whole(3, 6)]]
    elif wish.detail == "daily":
        times += [time for time in schedule if time.hour in (4, 5, 6, 7) and time > started]
    for time in times if panel else ():
        schedule.setdefault(time, []).append(panel)


def _panel(stay: Stay, name: str) -> str:
    """The panel that this person's doctors order; empty where no test measures the drug taken."""
    if name == "antiepileptic_level":
        drug, _ = stay.person.drug("antiepileptic")
        return LEVELS.get(drug.name.split()[0], "")
    return stay.person.habits.get(name, name)


def _resulted(
    draw: Draw, stay: Stay, time: datetime, tests: list[str], noise: Noise
) -> Iterator[Result]:
    values: dict[str, float] = {}
    urgent = stay.urgent_at(time)
    stored = min(
        NOW, minutes_after(time, draw.between(0.4, 1.2) if urgent else draw.between(0.8, 3))
    )
    for name in tests:
        lab = labs()[name]
        if name in DERIVED:
            exact = DERIVED[name](lambda test: _value(draw, stay, time, values, noise, test))
            value = exact * (1 + lab_error(name) * draw.normal())
        else:
            value = _value(draw, stay, time, values, noise, name)
        value = _reported(lab, value)
        text = _written(lab, value)
        abnormal = not lab.low <= value <= (lab.high or value)
        priority = "STAT" if urgent else "ROUTINE"
        yield Result(lab, time, value, stored, priority, text, abnormal)


def _value(
    draw: Draw, stay: Stay, time: datetime, values: dict[str, float], noise: Noise, name: str
) -> float:
    """The value at that time, measured once and then the same for every test derived from it."""
    if name not in values:
        lab = labs()[name]
        moved = shift(stay, "labs", name, time, lab.peak, lab.tau)
        if name == "hemoglobin":
            moved += changed(stay, time)
        strayed = _strayed(draw, time, noise, name)
        size = lab.wobble * (1 + min(3.0, abs(moved) / (abs(lab.mean) + 1)))
        values[name] = _clamped(lab, stay.person.usual[name] + moved + size * strayed)
    return values[name]


def _strayed(draw: Draw, time: datetime, noise: Noise, name: str) -> float:
    """By how many usual variations a value strays; soon after another, much as that one did."""
    fresh = draw.normal()
    then, last = noise.get(name, (time, fresh))
    kept = max(0.0, 1 - hours_between(then, time) / FORGOTTEN)
    strayed = kept * last + (1 - kept * kept) ** 0.5 * fresh if name in noise else fresh
    noise[name] = time, strayed
    return strayed


def _clamped(lab: Lab, value: float) -> float:
    return min(max(value, lab.floor), lab.ceiling)


def _reported(lab: Lab, value: float) -> float:
    # Rounding leaves a minus on a zero, which SQLite drops and no laboratory writes.
    return round(_clamped(lab, value), lab.decimals) + 0.0


def _written(lab: Lab, value: float) -> str:
    """As the laboratory writes it; below what it can measure, with a sign."""
    number = f"{value:.{lab.decimals}f}"
    return f"<{number}" if lab.low == 0 and 0 < value <= lab.floor else number
