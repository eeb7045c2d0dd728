"""HL7's element definitions, read from structure definitions: the types an element may have."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.fhir_definitions.value_sets import ValueSets, read_bundle

# What the package's publisher added to HL7's types.
ADDED = {
    "Meta": ("project", "author", "account", "accounts", "onBehalfOf", "compartment"),
    "Reference": ("resource",),
}


@dataclass(frozen=True)
class Element:
    """An element as JSON names it: `valueQuantity` for the choice type `value[x]`."""

    name: str
    type: str
    definition: dict[str, Any]


class Elements:
    """The elements of all types and resource types, and the value sets they are bound to."""

    def __init__(self, folder: Path) -> None:
        self.value_sets = ValueSets(folder)
        self.types: dict[str, dict[str, dict[str, Any]]] = {}
        for file in ("profiles-types.json", "profiles-resources.json"):
            for resource in read_bundle(folder / file):
                if resource["resourceType"] == "StructureDefinition":
                    elements = resource["snapshot"]["element"]
                    self.types[resource["name"]] = {each["path"]: each for each in elements}

    def children(self, path: str) -> list[Element]:
        """The elements directly below a path such as `Observation.component`."""
        level = path.count(".") + 1
        found = self.types.get(path.partition(".")[0], {})
        return [
            element
            for name, definition in found.items()
            if name.startswith(path + ".") and name.count(".") == level
            for element in choices(name.rpartition(".")[2], definition)
            if element.name not in ADDED.get(path, ())
        ]

    def inner(self, path: str, element: Element) -> str:
        """The path below which the element's own elements are defined."""
        if reference := element.definition.get("contentReference"):
            return str(reference).partition("#")[2]
        below = f"{path}.{element.name}"
        return below if element.type in ("BackboneElement", "Element") else element.type


def choices(name: str, definition: dict[str, Any]) -> list[Element]:
    """The JSON elements for a definition, several for a choice type."""
    types = [short_type(each["code"]) for each in definition.get("type", [{"code": "Element"}])]
    if not name.endswith("[x]"):
        return [Element(name, types[0], definition)]
    stem = name.removesuffix("[x]")
    return [Element(stem + each[0].upper() + each[1:], each, definition) for each in types]


def short_type(code: str) -> str:
    """The name of a type; ids and extension URLs are written as system types of FHIRPath.

    >>> short_type("http://hl7.org/fhirpath/System.String")
    'string'
    """
    return code.rpartition("System.")[2].lower() if code.startswith("http") else code


def stem(element: Element) -> str:
    """The name of an element in paths: `value` for `valueQuantity`."""
    name = str(element.definition["path"]).rpartition(".")[2]
    return name.removesuffix("[x]")
