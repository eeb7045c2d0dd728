"""Integers that are offsets from the start of a stay, told from ids and counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from wardround.ehr.database.interface import Cell
from wardround.ehr.records.model import OffsetUnit
from wardround.ehr.records.proposal.evidence import Evidence
from wardround.ehr.records.proposal.facts import ColumnFacts, TableFacts
from wardround.ehr.records.proposal.hierarchy import in_order
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


_LATE = 0.02  # least share of rows that is late in another stay; less is no evidence
_TURNS = 8  # times that stays are exchanged, to count offsets outside another stay


@dataclass(frozen=True, slots=True)
class Offset:
    """A column of offsets of a stay.

    Attributes:
        clock: The column with the time of day that it leads to; empty if there is none.
    """

    column: str
    clock: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Clock:
    """The start of a stay whose times are offsets.

    Attributes:
        unit: The unit of the offsets.
        start: A column with the start's time of day; empty if there is none.
        year: A column with a year; empty if there is none.
        first: The offset before all others, if there is one before the start.
        ends: The offsets of the ends, the nearest first.
    """

    unit: OffsetUnit
    start: str
    year: str
    first: Offset | None
    ends: tuple[Offset, ...]

    @property
    def evidence(self) -> Evidence:
        """The evidence for the start itself: the evidence of the offsets that count from it."""
        return self.ends[0].evidence


def clock_of(table: TableFacts, ids: Sequence[str]) -> Clock | None:
    """The clock of a table of stays without times: offsets to its ends, and where they begin.

    Times of day distinguish offsets from counts: a time of day plus an offset is the other time of
    day. Without those, two offsets in order have to be there.
    """
    if span(table):
        return None
    wide = [c for c in table.of_type("integer") if c.column.name not in ids and _is_wide(c)]
    start, clocks = _agreements(wide, [c for c in table.of_type("text") if _has_clocks(c)])
    offsets = [c for c in wide if c.column.name in clocks] or _ordered(wide)
    before = [c for c in offsets if max(c.numbers) <= 0 or median(c.numbers) < 0]
    before.sort(key=_middle)
    ends = sorted((c for c in offsets if c not in before), key=_middle)
    unit: OffsetUnit | None = "minute" if clocks else unit_of(ends[0]) if ends else None
    if not ends or unit is None:
        return None
    years = [c.column.name for c in table.of_type("integer") if _has_years(c)]
    row = [*before[:1], *ends]
    row_offsets = [_offset(column, clocks, row) for column in row]
    first, later = (row_offsets[0], row_offsets[1:]) if before else (None, row_offsets)
    return Clock(unit, start, years[0] if len(years) == 1 else "", first, tuple(later))


def _middle(column: ColumnFacts) -> float:
    return median(column.numbers)


def _has_clocks(column: ColumnFacts) -> bool:
    return "clock" in value_roles(column)


def _has_years(column: ColumnFacts) -> bool:
    return len(column.distinct) <= 60 and all(1900 <= n <= 2300 for n in column.numbers)


def _is_wide(column: ColumnFacts) -> bool:
    numbers = column.numbers
    return (
        column.filled > 0.5
        and len(column.distinct) >= 0.3 * len(numbers)
        and len(column.distinct) >= 8
        and max(numbers) - min(numbers) > 50
    )


def _ordered(offsets: Sequence[ColumnFacts]) -> list[ColumnFacts]:
    """The columns that are in order with another."""
    return [
        c
        for c in offsets
        if any(in_order(c, d) > 0.98 or in_order(d, c) > 0.98 for d in offsets if d is not c)
    ]


def _offset(column: ColumnFacts, clocks: Mapping[str, str], row: Sequence[ColumnFacts]) -> Offset:
    """An offset, with the time of day that it leads to and its place in the row of offsets."""
    name, about, at = column.column.name, [], row.index(column)
    if clock := clocks.get(name, ""):
        about.append(("clock", f"leads from a time of day to another, {clock}"))
    shares = [in_order(each, column) for each in row[:at]]
    shares += [in_order(column, each) for each in row[at + 1 :]]
    if shares and min(shares) > 0.98:
        about.append(("order", f"in order with {len(shares)} other offsets"))
    return Offset(name, clock, tuple(about))


def _agreements(
    offsets: Sequence[ColumnFacts], clocks: Sequence[ColumnFacts]
) -> tuple[str, dict[str, str]]:
    """The time of day from which most offsets lead to another, and that other by offset."""
    ends: dict[str, dict[str, str]] = {}
    for start in clocks:
        for end in clocks:
            for offset in offsets:
                if start is not end and _agreement(start, end, offset) > 0.95:
                    ends.setdefault(start.column.name, {})[offset.column.name] = end.column.name
    return max(ends.items(), key=lambda each: len(each[1]), default=("", {}))


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
    used_columns: Sequence[str],
    stays: Sequence[Cell],
    ends: Mapping[Cell, float],
    clock: Clock,
) -> list[TimeColumn]:
    """The offsets among a table's integers, in their order.

    An offset is before the end of its own stay in nearly all rows, and of other stays in clearly
    fewer.

    Args:
        table: A table of events.
        used_columns: Columns that are keys.
        stays: The stay of each sampled row.
        ends: The end of each stay as an offset.
        clock: What the offsets count.
    """
    candidates = [
        c
        for c in table.of_type("integer", "number")
        if c.column.name not in used_columns
        and len(c.distinct) >= 5
        and c.filled > 0.5
        and all(float(n).is_integer() for n in c.numbers[:50])
    ]
    scored = {c.column.name: _inside(c, stays, ends, clock) for c in candidates}
    chosen = [c for c in candidates if _keeps_to_its_stay(scored[c.column.name])]
    return [
        TimeColumn(c.column.name, True, "second", _offset_evidence(c, chosen, scored))
        for c in sorted(chosen, key=lambda c: -_before(c, chosen))
    ]


def _before(column: ColumnFacts, others: Sequence[ColumnFacts]) -> int:
    """The number of other columns that it comes before."""
    return sum(in_order(column, other) > in_order(other, column) for other in others)


def _keeps_to_its_stay(shares: tuple[float, float]) -> bool:
    """True if at most a quarter as many rows are late in their own stay as would be by chance."""
    late, by_chance = shares
    return by_chance >= _LATE and late <= min(0.1, 0.25 * by_chance)


def _offset_evidence(
    column: ColumnFacts, good: Sequence[ColumnFacts], scored: Mapping[str, tuple[float, float]]
) -> Evidence:
    late, by_chance = scored[column.column.name]
    about = []
    if _keeps_to_its_stay((late, by_chance)):
        about.append(("times", f"{late:.0%} after the end of its stay, {by_chance:.0%} of another"))
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
    late = sum(at > end for at, end in rows)
    turns = [len(rows) * part // (_TURNS + 1) for part in range(1, _TURNS + 1)]
    moved = [rows[turn:] + rows[:turn] for turn in turns]
    by_chance = sum(at > end for m in moved for (at, _), (_, end) in zip(rows, m, strict=True))
    return late / len(rows), by_chance / len(rows) / _TURNS
