"""The rows of a resource: itself, and its values in the index tables."""

from collections import defaultdict
from functools import cache
from typing import Any, TypeAlias
from unicodedata import combining, normalize
from zoneinfo import ZoneInfo

import orjson

from wardround.ehr.fhir.definitions import parameters
from wardround.ehr.fhir.index import entries
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
    "composite": "INSERT INTO composite VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "reference": "INSERT INTO reference VALUES (?, ?, ?, ?, ?, ?)",
}


def folded(text: str) -> str:
    """A text as strings are compared: without regard to case, accents and surrounding space.

    >>> folded(" Müller")
    'muller'
    """
    plain = text.strip().casefold()
    if plain.isascii():
        return plain
    return "".join(each for each in normalize("NFKD", plain) if not combining(each))


def body_of(resource: Resource) -> bytes:
    """A resource as it is stored.

    Raises:
        ValueError: it has a number or a text that JSON cannot have.
    """
    try:
        return orjson.dumps(resource)
    except TypeError as error:
        raise ValueError(f"it has a value that JSON cannot have ({error})") from error


def index_rows(resource: Resource, key: int, zone: str) -> Rows:
    """The rows of all index tables, by table; of composites those of a code and an amount.

    Args:
        resource: the resource.
        key: its key in the table of resources.
        zone: the name of the time zone of times without an offset.
    """
    rows: Rows = defaultdict(list)
    numbers = _numbers(resource["resourceType"])
    for name, value in entries(resource, ZoneInfo(zone)):
        number = numbers[name]
        match value:
            case Token(system, code, text):
                rows["token"].append((number, code, system, folded(text), key))
            case Text(text):
                rows["string"].append((number, folded(text), text, key))
            case Interval(low, high):
                rows["date"].append((number, low, high, key))
            case Quantity(low, high, system, code, unit):
                rows["quantity"].append((number, low, high, system, code, unit, key))
            case (Token(system, code), Quantity(low, high, unit_system, unit_code, unit)):
                amount = (low, high, unit_system, unit_code, unit)
                rows["composite"].append((number, code, system, *amount, key))
            case Reference(type, id, url, identifier):
                named = f"{identifier.system}|{identifier.code}" if identifier else None
                rows["reference"].append((number, type, id, url, named, key))
    return rows


@cache
def _numbers(type: str) -> dict[str, int]:
    return {parameter.name: parameter.number for parameter in parameters(type)}
