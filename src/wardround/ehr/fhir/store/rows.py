"""The rows of a resource: itself, and its values in the index tables."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, TypeAlias
from unicodedata import combining, normalize
from zoneinfo import ZoneInfo

import orjson

from wardround.ehr.fhir.definitions import parameters
from wardround.ehr.fhir.index import element_entries, element_plan
from wardround.ehr.fhir.index.values import (
    Interval,
    Quantity,
    Reference,
    Text,
    Token,
)
from wardround.ehr.fhir.interaction import Resource

Rows: TypeAlias = dict[str, list[tuple[Any, ...]]]
Row: TypeAlias = tuple[str, tuple[Any, ...]]
_SMALL = 1_000  # bytes of an element whose rows are kept
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


def has_word(text: str, beginnings: Iterable[str]) -> bool:
    """True if a word of a text begins with one of some folded texts, as `:text` finds it.

    >>> has_word("Potassium, Whole Blood", ["whole b"]), has_word("Potassium", ["tassium"])
    (True, False)
    """
    plain = folded(text)
    return any(
        each in plain and re.search(rf"(?<![0-9a-z]){re.escape(each)}", plain)
        for each in beginnings
    )


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
    indexed = element_plan(resource["resourceType"], ZoneInfo(zone))
    for element in resource:
        if group := indexed.get(element):
            for table, values in _element_rows(resource, element, group.reads, zone):
                rows[table].append((*values, key))
    return rows


def _element_rows(
    resource: Resource, element: str, reads: Sequence[str], zone: str
) -> Iterable[Row]:
    """The rows of an element; cached for small elements, which many resources share.

    Args:
        resource: the resource.
        element: the name of the element.
        reads: the elements that its rows depend on.
        zone: the name of the time zone of times without an offset.
    """
    if "contained" in resource:
        return _rows(resource, element, zone)
    part = {name: resource[name] for name in reads if name in resource}
    text = orjson.dumps(part)
    if len(text) > _SMALL:
        return _rows(resource, element, zone)
    return _known_rows(resource["resourceType"], element, text, zone)


@lru_cache(maxsize=1 << 16)
def _known_rows(kind: str, element: str, text: bytes, zone: str) -> tuple[Row, ...]:
    return tuple(_rows({"resourceType": kind, **orjson.loads(text)}, element, zone))


def _rows(resource: Resource, element: str, zone: str) -> Iterator[Row]:
    """The rows of an element with their tables, without the resource's key."""
    numbers = _numbers(resource["resourceType"])
    for name, value in element_entries(resource, element, ZoneInfo(zone)):
        number = numbers[name]
        match value:
            case Token(system, code, text):
                yield "token", (number, code, system, folded(text))
            case Text(text):
                yield "string", (number, folded(text), text)
            case Interval(low, high):
                yield "date", (number, low, high)
            case Quantity(low, high, system, code, unit):
                yield "quantity", (number, low, high, system, code, unit)
            case (Token(system, code), Quantity(low, high, unit_system, unit_code, unit)):
                yield "composite", (number, code, system, low, high, unit_system, unit_code, unit)
            case Reference(type, id, url, identifier):
                named = f"{identifier.system}|{identifier.code}" if identifier else None
                yield "reference", (number, type, id, url, named)


@cache
def _numbers(type: str) -> dict[str, int]:
    return {parameter.name: parameter.number for parameter in parameters(type)}
