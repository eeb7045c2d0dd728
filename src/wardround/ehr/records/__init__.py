"""What a record holds, by layout: one map a layout, with the same kinds and columns everywhere."""

from wardround.ehr.records.map_file import load_map, packaged_maps, parse_map, read_map
from wardround.ehr.records.model import (
    Kind,
    RecordColumn,
    RecordMap,
    Role,
    Source,
    record_kinds,
)
from wardround.ehr.records.recognition import ColumnTypes, present_kinds, record_map
from wardround.ehr.records.views import view

__all__ = [
    "ColumnTypes",
    "Kind",
    "RecordColumn",
    "RecordMap",
    "Role",
    "Source",
    "load_map",
    "packaged_maps",
    "parse_map",
    "present_kinds",
    "read_map",
    "record_kinds",
    "record_map",
    "view",
]
