"""Reads halves and quarters of a year, and runs of months, as times of a question."""

from collections.abc import Sequence
from dataclasses import replace

from wardround.agents.parser.grammar.tagger import Item
from wardround.ehr.query import Period
from wardround.ehr.times import TimeFilter, time_filter
from wardround.ehr.times.model import Calendar

_YEARS = range(1900, 2400)
_MONTHS_OF_YEAR = 12


def join_year_parts(items: Sequence[Item]) -> list[Item]:
    """The items with "first half of 2100" and "between March and May 2100" as one time each."""
    joined: list[Item] = []
    at = 0
    while at < len(items):
        item, end = _time_at(items, at)
        joined.append(item)
        at = end
    return joined


def _time_at(items: Sequence[Item], at: int) -> tuple[Item, int]:
    """The time that begins at an item, or the item; and the position after it."""
    item = items[at]
    if part := item.meaning("part"):
        number, of = map(int, part.split())
        end = next((n for n in range(at + 1, min(at + 4, len(items))) if _year(items[n])), None)
        if end is not None and all(entry.is_harmless for entry in items[at + 1 : end]):
            months = _MONTHS_OF_YEAR // of
            run = _run(_year(items[end]), months * (number - 1) + 1, months * number)
            return replace(item, last=items[end].last, meanings={}, periods=run), end + 1
    is_opening = item.means("compare", "between") or item.is_harmless
    if is_opening and (run := _months(items[at + 1 : at + 4])):
        return replace(item, last=items[at + 3].last, meanings={}, periods=run), at + 4
    return item, at + 1


def _year(item: Item) -> int:
    """The year that an item is; 0 if it is none."""
    if item.number in _YEARS:
        return int(item.number or 0)
    filters = _filters(item)
    is_year = len(filters) == 1 and filters[0].template.id == "abs-year-in"
    return filters[0].values["year"] if is_year else 0


def _filters(item: Item) -> list[TimeFilter]:
    return [each.filter for each in item.periods if isinstance(each.filter, TimeFilter)]


def _months(items: Sequence[Item]) -> tuple[Period, ...]:
    """The run of "March", "and", "May 2100"."""
    if len(items) < 3 or not items[0].means("month"):
        return ()
    if not (items[1].means("link", "and") or items[1].is_harmless):
        return ()
    last = _filters(items[2])
    if len(last) != 1 or last[0].template.meaning != Calendar("month", "="):
        return ()
    first, values = int(items[0].meaning("month")), last[0].values
    return _run(values["year"], first, values["month"]) if first < values["month"] else ()


def _run(year: int, first: int, last: int) -> tuple[Period, ...]:
    """The months from the first to the last of a year."""
    since = time_filter("abs-month-since", year=year, month=first)
    until = time_filter("abs-month-until", year=year, month=last)
    return Period(since), Period(until)
