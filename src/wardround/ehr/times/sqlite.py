"""How SQLite, which keeps times as text, spells the pieces of a condition on time."""

from wardround.ehr.times.filter_evaluation import moment
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
    """The first moment of the unit that lies so many of them before the value's."""
    return f"datetime({value},'start of {unit}','-{back} {unit}')"


def shifted(value: str, count: int, unit: Unit) -> str:
    """The value so many units later, or earlier."""
    return f"datetime({value},'{count:+d} {unit}')"


def literal(filter: TimeFilter) -> str:
    """The exact time that the filter names."""
    return f"'{moment(filter):%Y-%m-%d %H:%M:%S}'"


def calendar(value: str, unit: Unit, comparison: Comparison, filter: TimeFilter) -> str:
    """The value's unit against the one that the filter names."""
    written = _FORMATS[unit]
    return f"strftime('{written}',{value}) {comparison} '{moment(filter).strftime(written)}'"


def parts(value: str, filter: TimeFilter) -> str:
    """The value's month, day or both as the filter names them."""
    names = filter.template.values
    text = "-".join(f"{filter.values[name]:02}" for name in names)
    return f"strftime('{_PARTS[names]}',{value}) = '{text}'"
