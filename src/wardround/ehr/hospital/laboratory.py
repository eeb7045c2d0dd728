"""Laboratory results: scheduling of tests, their values, and those calculated from others."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from wardround.ehr.hospital.blood import haemoglobin_change
from wardround.ehr.hospital.catalogue import labs, toml
from wardround.ehr.hospital.catalogue_entries import Intervention, Lab
from wardround.ehr.hospital.course import shift
from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stays import NOW, Problem, Stay, hours_between, minutes_after
from wardround.ehr.hospital.ventilation import ventilation

Values = Callable[[str], float]

# Hydrogen ion concentrations (nmol/l) and their pH, for linear interpolation.
_PH = (
    (16, 7.8),
    (20, 7.7),
    (25, 7.6),
    (32, 7.5),
    (40, 7.4),
    (50, 7.3),
    (63, 7.2),
    (79, 7.1),
    (100, 7.0),
    (126, 6.9),
    (158, 6.8),
)


class Result(NamedTuple):
    """One laboratory result.

    Attributes:
        lab: The test, with unit, fluid and reference range.
        time: The collection time; results of one time and fluid share a specimen.
        value: The number, limited to the analyser's range.
        stored: The time of the result, at most the current time.
        priority: "STAT" or "ROUTINE".
        text: The result as written, such as "4.1" or "<0.01".
        abnormal: True if outside the reference range.
    """

    lab: Lab
    time: datetime
    value: float
    stored: datetime
    priority: str
    text: str
    abnormal: bool


Schedule = dict[datetime, list[str]]
# Time and deviation of the last measurement, by test.
Noise = dict[str, tuple[datetime, float]]
# Minimum interval between two measurements of a test.
SOON = timedelta(minutes=100)
# Hours after which deviations of two measurements are independent.
FORGOTTEN = 14.0
# Hours after onset at which a serial test is repeated.
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
            yield from _results_at(draw, stay, time, tests, noise)


def _tests(panel: str) -> list[str]:
    tests: list[str] = toml("panels")["panels"][panel]
    return tests


def _schedule(draw: RandomStream, stay: Stay) -> Schedule:
    """Panels by collection time."""
    schedule: Schedule = {}
    arrival = minutes_after(stay.admitted, draw.between(0.3, 1.6))
    _order(draw, schedule, arrival, "arrival")
    for morning in _mornings(draw, stay, arrival):
        _order(draw, schedule, morning, "morning")
        _order(draw, schedule, minutes_after(morning, draw.between(9, 13)), "evening")
    _order_intensive(draw, schedule, stay)
    for unit in stay.transfusions[:1]:
        # A blood count before and after each transfusion.
        for hours in (-0.8, 5.0):
            schedule.setdefault(minutes_after(unit, hours), []).append("crit")
    for problem in stay.problems:
        for intervention in problem.condition.tests:
            _order_for(draw, schedule, stay, problem, intervention, arrival)
    return schedule


def _order(draw: RandomStream, schedule: Schedule, time: datetime, occasion: str) -> None:
    for panel, chance in toml("panels")["routine"][occasion].items():
        if draw.chance(chance):
            schedule.setdefault(time, []).append(panel)


def _mornings(draw: RandomStream, stay: Stay, arrival: datetime) -> list[datetime]:
    first = stay.admitted.replace(hour=0, minute=0) + timedelta(days=1)
    days = int(stay.hours / 24) + 1
    times = (
        minutes_after(first + timedelta(days=day), draw.between(4.2, 7.6)) for day in range(days)
    )
    return [time for time in times if time > arrival + timedelta(hours=4) and time < stay.end]


def _order_intensive(draw: RandomStream, schedule: Schedule, stay: Stay) -> None:
    gaps = toml("panels")["routine"]["hours"]
    for start, end in stay.intensive:
        for time in _every(draw, start, end, gaps["intensive"]):
            _order(draw, schedule, time, "intensive")
    for start, end in ventilation(stay):
        for time in _every(draw, start, min(end, start + timedelta(days=5)), gaps["ventilated"]):
            _order(draw, schedule, time, "ventilated")


def _every(draw: RandomStream, start: datetime, end: datetime, hours: float) -> Iterator[datetime]:
    time = minutes_after(start, draw.between(0.2, 1.5))
    while time < end:
        yield time
        time = minutes_after(time, hours * draw.between(0.75, 1.3))


def _order_for(
    draw: RandomStream,
    schedule: Schedule,
    stay: Stay,
    problem: Problem,
    intervention: Intervention,
    arrival: datetime,
) -> None:
    """Schedule the panels of one problem: once, every morning or as a series."""
    if not draw.chance(intervention.chance):
        return
    panel = _panel(stay, intervention.name)
    started = problem.onset if problem.condition.late else arrival
    times = [started]
    if intervention.detail == "serial":
        times = [arrival] + [minutes_after(started, hours) for hours in SERIES[: draw.whole(3, 6)]]
    elif intervention.detail == "daily":
        times += [time for time in schedule if time.hour in (4, 5, 6, 7) and time > started]
    for time in times if panel else ():
        schedule.setdefault(time, []).append(panel)


def _panel(stay: Stay, name: str) -> str:
    """The panel that this person's doctors order; "" if no test measures the drug taken."""
    if name == "antiepileptic_level":
        drug, _ = stay.person.drug("antiepileptic")
        return LEVELS.get(drug.name.split()[0], "")
    return stay.person.habits.get(name, name)


def _results_at(
    draw: RandomStream, stay: Stay, time: datetime, tests: list[str], noise: Noise
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
        text = _result_text(lab, value)
        abnormal = not lab.low <= value <= (lab.high or value)
        priority = "STAT" if urgent else "ROUTINE"
        yield Result(lab, time, value, stored, priority, text, abnormal)


def _value(
    draw: RandomStream,
    stay: Stay,
    time: datetime,
    values: dict[str, float],
    noise: Noise,
    name: str,
) -> float:
    """The value at a time, cached so that derived tests agree."""
    if name not in values:
        lab = labs()[name]
        shifted = shift(stay, "labs", name, time, lab.peak, lab.tau)
        if name == "hemoglobin":
            shifted += haemoglobin_change(stay, time)
        deviation = _deviation(draw, time, noise, name)
        size = lab.wobble * (1 + min(3.0, abs(shifted) / (abs(lab.mean) + 1)))
        values[name] = _clamped(lab, stay.person.usual[name] + shifted + size * deviation)
    return values[name]


def _deviation(draw: RandomStream, time: datetime, noise: Noise, name: str) -> float:
    """Deviation in standard deviations, correlated with the previous measurement."""
    fresh = draw.normal()
    then, last = noise.get(name, (time, fresh))
    correlation = max(0.0, 1 - hours_between(then, time) / FORGOTTEN)
    deviation = (
        correlation * last + (1 - correlation * correlation) ** 0.5 * fresh
        if name in noise
        else fresh
    )
    noise[name] = time, deviation
    return deviation


def _clamped(lab: Lab, value: float) -> float:
    return min(max(value, lab.floor), lab.ceiling)


def _reported(lab: Lab, value: float) -> float:
    # Adding 0 turns the -0.0 of rounding into 0.0.
    return round(_clamped(lab, value), lab.decimals) + 0.0


def _result_text(lab: Lab, value: float) -> str:
    """The reported text, with a sign below the detection limit."""
    number = f"{value:.{lab.decimals}f}"
    return f"<{number}" if lab.low == 0 and 0 < value <= lab.floor else number


def ph_of(bicarbonate: float, pco2: float) -> float:
    """The pH at that bicarbonate (meq/l) and carbon dioxide (mm hg), after Henderson.

    >>> round(ph_of(24, 40), 2), round(ph_of(10, 25), 2)
    (7.4, 7.22)
    """
    hydrogen = 24 * pco2 / bicarbonate
    for (left, upper), (right, lower) in pairwise(_PH):
        if hydrogen <= right:
            return upper + (lower - upper) * (max(hydrogen, left) - left) / (right - left)
    return _PH[-1][1]


def _chloride(value: Values) -> float:
    return value("sodium") + value("potassium") - value("bicarbonate") - value("anion_gap")


def _hematocrit(value: Values) -> float:
    return 3.02 * value("hemoglobin")


def _red_cells(value: Values) -> float:
    return 10 * _hematocrit(value) / value("mcv")


def _lymphocytes(value: Values) -> float:
    other_cells = ("neutrophils", "monocytes", "eosinophils", "basophils")
    return 100 - sum(value(name) for name in other_cells)


def _base_excess(value: Values) -> float:
    ph = ph_of(value("bicarbonate"), value("pco2"))
    return 0.93 * (value("bicarbonate") - 24.4) + 13.8 * (ph - 7.4)


def _ldl(value: Values) -> float:
    total, hdl = value("cholesterol_total"), value("cholesterol_hdl")
    return total - hdl - value("triglycerides") / 5


DERIVED: Mapping[str, Callable[[Values], float]] = {
    "chloride": _chloride,
    "arterial_ph": lambda value: ph_of(value("bicarbonate"), value("pco2")),
    "hematocrit": _hematocrit,
    "red_blood_cells": _red_cells,
    "mch": lambda value: 10 * value("hemoglobin") / _red_cells(value),
    "mchc": lambda value: 100 * value("hemoglobin") / _hematocrit(value),
    "rdw_sd": lambda value: 0.0365 * value("rdw") * value("mcv"),
    "lymphocytes": _lymphocytes,
    "inr": lambda value: value("pt") / 11.4,
    "base_excess": _base_excess,
    "total_co2": lambda value: value("bicarbonate") + 0.03 * value("pco2"),
    "bilirubin_indirect": lambda value: value("bilirubin_total") - value("bilirubin_direct"),
    "ck_mb_index": lambda value: 100 * value("ck_mb") / value("creatine_kinase"),
    "cholesterol_ldl": _ldl,
    "cholesterol_ratio": lambda value: value("cholesterol_total") / value("cholesterol_hdl"),
    "average_glucose": lambda value: 28.7 * value("hemoglobin_a1c") - 46.7,
}

# Tests that are also measured independently have a small error each.
_MEASURED = {"hematocrit": 0.012, "mch": 0.01, "mchc": 0.012, "rdw_sd": 0.01, "arterial_ph": 0.001}


def lab_error(name: str) -> float:
    """The relative error of a derived result."""
    return _MEASURED.get(name, 0.0)
