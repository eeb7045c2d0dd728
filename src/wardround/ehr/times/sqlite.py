"""SQL fragments of time conditions for SQLite, which stores times as text."""

from wardround.ehr.times.filter_evaluation import first_moment
from wardround.ehr.times.filters import TimeFilter
from wardround.ehr.times.model import Comparison, Unit

_FORMATS: dict[Unit, str] = {"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}
_PARTS = {("month",): "%m", ("month", "day"): "%m-%d", ("day",): "%d"}


def time(value: str) -> str:
    """A value as a time."""
    return f"datetime({value})"


def start(value: str, unit: Unit) -> str:
    """The first moment of the value's unit."""
    return f"datetime({value},'start of {unit}')"


def start_before(value: str, unit: Unit, back: int) -> str:
    """The start of the unit that lies `back` units before the value's."""
    return f"datetime({value},'start of {unit}','-{back} {unit}')"


def shifted(value: str, count: int, unit: Unit) -> str:
    """The value shifted by a number of units."""
    return f"datetime({value},'{count:+d} {unit}')"


def literal(filter: TimeFilter) -> str:
    """The filter's exact time."""
    return f"'{first_moment(filter):%Y-%m-%d %H:%M:%S}'"


def calendar(value: str, unit: Unit, comparison: Comparison, filter: TimeFilter) -> str:
    """The value's unit compared with the filter's date."""
    written = _FORMATS[unit]
    return f"strftime('{written}',{value}) {comparison} '{first_moment(filter).strftime(written)}'"


def parts(value: str, filter: TimeFilter) -> str:
    """The value's month, day or both equal to the filter's."""
    names = filter.template.values
    text = "-".join(f"{filter.values[name]:02}" for name in names)
    return f"strftime('{_PARTS[names]}',{value}) = '{text}'"
