"""Which columns are about stays and about time, in every packaged schema."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from wardround.ehr.schema import load_schema, schema_names
from wardround.ehr.times.model import Stay


@dataclass(frozen=True)
class StayColumns:
    """Where one schema keeps its stays in the hospital or in an ICU.

    Attributes:
        key: The column that tells stays apart, here and in the tables of events.
        start: The column of the beginning.
        end: The column of the end, empty while the stay lasts.
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
    """The names that are a time in every table that has such a column.

    >>> "charttime" in time_columns(), "value" in time_columns()
    (True, False)
    """
    columns = [
        column
        for name in schema_names()
        for table in load_schema(name).tables
        for column in table.columns
    ]
    others = {column.name for column in columns if column.type not in ("DATE", "TIMESTAMP")}
    return frozenset(column.name for column in columns) - others
