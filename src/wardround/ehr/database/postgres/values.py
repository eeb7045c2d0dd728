"""Converts PostgreSQL's text form of values to the Python values that psycopg gives."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psycopg.abc import Loader
    from psycopg.adapt import AdaptersMap
    from psycopg.pq.abc import PGresult

# Types of which Python cannot hold every value: infinity, 24:00, the year 20000.
_BOUNDED = ("date", "time", "timetz", "timestamp", "timestamptz", "interval", "json", "jsonb")
# Types in which drivers differ; their text is the same everywhere.
_AS_TEXT = (
    "cidr",
    "inet",
    "record",
    "uuid",
    *(f"{kind}range" for kind in ("date", "int4", "int8", "num", "ts", "tstz")),
    *(f"{kind}multirange" for kind in ("date", "int4", "int8", "num", "ts", "tstz")),
)


@dataclass(frozen=True)
class Values:
    """The rows of one statement, as Python values.

    Attributes:
        columns: The names of the columns; none where the statement gives no result.
        rows: `Decimal` for a numeric, `date`, `datetime`, `time`, `timedelta`, true and false,
            lists, dicts and lists for JSON; text for a type that Python has nothing for, and for
            a value that it cannot hold.
        truncated: Whether there were more rows than were asked for.
        changed: How many rows a writing statement changed.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    truncated: bool
    changed: int | None = None


@dataclass(frozen=True)
class _Context:
    """The context that psycopg needs without a connection: times are in UTC."""

    adapters: "AdaptersMap"
    connection: None = None


def reader(result: "PGresult") -> Callable[[int], tuple[Any, ...]]:
    """Return a function from the number of a row of a result to its values."""
    from psycopg.adapt import Transformer

    transformer = Transformer(_Context(_adapters()))
    transformer.set_pgresult(result)

    def read(row: int) -> tuple[Any, ...]:
        loaded = transformer.load_row(row, tuple)
        return loaded if loaded is not None else ()

    return read


@cache
def _adapters() -> "AdaptersMap":
    import psycopg
    from psycopg.adapt import AdaptersMap
    from psycopg.pq import Format
    from psycopg.types.string import TextLoader

    adapters = AdaptersMap(psycopg.adapters)
    for name in _AS_TEXT:
        adapters.register_loader(name, TextLoader)
    for name in _BOUNDED:
        loader = adapters.get_loader(psycopg.postgres.types[name].oid, Format.TEXT)
        if loader is not None:
            adapters.register_loader(name, _bounded(loader))
    return adapters


def _bounded(loader: "type[Loader]") -> "type[Loader]":
    """The same, but for text where the value is beyond what Python has."""
    from psycopg import DataError
    from psycopg.adapt import Loader

    class Bounded(Loader):
        def __init__(self, oid: int, context: Any = None) -> None:
            super().__init__(oid, context)
            self._load = loader(oid, context).load

        def load(self, data: Any) -> Any:
            try:
                return self._load(data)
            except (DataError, ValueError, OverflowError, RecursionError):
                return bytes(data).decode(errors="replace")

    return Bounded
