"""The record map of each layout: the same kinds and columns of record everywhere."""

from wardround.ehr.records.dialect_forms import dialect_of
from wardround.ehr.records.inspection import KindFacts, MapFacts, examine_records
from wardround.ehr.records.joined_rows import JoinedRows, is_lookup, joined_rows, without_unread
from wardround.ehr.records.map_file import (
    load_map,
    named_map,
    packaged_maps,
    parse_map,
    read_map,
)
from wardround.ehr.records.model import (
    Kind,
    RecordColumn,
    RecordMap,
    Role,
    Source,
    record_kinds,
)
from wardround.ehr.records.of_database import latest_time, records_of
from wardround.ehr.records.recognition import (
    ColumnTypes,
    present_kinds,
    published_map,
    record_map,
)
from wardround.ehr.records.stored_records import stored_records, table_map
from wardround.ehr.records.views import Views, distinct_view, view

__all__ = [
    "ColumnTypes",
    "JoinedRows",
    "Kind",
    "KindFacts",
    "MapFacts",
    "RecordColumn",
    "RecordMap",
    "Role",
    "Source",
    "Views",
    "dialect_of",
    "distinct_view",
    "examine_records",
    "is_lookup",
    "joined_rows",
    "latest_time",
    "load_map",
    "named_map",
    "packaged_maps",
    "parse_map",
    "present_kinds",
    "published_map",
    "read_map",
    "record_kinds",
    "record_map",
    "records_of",
    "stored_records",
    "table_map",
    "view",
    "without_unread",
]
