"""Times of records: begins, ends and births, by their order and precision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from wardround.ehr.database.interface import Cell
from wardround.ehr.records.model import Precision
from wardround.ehr.records.proposal.evidence import Evidence
from wardround.ehr.records.proposal.facts import ColumnFacts, TableFacts, filled_pairs
from wardround.ehr.records.proposal.hierarchy import in_order
from wardround.ehr.records.proposal.values import name_evidence

_BIRTH_YEARS = 10  # no stay is so long, and most patients are older


@dataclass(frozen=True, slots=True)
class TimeColumn:
    """A column that says when.

    Attributes:
        column: Its name.
        is_offset: True if it counts from the start of the stay.
    """

    column: str
    is_offset: bool
    precision: Precision
    evidence: Evidence


def precision_of(column: ColumnFacts) -> Precision:
    """The precision of a column: a second if it knows the time of day."""
    days = all(len(t) <= 10 or t[11:19] in ("00:00:00", "00:00") for t in column.texts)
    return "day" if days else "second"


def births(table: TableFacts) -> list[str]:
    """Times that are years before the others of their row, in most rows: dates of birth."""
    times = [c for c in table.of_type("time") if c.filled >= 0.5]
    return [
        c.column.name
        for c in times
        if len(times) > 1 and all(_years_before(c, other) for other in times if other is not c)
    ]


def _years_before(first: ColumnFacts, second: ColumnFacts) -> bool:
    gaps = [int(str(b)[:4]) - int(str(a)[:4]) for a, b in filled_pairs(first, second)]
    return len(gaps) >= 5 and min(gaps) >= 0 and median(gaps) >= _BIRTH_YEARS


def span(table: TableFacts) -> tuple[TimeColumn, ...]:
    """The begin and the end among a table's times; only the begin if nothing is after it.

    The most precise of equal times counts.
    """
    born = births(table)
    times = [c for c in table.of_type("time") if c.filled >= 0.5 and c.column.name not in born]
    later = {
        a.column.name: [b for b in times if b is not a and in_order(a, b) > 0.95] for a in times
    }
    if not times:
        return ()
    begin = max(times, key=lambda c: (len(later[c.column.name]), _rank(c)))
    same = [c for c in times if _same_day(begin, c) and _is_mutual(begin, c)]
    begin = max([begin, *same], key=_rank)
    after = [c for c in later[begin.column.name] if c not in same]
    if not after:
        only: Evidence = (("only", "the only time of its table"),) if len(times) == 1 else ()
        return (_time_column(begin, only, "time"),)
    end = max(
        after, key=lambda c: (-len([d for d in later[c.column.name] if d in after]), _rank(c))
    )
    order = (("order", f"not before {begin.column.name} in {in_order(begin, end):.0%} of rows"),)
    first = (("order", "first of the times"),)
    return (_time_column(begin, first, "time"), _time_column(end, order, "finish"))


def _rank(column: ColumnFacts) -> tuple[bool, float]:
    return precision_of(column) == "second", column.filled


def _time_column(column: ColumnFacts, evidence: Evidence, role: str) -> TimeColumn:
    name = column.column.name
    about = (*evidence, *name_evidence(name, role))
    return TimeColumn(name, False, precision_of(column), about)


def _same_day(first: ColumnFacts, second: ColumnFacts) -> bool:
    pairs = filled_pairs(first, second)
    return bool(pairs) and all(str(a)[:10] == str(b)[:10] for a, b in pairs)


def _is_mutual(first: ColumnFacts, second: ColumnFacts) -> bool:
    """True if one of two columns only lacks the other's time of day, or both are the same."""
    precisions = {precision_of(first), precision_of(second)}
    return len(precisions) == 2 or first.cells == second.cells


def share_inside(
    column: ColumnFacts, keys: Sequence[Cell], spans: Mapping[Cell, tuple[Cell, ...]]
) -> float:
    """The share of times inside the stay that their row names, a day before and after allowed."""
    rows = [
        (cell, spans[key])
        for cell, key in zip(column.cells, keys, strict=True)
        if cell and key in spans and all(spans[key])
    ]
    inside = [_days(begin, at) >= -1 and _days(at, end) >= -1 for at, (begin, end) in rows]
    return sum(inside) / len(inside) if len(inside) >= 5 else 0.0


def _days(first: Cell, second: Cell) -> float:
    a, b = (datetime.fromisoformat(str(each)[:10]) for each in (first, second))
    return (b - a).total_seconds() / 86_400
