"""The rows of a resource: itself, and its values in the index tables."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, TypeAlias

import orjson

from wardround.ehr.fhir.definitions.parameters import parameters
from wardround.ehr.fhir.index.extraction import entries
from wardround.ehr.fhir.index.values import (
    Interval,
    Quantity,
    Reference,
    Text,
    Token,
)
from wardround.ehr.fhir.interaction import Resource

Rows: TypeAlias = dict[str, list[tuple[Any, ...]]]
INSERTS = {
    "resource": "INSERT INTO resource VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "token": "INSERT INTO token VALUES (?, ?, ?, ?, ?)",
    "string": "INSERT INTO string VALUES (?, ?, ?, ?)",
    "date": "INSERT INTO date VALUES (?, ?, ?, ?)",
    "quantity": "INSERT INTO quantity VALUES (?, ?, ?, ?, ?, ?, ?)",
    "reference": "INSERT INTO reference VALUES (?, ?, ?, ?, ?, ?)",
}


def folded(text: str) -> str:
    """A text as strings are compared: without regard to case and surrounding space."""
    return text.strip().casefold()


def body_of(resource: Resource) -> bytes:
    """A resource as it is stored."""
    return orjson.dumps(resource)


def index_rows(resource: Resource, key: int, zone: str) -> Rows:
    """The rows of all index tables, by table.

    Args:
        resource: the resource.
        key: its key in the table of resources.
        zone: the name of the time zone of times without an offset.
    """
    rows: Rows = defaultdict(list)
    known = parameters(resource["resourceType"])
    for name, value in entries(resource, zone):
        number = known[name].number
        match value:
            case Token(system, code, text):
                rows["token"].append((number, code, system, folded(text), key))
            case Text(text):
                rows["string"].append((number, folded(text), text, key))
            case Interval(low, high):
                rows["date"].append((number, low, high, key))
            case Quantity(low, high, system, code, unit):
                rows["quantity"].append((number, low, high, system, code, unit, key))
            case Reference(type, id, url, identifier):
                named = f"{identifier.system}|{identifier.code}" if identifier else None
                rows["reference"].append((number, type, id, url, named, key))
    return rows


def merged(parts: Iterable[Rows]) -> Rows:
    """The rows of several resources."""
    rows: Rows = defaultdict(list)
    for part in parts:
        for table, some in part.items():
            rows[table] += some
    return rows
