"""How DuckDB and PostgreSQL, which keep times as times, spell the pieces of a condition on time."""

from wardround.ehr.times.filter_evaluation import moment
from wardround.ehr.times.filters import TimeFilter
from wardround.ehr.times.model import Comparison, Unit


def time(value: str) -> str:
    """A value as a time; dates and the current time, which is put in as text, become one here."""
    return f"CAST({value} AS TIMESTAMP)"


def start(value: str, unit: Unit) -> str:
    """The first moment of the value's unit."""
    return f"date_trunc('{unit}', {time(value)})"


def start_before(value: str, unit: Unit, back: int) -> str:
    """The first moment of the unit that lies so many of them before the value's."""
    return f"{start(value, unit)} - INTERVAL '{back} {unit}'"


def shifted(value: str, count: int, unit: Unit) -> str:
    """The value so many units later, or earlier.

    These engines clamp 31 March less a month to 28 February; SQLite lets the day run over into
    3 March. Shifting the month's first day, and adding the rest of the month, runs over too.
    """
    sign = "+" if count >= 0 else "-"
    interval = f"{sign} INTERVAL '{abs(count)} {unit}'"
    if unit == "day":
        return f"{time(value)} {interval}"
    first = start(value, "month")
    return f"{first} {interval} + ({time(value)} - {first})"


def literal(filter: TimeFilter) -> str:
    """The exact time that the filter names."""
    return f"TIMESTAMP '{moment(filter):%Y-%m-%d %H:%M:%S}'"


def calendar(value: str, unit: Unit, comparison: Comparison, filter: TimeFilter) -> str:
    """The value's unit against the one that the filter names."""
    return f"{start(value, unit)} {comparison} {literal(filter)}"


def parts(value: str, filter: TimeFilter) -> str:
    """The value's month, day or both as the filter names them."""
    return " AND ".join(
        f"EXTRACT({name} FROM {value}) = {filter.values[name]}" for name in filter.template.values
    )
