"""Shift of each person's dates into the future, as in published databases."""

from datetime import date, timedelta
from functools import cache

from wardround.ehr.hospital.layouts.layout import Row
from wardround.ehr.hospital.people import Person
from wardround.ehr.schema import load_schema

_DATED = ("DATE", "TIMESTAMP")


def date_shift(person: Person, least: int, most: int) -> timedelta:
    """The shift of a person's dates in whole weeks, which preserves weekdays.

    Args:
        person: The person.
        least: Minimum in years.
        most: Maximum in years.
    """
    years = person.draw("calendar").whole(least, most)
    return timedelta(weeks=round(years * 365.2425 / 7))


@cache
def date_positions(schema: str) -> dict[str, tuple[int, ...]]:
    """The positions of dates and times in the rows of each table of a schema."""
    return {
        table.name: tuple(
            position for position, column in enumerate(table.columns) if column.type in _DATED
        )
        for table in load_schema(schema).tables
    }


def shifted(row: Row, positions: tuple[int, ...], by: timedelta) -> Row:
    """A row with the dates and times at some positions shifted.

    >>> shifted((1, date(2100, 1, 1), None), (1, 2), timedelta(days=7))
    (1, datetime.date(2100, 1, 8), None)
    """
    cells = list(row)
    for position in positions:
        time = cells[position]
        if isinstance(time, date):
            cells[position] = time + by
    return tuple(cells)
