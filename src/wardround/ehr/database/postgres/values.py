"""Converts PostgreSQL's text format of values to psycopg's Python values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from psycopg.abc import Loader
    from psycopg.adapt import AdaptersMap
    from psycopg.pq.abc import PGresult

# Types with values that Python cannot represent: infinity, 24:00, the year 20000.
_BOUNDED = ("date", "time", "timetz", "timestamp", "timestamptz", "interval", "json", "jsonb")
# Types that drivers convert differently; kept as text.
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
        columns: The names of the columns; empty if the statement returns no rows.
        rows: `Decimal` for numeric, `date`, `datetime`, `time`, `timedelta`, `bool`, lists for
            arrays, dicts and lists for JSON; text for types without a Python counterpart and for
            values out of Python's range.
        truncated: True if there were more rows than were asked for.
        changed: Number of rows changed by a writing statement.
    """

    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]
    truncated: bool
    changed: int | None = None


@dataclass(frozen=True)
class _Context:
    """Adaptation context for psycopg without a connection; its times are in UTC."""

    adapters: "AdaptersMap"
    connection: None = None


def reader(result: "PGresult") -> Callable[[int], tuple[Any, ...]]:
    """Return a function from the row index in a result to its values."""
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
    """A loader that returns text for values out of Python's range."""
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
