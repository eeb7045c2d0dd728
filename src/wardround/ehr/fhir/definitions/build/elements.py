"""The types of R4 elements, from HL7's structure definitions."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Step(NamedTuple):
    """A JSON property with the type of its value, such as `valueQuantity` and `Quantity`."""

    property: str
    type: str


class Elements:
    """The elements of all types and resources by path.

    Args:
        folder: The unpacked folder with `profiles-types.json` and `profiles-resources.json`.
    """

    def __init__(self, folder: Path) -> None:
        files = ("profiles-types.json", "profiles-resources.json")
        definitions = (entry["resource"] for name in files for entry in _entries(folder / name))
        self._types: dict[str, tuple[str, ...]] = {}
        for definition in definitions:
            for element in definition.get("snapshot", {}).get("element", ()):
                codes = (kind["code"] for kind in element.get("type", ()))
                self._types[element["path"]] = tuple(dict.fromkeys(map(_plain, codes)))

    def steps(self, parent: str, name: str) -> list[Step]:
        """The JSON properties of an element: one, or one for each type of a choice.

        Args:
            parent: A data type, or the path of a resource's or of a nested element.
            name: The element's name without `[x]`.

        Raises:
            KeyError: There is no such element.
        """
        if (choice := self._types.get(f"{parent}.{name}[x]")) is not None:
            return [Step(name + kind[0].upper() + kind[1:], kind) for kind in choice]
        [kind, *_] = self._types[f"{parent}.{name}"]
        nested = kind in ("BackboneElement", "Element")
        return [Step(name, f"{parent}.{name}" if nested else kind)]


def read_definitions(path: Path) -> Iterator[dict[str, Any]]:
    """The resources of a bundle in a file."""
    return (entry["resource"] for entry in _entries(path))


def _entries(path: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["entry"]
    return entries


def _plain(code: str) -> str:
    """A type's name; FHIRPath's system types are strings in JSON."""
    return "string" if code.startswith("http://hl7.org/fhirpath/") else code
