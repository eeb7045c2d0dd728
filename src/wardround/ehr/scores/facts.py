"""Facts of a patient that clinical scores rest on, as a chart or a FHIR record has them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Literal, TypeAlias

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.conversions import convert, unit_named

Origin: TypeAlias = Literal["lab", "chart", "output", "visit"]
_RATE = "mcg/kg/min"
_EVER = "weight"  # the measure that counts before the admission too


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of one source.

    Attributes:
        name: its name.
        unit: the unit of its values here, the same for all sources.
        source_unit: the unit of the source.
        test: the test's label for molar units; "" if it has none.
    """

    name: str
    unit: str
    source_unit: str
    test: str


@dataclass(frozen=True, slots=True)
class Measurement:
    """A measured value.

    Attributes:
        time: its time by the hospital's clocks; of a visit, the beginning of the day.
        measure: the measure's name.
        value: the number in the measure's unit; None if it is in words.
        words: a value in words; "" if it is a number.
    """

    time: datetime
    measure: str
    value: float | None
    words: str = ""


@dataclass(frozen=True, slots=True)
class Infusion:
    """An infusion of a drug, by its item in MIMIC-IV; its rate is in ug/kg/min, None if unknown."""

    start: datetime
    end: datetime
    item: str
    rate: float | None


@dataclass(frozen=True, slots=True)
class Order:
    """An ordered drug, as its order names it."""

    start: datetime
    end: datetime
    drug: str


@dataclass(frozen=True, slots=True)
class Stay:
    """An admission: its begin, in the emergency department if there, and its end if known."""

    start: datetime
    end: datetime | None


@dataclass(frozen=True)
class Facts:
    """Everything that a record knows of a patient at a time of an admission.

    Attributes:
        time: the time, by the hospital's clocks.
        stay: the admission.
        birth: the date of birth; MIMIC-IV on FHIR derives it from the age at the first arrival.
        female: female sex.
        codes: ICD codes as (version, code) of this admission, if it has ended, and earlier ones.
        coded: the diagnoses of this admission are among the codes.
        measurements: values up to the time, by time; of the admission, and weights before it.
        infusions: infusions of vasoactive drugs.
        orders: orders of the admission.
    """

    time: datetime
    stay: Stay
    birth: date | None
    female: bool | None
    codes: frozenset[tuple[int, str]]
    coded: bool
    measurements: tuple[Measurement, ...]
    infusions: tuple[Infusion, ...]
    orders: tuple[Order, ...]


def measured(
    time: datetime, measure: Measure, number: float | None, unit: str | None, words: str = ""
) -> Measurement | None:
    """A value in the measure's unit; None without number and words, or in a foreign unit.

    >>> fahrenheit = measures("chart")["223761"]
    >>> measured(datetime(2150, 1, 1), fahrenheit, 98.6, "°F").value
    37.0
    """
    if number is None:
        return Measurement(time, measure.name, None, words) if words else None
    # Shares and counts have no unit in many records.
    source = unit if unit and unit_named(unit) else measure.source_unit
    value = number
    if measure.unit and not _same(source, measure.unit):
        converted = convert(number, source, measure.unit, measure.test)
        if converted is None:
            return None
        value = round(converted, 6)
    return Measurement(time, measure.name, value)


def facts_of(
    time: datetime,
    stay: Stay,
    *,
    birth: date | None,
    female: bool | None,
    codes: frozenset[tuple[int, str]],
    measurements: Iterable[Measurement | None],
    infusions: Iterable[Infusion],
    orders: Iterable[Order],
) -> Facts:
    """Facts in order of time; the end of the stay counts from when it is known."""
    ended = stay.end is not None and stay.end <= time
    present = {each for each in measurements if each is not None}
    within = (each for each in present if each.measure == _EVER or each.time >= stay.start)
    return Facts(
        time=time,
        stay=stay if ended else Stay(stay.start, None),
        birth=birth,
        female=female,
        codes=codes,
        coded=ended,
        measurements=tuple(
            sorted(within, key=lambda m: (m.time, m.measure, m.words, m.value or 0))
        ),
        infusions=tuple(sorted(set(infusions), key=lambda i: (i.start, i.item, i.end))),
        orders=tuple(sorted(set(orders), key=lambda o: (o.start, o.drug, o.end))),
    )


def rate_of(rate: float | None, unit: str | None) -> float | None:
    """The rate of an infusion in ug/kg/min; None in a unit without the weight."""
    return None if rate is None else convert(rate, unit or "", _RATE)


@cache
def measures(source: Origin) -> Mapping[str, Measure]:
    """The measures of a source by item."""
    return {
        item: measure for origin, items, measure, _ in _rows() if origin == source for item in items
    }


@cache
def measures_by_loinc() -> Mapping[str, Measure]:
    """The measures by LOINC code, for records without MIMIC-IV's items."""
    return {code: measure for _, _, measure, codes in _rows() for code in codes}


@cache
def vasoactive_items() -> tuple[str, ...]:
    """The items of MIMIC-IV that the inputs of scores name as infusions."""
    rows = read_rows(__package__, "inputs.tsv")
    sources = (source.partition(":") for _, _, source, *_ in rows)
    return tuple(sorted({item for kind, _, item in sources if kind == "infusion"}))


@cache
def _rows() -> tuple[tuple[str, tuple[str, ...], Measure, tuple[str, ...]], ...]:
    units: dict[str, str] = {}
    rows = []
    for name, source, items, unit, loinc, test in read_rows(__package__, "measures.tsv"):
        measure = Measure(name, units.setdefault(name, unit), unit, test)
        rows.append((source, split_cell(items), measure, split_cell(loinc)))
    return tuple(rows)


def _same(unit: str, other: str) -> bool:
    first, second = unit_named(unit), unit_named(other)
    return first is not None and first == second
