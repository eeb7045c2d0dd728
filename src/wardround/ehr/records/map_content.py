"""Record maps as JSON, for files that keep the map they were made with."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from wardround.ehr.records.model import RecordColumn, RecordMap, Role, Source


def map_to_json(records: RecordMap) -> dict[str, Any]:
    """The content of a map."""
    return {
        "layout": records.layout,
        "kinds": {kind: list(map(asdict, sources)) for kind, sources in records.kinds.items()},
        "written": [(*role, dict(texts)) for role, texts in records.written.items()],
        "dataset": records.dataset,
    }


def map_from_json(content: Mapping[str, Any]) -> RecordMap:
    """The map of `map_to_json`."""
    written = {
        Role(kind, column): {meaning: tuple(each) for meaning, each in texts.items()}
        for kind, column, texts in content["written"]
    }
    kinds = {kind: tuple(map(_source, each)) for kind, each in content["kinds"].items()}
    return RecordMap(content["layout"], kinds, written, content["dataset"])


def _source(content: Mapping[str, Any]) -> Source:
    columns = {name: RecordColumn(**each) for name, each in content["columns"].items()}
    return Source(**{**content, "columns": columns})
