"""The kinds of values in the search index, one class for each index table."""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias


@dataclass(frozen=True, slots=True)
class Token:
    """A code with its system; `text` is its display, or the text of its concept."""

    system: str = ""
    code: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A string of the resource, unchanged."""

    value: str


@dataclass(frozen=True, slots=True)
class Interval:
    """A time span in milliseconds since 1970 UTC, its end excluded; an open end is None."""

    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount; a comparator opens one end of `low` to `high`."""

    low: float | None
    high: float | None
    system: str = ""
    code: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a resource of the record, to another address, or by identifier only."""

    type: str = ""
    id: str = ""
    url: str = ""
    identifier: Token | None = None


Value: TypeAlias = Token | Text | Interval | Quantity | Reference


class Entry(NamedTuple):
    """A value under the name of its search parameter, such as `code`.

    Values of a composite parameter are tuples: `code-value-quantity` has a Token and a Quantity.
    """

    parameter: str
    value: Value | tuple[Value, ...]
