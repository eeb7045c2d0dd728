"""Stay and time columns of the packaged schemas."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from wardround.ehr.schema import load_schema, schema_names
from wardround.ehr.times.model import Stay


@dataclass(frozen=True)
class StayColumns:
    """The table and columns of hospital or ICU stays in one schema.

    Attributes:
        key: The identifier of a stay, here and in event tables.
        start: The admission time.
        end: The discharge time, NULL for a current stay.
    """

    stay: Stay
    table: str
    key: str
    start: str
    end: str


@cache
def all_stays() -> tuple[StayColumns, ...]:
    """The stays of every packaged schema."""
    text = files("wardround.ehr.times").joinpath("stays.toml").read_text(encoding="utf-8")
    return tuple(StayColumns(**entry) for entry in tomllib.loads(text)["stay"])


@cache
def time_columns() -> frozenset[str]:
    """Column names that are a time in every table that has them.

    >>> "charttime" in time_columns(), "value" in time_columns()
    (True, False)
    """
    columns = [
        column
        for name in schema_names()
        for table in load_schema(name).tables
        for column in table.columns
    ]
    non_times = {column.name for column in columns if column.type not in ("DATE", "TIMESTAMP")}
    return frozenset(column.name for column in columns) - non_times
