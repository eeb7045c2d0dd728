"""References as index values: relative, absolute, contained, by identifier, canonical."""

import re
from typing import Any

from wardround.ehr.fhir.index.conversion import identifier, objects, text_at
from wardround.ehr.fhir.index.values import Reference, Token
from wardround.ehr.fhir.interaction import Resource

# `Patient/1`, optionally after a server's base URL and before a version.
ADDRESS = re.compile(
    r"(?P<base>(?:https?://[^?#]*/)?)(?P<type>[A-Z]\w+)/(?P<id>[A-Za-z0-9.-]{1,64})"
    r"(?:/_history/[A-Za-z0-9.-]{1,64})?",
    re.ASCII,
)


def reference(value: dict[str, Any], resource: Resource) -> Reference | None:
    """The index value of a Reference; None if it leads nowhere, as with a display alone.

    An absolute address has a type and an id too if its form tells them; `url` is then the whole
    address. A reference to a contained resource has its type and the url `#id`.
    """
    address = text_at(value, "reference")
    named = identifier_of(value) if "identifier" in value else None
    if match := ADDRESS.fullmatch(address):
        base, kind, name = match.groups()
        return Reference(kind, name, address if base else "", named)
    if address.startswith("#"):
        return Reference(contained_type(address[1:], resource), "", address, named)
    if address or named:
        return Reference(text_at(value, "type"), "", address, named)
    return None


def identifier_of(value: dict[str, Any]) -> Token | None:
    """The identifier that a Reference has."""
    return next((next(identifier(each)) for each in objects(value["identifier"])), None)


def contained_type(name: str, resource: Resource) -> str:
    """The type of a contained resource; empty if there is none with this id."""
    inside = objects(resource.get("contained"))
    return next((text_at(each, "resourceType") for each in inside if each.get("id") == name), "")
