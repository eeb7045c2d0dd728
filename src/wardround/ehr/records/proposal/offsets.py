"""Integers that are offsets from the start of a stay, told from ids and counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from wardround.ehr.database.interface import Cell
from wardround.ehr.records.model import OffsetUnit
from wardround.ehr.records.proposal.facts import ColumnFacts, TableFacts
from wardround.ehr.records.proposal.hierarchy import Evidence, in_order
from wardround.ehr.records.proposal.times import TimeColumn, span
from wardround.ehr.records.proposal.values import named, value_roles

# Offsets of stays of days to weeks, as numbers of each unit. Where these overlap, the unit is open.
_RANGES: Mapping[OffsetUnit, tuple[float, float]] = {
    "second": (60_000, 3_000_000),
    "minute": (1_000, 50_000),
    "hour": (17, 800),
    "day": (0.7, 16),
}


_PER_DAY: Mapping[OffsetUnit, float] = {"second": 86_400, "minute": 1_440, "hour": 24, "day": 1}


_TURNS = 8  # times that stays are exchanged, to see what is outside another


@dataclass(frozen=True, slots=True)
class Clock:
    """The start of a stay whose times are offsets.

    Attributes:
        unit: The unit of the offsets.
        start: A column with the time, or with the time of day; empty if there is none.
        year: A column with the year; empty if there is none.
        is_time: True if `start` has days.
        first: The offset before all others, if there is one before the start.
        ends: The offsets of the ends, the nearest first.
    """

    unit: OffsetUnit
    start: str
    year: str
    is_time: bool
    first: str
    ends: tuple[str, ...]
    evidence: Evidence


def clock_of(table: TableFacts, ids: Sequence[str]) -> Clock | None:
    """The clock of a table of stays without times: offsets to its ends, and where they begin.

    Offsets are told from counts by their spread, and by times of day: a time of day plus an offset
    is the other time of day. Without those, two offsets in order have to be there.
    """
    if span(table):
        return None
    offsets = [c for c in table.of_type("integer") if c.column.name not in ids and _is_wide(c)]
    clocks = [c for c in table.of_type("text") if "clock" in value_roles(c)]
    agreed = _agreements(offsets, clocks)
    if agreed:
        start = max(sorted({a for a, _ in agreed}), key=[a for a, _ in agreed].count)
        offsets = [c for c in offsets if (start, c.column.name) in agreed]
        about: Evidence = (
            ("order", f"{len(offsets)} offsets agree with times of day"),
            ("spread", "their range"),
        )
        return _clock("minute", start, table, offsets, about)
    ordered = [
        c
        for c in offsets
        if any(in_order(c, d) > 0.98 or in_order(d, c) > 0.98 for d in offsets if d is not c)
    ]
    if not ordered:
        return None
    ends = [c for c in ordered if min(c.numbers) >= 0] or ordered
    unit = unit_of(ends[0])
    return (
        _clock(unit, "", table, ordered, (("spread", "their range"), ("order", "their order")))
        if unit
        else None
    )


def _is_wide(column: ColumnFacts) -> bool:
    numbers = column.numbers
    return (
        column.filled > 0.5
        and len(column.distinct) >= 0.3 * len(numbers)
        and len(column.distinct) >= 8
        and max(numbers) - min(numbers) > 50
    )


def _clock(
    unit: OffsetUnit, start: str, table: TableFacts, offsets: Sequence[ColumnFacts], about: Evidence
) -> Clock | None:
    before = [c for c in offsets if max(c.numbers) <= 0 or median(c.numbers) < 0]
    ends = [c for c in offsets if c not in before]
    ends.sort(key=lambda c: median(c.numbers))
    before.sort(key=lambda c: median(c.numbers))
    years = [
        c.column.name
        for c in table.of_type("integer")
        if all(1900 <= n <= 2300 for n in c.numbers) and len(c.distinct) <= 60
    ]
    if not ends:
        return None
    return Clock(
        unit,
        start,
        years[0] if len(years) == 1 else "",
        False,
        before[0].column.name if before else "",
        tuple(c.column.name for c in ends),
        about,
    )


def _agreements(
    offsets: Sequence[ColumnFacts], clocks: Sequence[ColumnFacts]
) -> list[tuple[str, str]]:
    """Times of day that give another time of day when an offset of minutes is added."""
    return [
        (a.column.name, c.column.name)
        for a in clocks
        for b in clocks
        if a is not b
        for c in offsets
        if _agreement(a, b, c) > 0.95
    ]


def _agreement(start: ColumnFacts, end: ColumnFacts, offset: ColumnFacts) -> float:
    rows = [
        (_minutes(a) + b - _minutes(c)) % 1440
        for a, b, c in zip(start.cells, offset.cells, end.cells, strict=True)
        if isinstance(a, str) and isinstance(c, str) and isinstance(b, int) and b and a and c
    ]
    return (
        sum(difference in (0, 1, 1439) for difference in rows) / len(rows)
        if len(rows) >= 8
        else 0.0
    )


def _minutes(text: str) -> int:
    hours, minutes = text.split(":")[:2]
    return int(hours) * 60 + int(minutes)


def unit_of(column: ColumnFacts) -> OffsetUnit | None:
    """The unit of offsets to the ends of stays, if their middle fits just one."""
    middle = median(abs(n) for n in column.numbers)
    fitting = [unit for unit, (low, high) in _RANGES.items() if low <= middle <= high]
    return fitting[0] if len(fitting) == 1 else None


def event_offsets(
    table: TableFacts,
    taken: Sequence[str],
    stays: Sequence[Cell],
    ends: Mapping[Cell, float],
    clock: Clock,
) -> list[TimeColumn]:
    """The offsets among a table's integers, in their order.

    An offset is before the end of its own stay in nearly all rows, and of other stays in clearly
    fewer; or it is within an hour of another column that is one.

    Args:
        table: A table of events.
        taken: Columns that are keys.
        stays: The stay of each sampled row.
        ends: The end of each stay as an offset.
        clock: What the offsets count.
    """
    candidates = [
        c
        for c in table.of_type("integer", "number")
        if c.column.name not in taken
        and len(c.distinct) >= 5
        and c.filled > 0.5
        and all(float(n).is_integer() for n in c.numbers[:50])
    ]
    scored = {c.column.name: _inside(c, stays, ends, clock) for c in candidates}
    good = [c for c in candidates if _keeps_to_its_stay(scored[c.column.name], len(c.numbers))]
    if good:
        good += [c for c in candidates if c not in good and any(_close(c, d, clock) for d in good)]
    chosen = good or _early_pair(candidates, clock)
    return [
        TimeColumn(c.column.name, True, "second", _offset_evidence(c, chosen, scored))
        for c in sorted(chosen, key=lambda c: -_before(c, chosen))
    ]


def _before(column: ColumnFacts, others: Sequence[ColumnFacts]) -> int:
    """How many of the other columns it comes before."""
    return sum(in_order(column, other) > in_order(other, column) for other in others)


def _early_pair(columns: Sequence[ColumnFacts], clock: Clock) -> list[ColumnFacts]:
    """Two integers in order and close: when something early happened, and when it was entered."""
    pairs = [
        [a, b]
        for a in columns
        for b in columns
        if a is not b and in_order(a, b) > 0.98 and in_order(b, a) < 0.5 and _close(a, b, clock)
    ]
    return pairs[0] if len(pairs) == 1 else []


def _keeps_to_its_stay(shares: tuple[float, float], rows: int) -> bool:
    """True if at most a quarter as many rows are late in their own stay as would be by chance."""
    own, other = shares
    return other * rows >= 4 and own <= min(0.1, 0.25 * other)


def _close(first: ColumnFacts, second: ColumnFacts, clock: Clock) -> bool:
    """True if two columns mostly differ by less than an hour."""
    pairs = [(a, b) for a, b in zip(first.cells, second.cells, strict=True) if a and b]
    hour = _PER_DAY[clock.unit] / 24
    return len(pairs) >= 5 and sum(
        abs(float(str(a)) - float(str(b))) <= hour for a, b in pairs
    ) >= 0.8 * len(pairs)


def _offset_evidence(
    column: ColumnFacts, good: Sequence[ColumnFacts], scored: Mapping[str, tuple[float, float]]
) -> Evidence:
    own, other = scored[column.column.name]
    about = []
    if _keeps_to_its_stay((own, other), len(column.numbers)):
        about.append(("times", f"{own:.0%} after the end of its stay, {other:.0%} of another"))
    if any(d is not column and max(in_order(column, d), in_order(d, column)) > 0.9 for d in good):
        about.append(("order", "in order with other offsets"))
    if len(column.distinct) >= 50 and max(column.numbers) - min(column.numbers) > 100:
        about.append(("spread", "its range"))
    if named(column.column.name, "time"):
        about.append(("name", "its name"))
    return tuple(about)


def _inside(
    column: ColumnFacts, stays: Sequence[Cell], ends: Mapping[Cell, float], clock: Clock
) -> tuple[float, float]:
    """The share of offsets after the end of their own stay, and of the stays of other rows."""
    rows = [
        (float(cell), ends[stay])
        for cell, stay in zip(column.cells, stays, strict=True)
        if isinstance(cell, int | float) and stay in ends
    ]
    early = -30 * _PER_DAY[clock.unit]
    if len(rows) < 10 or sum(at < early for at, _ in rows) > 0.02 * len(rows):
        return (1.0, 0.0)
    own = sum(at > end for at, end in rows)
    turns = [len(rows) * part // (_TURNS + 1) for part in range(1, _TURNS + 1)]
    moved = [rows[turn:] + rows[:turn] for turn in turns]
    other = sum(at > end for m in moved for (at, _), (_, end) in zip(rows, m, strict=True))
    return own / len(rows), other / len(rows) / _TURNS
