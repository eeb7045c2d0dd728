"""References as index values: relative, absolute, contained, by identifier, canonical."""

import re
from collections.abc import Iterator
from typing import Any

from wardround.ehr.fhir.index.conversion import identifier, objects, text_at
from wardround.ehr.fhir.index.values import Reference
from wardround.ehr.fhir.interaction import Resource

# `Patient/1`, perhaps behind a server's base and before a version.
ADDRESS = re.compile(
    r"(?P<base>(?:https?://[^?#]*/)?)(?P<type>[A-Z]\w+)/(?P<id>[A-Za-z0-9.-]{1,64})"
    r"(?:/_history/[A-Za-z0-9.-]{1,64})?",
    re.ASCII,
)


def reference(value: dict[str, Any], resource: Resource) -> Iterator[Reference]:
    """The index value of a Reference.

    An absolute address has a type and an id too if its form tells them; `url` is then the whole
    address. A reference to a contained resource has its type and the url `#id`.
    """
    address, kind = text_at(value, "reference"), text_at(value, "type")
    named = next((next(identifier(each)) for each in objects(value.get("identifier"))), None)
    if match := ADDRESS.fullmatch(address):
        url = address if match["base"] else ""
        yield Reference(match["type"], match["id"], url, named)
    elif address.startswith("#"):
        yield Reference(contained_type(address[1:], resource), "", address, named)
    elif address or named:
        yield Reference(kind, "", address, named)


def contained_type(name: str, resource: Resource) -> str:
    """The type of a contained resource; empty if there is none with this id."""
    inside = objects(resource.get("contained"))
    return next((text_at(each, "resourceType") for each in inside if each.get("id") == name), "")


def canonical(value: str) -> Iterator[Reference]:
    """The index value of a canonical address."""
    yield Reference(url=value)
