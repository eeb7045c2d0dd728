"""Moves each person's dates into a future of their own, as published databases do."""

from datetime import date, timedelta
from functools import cache

from wardround.ehr.hospital.forms.form import Row
from wardround.ehr.hospital.people import Person
from wardround.ehr.schema import load_schema

_DATED = ("DATE", "TIMESTAMP")


def days_moved(person: Person, least: int, most: int) -> timedelta:
    """How far a person's dates are moved: whole weeks, so that the day of the week stays.

    Args:
        person: Whose dates.
        least: Years at least.
        most: Years at most.
    """
    years = person.draw("calendar").whole(least, most)
    return timedelta(weeks=round(years * 365.2425 / 7))


@cache
def dated(schema: str) -> dict[str, tuple[int, ...]]:
    """The places of dates and times in the rows of each table of a schema."""
    return {
        table.name: tuple(
            place for place, column in enumerate(table.columns) if column.type in _DATED
        )
        for table in load_schema(schema).tables
    }


def moved(row: Row, places: tuple[int, ...], by: timedelta) -> Row:
    """A row with the dates and times at some places moved.

    >>> moved((1, date(2100, 1, 1), None), (1, 2), timedelta(days=7))
    (1, datetime.date(2100, 1, 8), None)
    """
    cells = list(row)
    for place in places:
        time = cells[place]
        if isinstance(time, date):
            cells[place] = time + by
    return tuple(cells)
