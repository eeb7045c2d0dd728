"""Sources of the numbers in an answer: records, questions, conversion, arithmetic, thresholds."""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations

from wardround.benchmarks.assist.checks.amounts import rounded_equal
from wardround.benchmarks.assist.checks.evidence import TurnEvidence
from wardround.benchmarks.assist.checks.quantities import Quantity, days, quantities
from wardround.benchmarks.assist.checks.reading import Mark, read
from wardround.ehr.terms.conversions import convert
from wardround.ehr.terms.labs import lab_named

_SMALL = 10  # whole numbers up to this count things
_RATIOS = ("", "%", "times")
_MOST = 400  # numbers of the evidence that are compared in pairs


def unaccounted(answer: str, evidence: TurnEvidence) -> list[Quantity]:
    """The numbers of an answer that have no source, in order.

    Args:
        answer: the answer.
        evidence: what it can rest on.
    """
    marks = [m for m in read(answer, evidence.topic).of("quantity") if m.quantity]
    sources = [q for text in evidence.texts for q in quantities(text)]
    known = {q.value for q in sources} | {q.high for q in sources if q.high is not None}
    pairs = {(q.value, q.unit) for q in sources}
    return [
        mark.quantity
        for mark in marks
        if mark.quantity and not _is_known(mark, known) and not _is_derived(mark.quantity, pairs)
    ]


def future_days(answer: str, clock: str) -> list[str]:
    """The dates of an answer, with a year, that are later than the clock's day."""
    if not clock:
        return []
    found = [
        f"{day.year:04d}-{day.month:02d}-{day.day:02d}"
        for day in days(answer)
        if day.year and day.month and day.day
    ]
    return [day for day in found if day > clock[:10]]


def _is_known(mark: Mark, known: set[float]) -> bool:
    quantity = mark.quantity
    if quantity is None or (quantity.value <= _SMALL and quantity.value.is_integer()):
        return True
    ends = [quantity.value] if quantity.high is None else [quantity.value, quantity.high]
    if all(_among(end, quantity.decimals, known) for end in ends):
        return True
    limits = _thresholds(mark.owner[0][1] if mark.owner else "")
    if limits and all(end in limits for end in ends):
        return True
    return _among_converted(mark, known)


def _among(value: float, decimals: int, known: Iterable[float]) -> bool:
    return any(rounded_equal(value, decimals, each, 6) or value == each for each in known)


def _among_converted(mark: Mark, known: set[float]) -> bool:
    """True for a number of the evidence in another unit."""
    quantity = mark.quantity
    if quantity is None or not quantity.unit:
        return False
    test = mark.owner[0][1] if mark.owner else ""
    targets = ("mg/dL", "g/dL", "mEq/L", "mmol/L", "umol/L", "K/uL", "mg", "g", "kg", "°F", "°C",
               "day", "week", "h", "mcg", "lb")  # fmt: skip
    for value in known:
        for unit in targets:
            converted = convert(value, unit, quantity.unit, test)
            if converted and rounded_equal(quantity.value, quantity.decimals, converted, 6):
                return True
    return False


def _is_derived(quantity: Quantity, known: Iterable[tuple[float, str]]) -> bool:
    """True for a difference of numbers with its unit, or a ratio or percentage of numbers."""
    numbers = sorted(known)[:_MOST]
    value, decimals = quantity.value, quantity.decimals
    return any(
        rounded_equal(value, decimals, derived, 6)
        for (first, unit), (second, other) in combinations(numbers, 2)
        if unit == other or "" in (unit, other)
        for derived in _derived(first, second, unit or other, quantity.unit)
    )


def _derived(small: float, large: float, own: str, unit: str) -> Iterator[float]:
    if own == unit or "" in (own, unit):
        yield large - small
    if small > 0 and unit in _RATIOS:
        factor = 100 if unit == "%" else 1
        yield large / small * factor
        yield small / large * factor
        yield (large - small) / small * factor
        yield (large - small) / large * factor


@cache
def _thresholds(test: str) -> frozenset[float]:
    """The ends of a test's reference ranges."""
    lab = lab_named(test)
    ranges = [lab.adult, *lab.by_sex.values()] if lab else []
    return frozenset(end for each in ranges if each for end in (each.low, each.high))
