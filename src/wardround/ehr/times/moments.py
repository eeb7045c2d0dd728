"""Date arithmetic with SQLite's semantics, which the published answers depend on."""

from datetime import datetime, timedelta

from wardround.ehr.times.model import Unit


def start_of(time: datetime, unit: Unit) -> datetime:
    """The first moment of the time's year, month or day."""
    midnight = time.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "day":
        return midnight
    return midnight.replace(day=1) if unit == "month" else midnight.replace(day=1, month=1)


def shifted(time: datetime, count: int, unit: Unit) -> datetime:
    """The time `count` units later; a day missing from the target month overflows into the next.

    >>> shifted(datetime(2100, 3, 31), -1, "month")
    datetime.datetime(2100, 3, 3, 0, 0)
    """
    if unit == "day":
        return time + timedelta(days=count)
    first = start_of(time, "month")
    months = first.year * 12 + first.month - 1 + count * (12 if unit == "year" else 1)
    moved = first.replace(year=months // 12, month=months % 12 + 1)
    return moved + (time - first)
