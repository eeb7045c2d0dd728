"""Stay and time columns of the packaged schemas."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from wardround.ehr.records import RecordMap, record_kinds
from wardround.ehr.records.plain_tables import main_table, own_column
from wardround.ehr.records.recognition import maps_naming
from wardround.ehr.records.record_tables import record_table
from wardround.ehr.schema import load_schema, schema_names
from wardround.ehr.times.model import Stay

# The kind of record of each kind of stay, and its key.
_KINDS: tuple[tuple[Stay, str, str], ...] = (
    ("hospital", "admission", "admission"),
    ("icu", "icu", "stay"),
)


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
def stays_naming(column: str) -> tuple[StayColumns, ...]:
    """The stays that have a key or an end of a name, in any packaged schema.

    Only stays whose times are in columns of their table count; those of the tables of records are
    among them.

    >>> [(stay.stay, stay.table) for stay in stays_naming("dischtime")]
    [('hospital', 'admissions')]
    """
    of_maps = (stay for records in maps_naming({column}) for stay in _stays(records))
    of_records = (
        StayColumns(stay, record_table(kind), key, "time", "finish") for stay, kind, key in _KINDS
    )
    stays = dict.fromkeys([*of_maps, *of_records])
    return tuple(stay for stay in stays if column in (stay.key, stay.end))


def _stays(records: RecordMap) -> Iterator[StayColumns]:
    for stay, kind, key in _KINDS:
        for source in records.kinds.get(kind, ()):
            if "finish" not in source.columns or source.columns["finish"].start:
                continue
            names = [own_column(source, name) for name in (key, "time", "finish")]
            names_in_order = [name.lower() for name in names if name]
            if len(names_in_order) == len(names):
                yield StayColumns(stay, main_table(source).lower(), *names_in_order)


@cache
def time_columns() -> frozenset[str]:
    """Column names that are a time in every table that has them.

    >>> "charttime" in time_columns(), "value" in time_columns()
    (True, False)
    """
    columns = [
        (column.name, column.type in ("DATE", "TIMESTAMP"))
        for name in schema_names()
        for table in load_schema(name).tables
        for column in table.columns
    ]
    columns += [
        (name, type == "time")
        for kind in record_kinds().values()
        for name, type in kind.columns.items()
    ]
    non_times = {name for name, is_time in columns if not is_time}
    return frozenset(name for name, _ in columns) - non_times
