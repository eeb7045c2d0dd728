"""Expands HL7's value sets to the codes of each system."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class ValueSets:
    """The value sets and code systems of the published files, by address."""

    def __init__(self, folder: Path) -> None:
        files = ("valuesets.json", "v3-codesystems.json", "v2-tables.json")
        resources = [each for file in files for each in read_bundle(folder / file)]
        self.sets, self.systems = (
            {each["url"]: each for each in resources if each["resourceType"] == kind}
            for kind in ("ValueSet", "CodeSystem")
        )

    def required(self, definition: dict[str, Any]) -> dict[str, list[str]] | None:
        """The codes by system that an element must be from; None without a required binding."""
        binding = definition.get("binding", {})
        if binding.get("strength") != "required":
            return None
        return self.expand(binding["valueSet"].partition("|")[0])

    def expand(self, url: str) -> dict[str, list[str]]:
        """The codes of a value set by system; empty for a system that is not published here."""
        return {
            part["system"]: [code["code"] for code in part.get("concept", ())]
            or list(codes(self.systems.get(part["system"], {})))
            for part in self.sets[url]["compose"]["include"]
        }


def codes(concepts: dict[str, Any]) -> Iterator[str]:
    """The codes of a system, those below a code included."""
    for concept in concepts.get("concept", ()):
        yield concept["code"]
        yield from codes(concept)


def read_bundle(file: Path) -> list[dict[str, Any]]:
    """The resources of a Bundle."""
    return [entry["resource"] for entry in json.loads(file.read_text())["entry"]]
