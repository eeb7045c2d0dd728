"""Inputs of clinical scores from the facts of a chart or a FHIR record, and the scores.

Some inputs are derived from others: ratios, sums of scales, signs.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import TypeAlias

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.scores.digestive import child_pugh, cockcroft_gault, meld, ranson
from wardround.ehr.scores.facts import Facts, Infusion, Measurement
from wardround.ehr.scores.infection import curb_65, qsofa, sirs, sofa
from wardround.ehr.scores.points import Score
from wardround.ehr.scores.thromboembolism import cha2ds2_vasc, has_bled, wells_pe
from wardround.ehr.terms.classes import members
from wardround.ehr.terms.drugs import generics

Value: TypeAlias = float | bool | None
FUNCTIONS: Mapping[str, Callable[..., Score]] = {
    function.__name__: function
    for function in (sofa, qsofa, sirs, curb_65, meld, child_pugh, ranson, cockcroft_gault,
                     cha2ds2_vasc, has_bled, wells_pe)
}  # fmt: skip
_FINDING = "finding:"
_ANSWERS = {"yes": True, "no": False, "unknown": None}

# Oxygen counts for gases of the next hours, and a ventilator's mode for assessments of a day.
_OXYGEN_COUNTS, _MODE_COUNTS = timedelta(hours=4), timedelta(hours=24)
_HOUR = timedelta(hours=1)
_OFF = "standby"
_SPEAKS, _SILENT = 5, 1
_CHARTED = "heart_rate"


@dataclass(frozen=True, slots=True)
class Windows:
    """Hours in which values count.

    Attributes:
        last: before the time that a score is asked for; the day of SOFA (Vincent 1996).
        arrival: from the admission's begin, for values "at admission" (Ranson 1974).
        first: from the admission's begin, for changes (Ranson 1974).
    """

    last: float = 24
    arrival: float = 24
    first: float = 48


def score_from(facts: Facts, name: str, windows: Windows = Windows(), **given: Value) -> Score:
    """A score from the facts of a record.

    Args:
        facts: the facts of a chart or a FHIR record at a time.
        name: the function's name, such as "meld".
        windows: the hours in which values count.
        given: inputs that somebody assessed, in place of the record's.
    """
    return FUNCTIONS[name](**{**score_inputs(facts, name, windows), **given})


def score_inputs(facts: Facts, name: str, windows: Windows = Windows()) -> dict[str, Value]:
    """The inputs of a score as the record has them; those that are nowhere in it are left out."""
    values = _by_measure(facts)
    inputs: dict[str, Value] = {}
    for row in _rows()[name]:
        start, end = _span(facts, row.window, windows)
        if row.value and row.source in values:
            within = [m for m in values[row.source] if start <= m.time <= end]
            inputs[row.input] = _chosen(within, row, FUNCTIONS[name])
        else:
            inputs[row.input] = _value_of(facts, row.source, start)
    return inputs


def coded_inputs(name: str, codes: Iterable[str]) -> dict[str, Value]:
    """The inputs of a score that the codes of all diagnoses decide, in either version of ICD."""
    of_either_version = frozenset((version, code) for code in codes for version in (9, 10))
    return {
        row.input: _of_codes(of_either_version, row.source.removeprefix(_FINDING))
        for row in _rows()[name]
        if row.source.startswith(_FINDING) or row.source == "confusion"
    }


@dataclass(frozen=True, slots=True)
class _Row:
    """An input of a score."""

    input: str
    source: str
    value: str
    window: str


def _by_measure(facts: Facts) -> Mapping[str, list[Measurement]]:
    by_measure = defaultdict[str, list[Measurement]](list)
    for each in with_derived(facts.measurements):
        if each.value is not None:
            by_measure[each.measure].append(each)
    return by_measure


def _span(facts: Facts, window: str, windows: Windows) -> tuple[datetime, datetime]:
    start = facts.stay.start
    match window:
        case "last":
            return max(start, facts.time - timedelta(hours=windows.last)), facts.time
        case "arrival" | "first":
            hours = windows.arrival if window == "arrival" else windows.first
            return start, min(start + timedelta(hours=hours), facts.time)
        case "stay":
            return start, facts.time
        case _:
            return datetime.min, facts.time


def _chosen(measurements: Sequence[Measurement], row: _Row, score: Callable[..., Score]) -> Value:
    """The value that counts; None if there is none."""
    values = [m.value for m in measurements if m.value is not None]
    if not values:
        return None
    match row.value:
        case "highest":
            return max(values)
        case "lowest":
            return min(values)
        case "first":
            return values[0]
        case "worst":
            return max(reversed(values), key=lambda value: score(**{row.input: value}).low)
        case "rise":
            return max(values) - values[0] if len(values) > 1 else None
        case "fall":
            return values[0] - min(values) if len(values) > 1 else None
        case _:
            return values[-1]


def _value_of(facts: Facts, source: str, start: datetime) -> Value:
    """The value of a source other than a measure, or of a measure without any value."""
    kind, _, name = source.partition(":")
    match kind:
        case "age":
            return _age(facts)
        case "female":
            return facts.female
        case "finding":
            return _coded(facts, name)
        case "infusion":
            return infusion_rate(facts, name, start)
        case "order":
            return _ordered(facts, split_cell(name), start)
        case "ventilated":
            return ventilated(facts, start)
        case "confusion":
            spoken = confused(facts, start)
            return _coded(facts, kind) if spoken is None else spoken
        case "urine":
            return daily_urine(facts, start)
        case _:
            return None


def _age(facts: Facts) -> float | None:
    """Completed years at the time."""
    if facts.birth is None:
        return None
    now, born = facts.time, facts.birth
    return now.year - born.year - ((now.month, now.day) < (born.month, born.day))


def _coded(facts: Facts, name: str) -> bool | None:
    """A finding by ICD codes; unknown if a stay that is not over could still get the code."""
    has_finding = _of_codes(facts.codes, name)
    return has_finding if facts.coded or has_finding else None


def _of_codes(codes: Iterable[tuple[int, str]], name: str) -> bool | None:
    """A finding by the codes of all diagnoses."""
    ninth, tenth, present, absent = _findings()[name]
    prefixes = {9: ninth, 10: tenth}
    is_coded = any(code.startswith(prefixes[version]) for version, code in codes)
    return _ANSWERS[present if is_coded else absent]


def _ordered(facts: Facts, classes: Iterable[str], start: datetime) -> bool | None:
    """True if a drug of some classes was ordered since a time; None without any order."""
    wanted = {drug for name in classes for drug in members(name)}
    drugs = {order.drug for order in facts.orders if order.end >= start}
    is_ordered = any(not wanted.isdisjoint(generics(drug)) for drug in drugs)
    return is_ordered if facts.orders else None


@cache
def _rows() -> Mapping[str, list[_Row]]:
    rows = defaultdict[str, list[_Row]](list)
    for score, *cells in read_rows(__package__, "inputs.tsv"):
        rows[score].append(_Row(*cells))
    return rows


@cache
def _findings() -> Mapping[str, tuple[tuple[str, ...], tuple[str, ...], str, str]]:
    return {
        name: (split_cell(ninth), split_cell(tenth), present, absent)
        for name, ninth, tenth, present, absent in read_rows(__package__, "findings.tsv")
    }


def with_derived(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Measurements with those derived from them, by time.

    Derived are the PaO2 of arterial samples and its ratio to FiO2, the Glasgow Coma Scale, and the
    base deficit.
    """
    arterial = list(_arterial(measurements))
    derived = (*arterial, *_ratios(arterial, measurements), *_coma(measurements))
    deficits = [
        Measurement(m.time, "base_deficit", -m.value)
        for m in measurements
        if m.measure == "base_excess" and m.value is not None
    ]
    return sorted((*measurements, *derived, *deficits), key=lambda m: m.time)


def ventilated(facts: Facts, start: datetime) -> bool | None:
    """True with a ventilator's mode since a time; false in a chart without one, else None."""
    modes = [m for m in facts.measurements if m.measure == "ventilator_mode" and m.time >= start]
    if any(m.words.lower() != _OFF for m in modes):
        return True
    return False if is_charted(facts, start) else None


def confused(facts: Facts, start: datetime) -> bool | None:
    """True with a confused verbal response since a time; None if no response was assessed.

    No response at all tells nothing, as of somebody with a tube.
    """
    spoken = [
        m.value
        for m in facts.measurements
        if m.measure == "verbal_response" and m.time >= start and m.value != _SILENT
    ]
    return any(value != _SPEAKS for value in spoken) if spoken else None


def is_charted(facts: Facts, start: datetime) -> bool:
    """True if vital signs were charted since a time: infusions and ventilators would be too."""
    return any(m.measure == _CHARTED and m.time >= start for m in facts.measurements)


def daily_urine(facts: Facts, start: datetime) -> float | None:
    """The urine of a day since a time; None unless the chart covers all the time."""
    charted = [m.time for m in facts.measurements if m.measure == _CHARTED]
    volumes = [
        m.value
        for m in facts.measurements
        if m.measure == "urine" and m.time > start and m.value is not None
    ]
    days = (facts.time - start) / timedelta(days=1)
    if not volumes or min(charted, default=facts.time) > start + _HOUR or days <= 0:
        return None
    return sum(volumes) / days


def infusion_rate(facts: Facts, item: str, start: datetime) -> float | None:
    """The highest rate that an infusion had for an hour since a time; 0 if it was not given."""
    running = [i for i in facts.infusions if i.item == item and i.end > start]
    rates = [i.rate for i in running if i.rate is not None]
    if len(rates) < len(running) or not (running or is_charted(facts, start)):
        return None
    lasting = (rate for rate in rates if _duration(running, rate, start) >= _HOUR)
    return max(lasting, default=0.0)


def _duration(running: Iterable[Infusion], rate: float, start: datetime) -> timedelta:
    """The time with at least a rate."""
    spans = (i.end - max(i.start, start) for i in running if i.rate is not None and i.rate >= rate)
    return sum(spans, timedelta())


def _arterial(measurements: Sequence[Measurement]) -> Iterator[Measurement]:
    """The PaO2 of samples that are arterial, or whose kind nobody wrote down."""
    kinds = {m.time: m.words.lower() for m in measurements if m.measure == "specimen"}
    for m in measurements:
        if m.measure == "pao2" and kinds.get(m.time, "art").startswith("art"):
            yield Measurement(m.time, "arterial_pao2", m.value)


def _ratios(
    arterial: Iterable[Measurement], measurements: Sequence[Measurement]
) -> Iterator[Measurement]:
    """PaO2 by FiO2, the share of oxygen written as percent or as a fraction."""
    shares = [m for m in measurements if m.measure == "oxygen" and m.value]
    for gas in arterial:
        before = [m for m in shares if gas.time - _OXYGEN_COUNTS <= m.time <= gas.time]
        if before and gas.value is not None and (share := before[-1].value):
            yield Measurement(
                gas.time, "pao2_fio2", gas.value / (share / 100 if share > 1 else share)
            )


def _coma(measurements: Sequence[Measurement]) -> Iterator[Measurement]:
    """Sums of the three responses; none where a ventilated patient could not speak."""
    modes = [m.time for m in measurements if m.measure == "ventilator_mode"]
    by_time: dict[datetime, dict[str, float]] = {}
    for m in measurements:
        if m.measure.endswith(("_opening", "_response")) and m.value is not None:
            by_time.setdefault(m.time, {})[m.measure] = m.value
    for time, scores in by_time.items():
        tube = any(time - _MODE_COUNTS <= mode <= time for mode in modes)
        if len(scores) == 3 and not (tube and scores["verbal_response"] == _SILENT):
            yield Measurement(time, "coma_scale", sum(scores.values()))
