"""Moves each person's dates into a future of their own, as published databases do."""

from datetime import date, timedelta

from wardround.ehr.hospital.forms.form import Row
from wardround.ehr.hospital.people import Person


def days_moved(person: Person, least: int, most: int) -> timedelta:
    """How far a person's dates are moved: whole weeks, so that the day of the week stays.

    Args:
        person: Whose dates.
        least: Years at least.
        most: Years at most.
    """
    years = person.draw("calendar").whole(least, most)
    return timedelta(weeks=round(years * 365.2425 / 7))


def moved(row: Row, by: timedelta) -> Row:
    """A row with all dates and times moved."""
    return tuple(cell + by if isinstance(cell, date) else cell for cell in row)
