"""A search by looking at every resource: slow, plain, and written apart from the SQL.

It reads criteria from their text again, without the package's parser, and compares the values that
`index.entries` gives.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

import orjson

from wardround.ehr.fhir.definitions import parameter, parameters
from wardround.ehr.fhir.index import entries
from wardround.ehr.fhir.index.dates import interval
from wardround.ehr.fhir.index.values import Entry, Interval, Quantity, Reference, Text, Token
from wardround.ehr.fhir.interaction import Resource

ZONE = ZoneInfo("America/New_York")
EVER = float("inf")


@dataclass(frozen=True)
class Wanted:
    """A criterion: a name with modifiers, and values without escapes of commas."""

    name: str
    values: tuple[str, ...]


def found(resources: list[Resource], kind: str, wanted: Iterable[Wanted]) -> set[str]:
    """The ids of the resources of a type that meet all criteria."""
    every = list(wanted)
    return {
        each["id"]
        for each in resources
        if each["resourceType"] == kind and all(meets(resources, each, w) for w in every)
    }


def meets(resources: list[Resource], resource: Resource, wanted: Wanted) -> bool:
    if wanted.name.startswith("_has:"):
        _, kind, reference, inner = wanted.name.split(":", 3)
        return any(
            address(resource) in targets(holder, reference)
            and meets(resources, holder, Wanted(inner, wanted.values))
            for holder in resources
            if holder["resourceType"] == kind
        )
    head, dot, rest = wanted.name.partition(".")
    name, _, modifier = head.partition(":")
    if dot:
        kinds = (
            (modifier,)
            if modifier
            else (parameter(resource["resourceType"], name) or empty).targets
        )
        return any(
            address(target) in targets(resource, name)
            and meets(resources, target, Wanted(rest, wanted.values))
            for target in resources
            if target["resourceType"] in kinds and knows(target, rest)
        )
    if name == "_id":
        return (resource["id"] in wanted.values) != (modifier == "not")
    values = values_of(resource, name)
    if modifier == "missing":
        return bool(values) == (wanted.values == ("false",))
    if modifier == "not":
        return not any(token(v, text) for v in values for text in wanted.values)
    if modifier == "text" and name == "code" and "medication" in names(resource):
        return any(drug(resources, resource, text) for text in wanted.values)
    return any(compare(v, modifier, text) for v in values for text in wanted.values)


def values_of(resource: Resource, name: str) -> list[Any]:
    return [each.value for each in listed(orjson.dumps(resource)) if each.parameter == name]


@lru_cache(maxsize=1000)
def listed(resource: bytes) -> list[Entry]:
    return list(entries(orjson.loads(resource), ZONE))


class empty:  # noqa: N801
    targets: tuple[str, ...] = ()


def names(resource: Resource) -> set[str]:
    return {each.name for each in parameters(resource["resourceType"])}


def knows(target: Resource, name: str) -> bool:
    return name.split(".")[0].split(":")[0] in names(target)


def address(resource: Resource) -> str:
    return f"{resource['resourceType']}/{resource['id']}"


def targets(resource: Resource, name: str) -> set[str]:
    return {f"{v.type}/{v.id}" for v in values_of(resource, name) if isinstance(v, Reference)}


def drug(resources: list[Resource], resource: Resource, text: str) -> bool:
    """True if a text names a resource's drug, its medication, or an ingredient of that."""
    by_address = {address(each): each for each in resources}
    level = [resource]
    for reference in ("medication", "ingredient", ""):
        if any(named(each, text) for each in level):
            return True
        level = [
            by_address[t] for each in level for t in targets(each, reference) if t in by_address
        ]
    return False


def named(resource: Resource, text: str) -> bool:
    known = ("code", "identifier") if resource["resourceType"] == "Medication" else ("code",)
    values = [value for name in known for value in values_of(resource, name)]
    return any(compare(value, "text", text) for value in values)


def compare(value: Any, modifier: str, text: str) -> bool:
    match value:
        case Token(_, _, words) if modifier == "text":
            start = re.escape(plain(text))
            return bool(re.search(rf"(?<![0-9a-z]){start}", plain(words)))
        case Token(system, code) if modifier == "below":
            wanted_system, _, start = text.rpartition("|")
            known = {"http://hl7.org/fhir/sid/icd-10-cm", "urn:icd9"}
            return system in (
                {wanted_system} if wanted_system else known
            ) and code.lower().startswith((start.lower(), start.lower().replace(".", "")))
        case Token():
            return token(value, text)
        case Text(words) if modifier == "exact":
            return words == text
        case Text(words) if modifier == "contains":
            return plain(text) in plain(words)
        case Text(words):
            return plain(words).startswith(plain(text))
        case Interval():
            return date(value, text)
        case Quantity():
            return quantity(value, text)
        case Reference(identifier=named_by) if modifier == "identifier":
            return named_by is not None and token(named_by, text)
        case Reference(kind, id):
            wanted = f"{modifier}/{text}" if modifier else text
            return wanted == f"{kind}/{id}" or (bool(id) and wanted == id)
        case (first, second):
            a, b = text.split("$")
            return compare(first, "", a) and compare(second, "", b)
    raise AssertionError(value)


def plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.strip().casefold())
    return "".join(each for each in letters if not unicodedata.combining(each))


def token(value: Any, text: str) -> bool:
    system, bar, code = text.partition("|")
    if not bar:
        return bool(value.code.lower() == text.lower())
    return value.system == system and (not code or value.code.lower() == code.lower())


def date(value: Interval, text: str) -> bool:
    prefix, rest = split(text)
    span = interval(rest, ZONE)
    assert span
    assert span.low is not None
    assert span.high is not None
    low = -EVER if value.low is None else value.low
    high = EVER if value.high is None else value.high
    within = span.low <= low and high <= span.high
    return {
        "eq": within,
        "ne": not within,
        "gt": high > span.high,
        "lt": low < span.low,
        "ge": within or high > span.high,
        "le": within or low < span.low,
        "sa": low >= span.high,
        "eb": high <= span.low,
        "ap": low < span.high and high > span.low,
    }[prefix]


def quantity(value: Quantity, text: str) -> bool:
    amount, *unit = text.split("|")
    prefix, number = split(amount)
    if unit and unit[0] and unit != [value.system, value.code]:
        return False
    if unit and not unit[0] and unit[1] not in (value.code, value.unit):
        return False
    exact = Decimal(number)
    half = Decimal(1).scaleb(-len(number.partition(".")[2])) / 2
    near = abs(exact) / 10
    low = -EVER if value.low is None else value.low
    high = EVER if value.high is None else value.high
    point = float(exact)
    bottom, top = float(exact - half), float(exact + half)
    within = bottom <= low < top and bottom <= high < top
    return {
        "eq": within,
        "ne": not within,
        "gt": high > point,
        "lt": low < point,
        "ge": high > point or low == high == point,
        "le": low < point or low == high == point,
        "sa": low > point,
        "eb": high < point,
        "ap": high >= float(exact - near) and low <= float(exact + near),
    }[prefix]


def split(text: str) -> tuple[str, str]:
    match = re.fullmatch(r"([a-z]{2})?(.*)", text)
    assert match
    return match[1] or "eq", match[2]
