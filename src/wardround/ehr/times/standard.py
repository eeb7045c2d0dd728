"""SQL fragments of time conditions for DuckDB and PostgreSQL, which have timestamps."""

from wardround.ehr.times.filter_evaluation import first_moment
from wardround.ehr.times.filters import TimeFilter
from wardround.ehr.times.model import Comparison, Unit


def time(value: str) -> str:
    """A value as a time; casts dates and the current time, which is substituted as text."""
    return f"CAST({value} AS TIMESTAMP)"


def start(value: str, unit: Unit) -> str:
    """The first moment of the value's unit."""
    return f"date_trunc('{unit}', {time(value)})"


def start_before(value: str, unit: Unit, back: int) -> str:
    """The start of the unit that lies `back` units before the value's."""
    return f"{start(value, unit)} - INTERVAL '{back} {unit}'"


def shifted(value: str, count: int, unit: Unit) -> str:
    """The value shifted by a number of units.

    These engines clamp 31 March minus a month to 28 February; SQLite overflows to 3 March.
    Shifting the first day of the month and adding the rest of the month overflows too.
    """
    sign = "+" if count >= 0 else "-"
    interval = f"{sign} INTERVAL '{abs(count)} {unit}'"
    if unit == "day":
        return f"{time(value)} {interval}"
    first = start(value, "month")
    return f"{first} {interval} + ({time(value)} - {first})"


def literal(filter: TimeFilter) -> str:
    """The filter's exact time."""
    return f"TIMESTAMP '{first_moment(filter):%Y-%m-%d %H:%M:%S}'"


def calendar(value: str, unit: Unit, comparison: Comparison, filter: TimeFilter) -> str:
    """The value's unit compared with the filter's date."""
    return f"{start(value, unit)} {comparison} {literal(filter)}"


def parts(value: str, filter: TimeFilter) -> str:
    """The value's month, day or both equal to the filter's."""
    return " AND ".join(
        f"EXTRACT({name} FROM {value}) = {filter.values[name]}" for name in filter.template.values
    )
