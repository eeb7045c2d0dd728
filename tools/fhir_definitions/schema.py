"""Cuts HL7's JSON Schema to the types of a record, and closes its gaps.

HL7's schema lets a string stand for an object, accepts an empty list, does not restrict numbers
(its patterns are for strings) and has no enumeration for some required bindings. It requires
complex elements only, so that all cardinalities are in the table of rules instead.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.fhir_definitions.elements import ADDED, Elements

REFERENCE = re.compile(r'"#/definitions/(\w+)"')
# FHIR's dates; the validator checks them as such, as a pattern allows 30 February.
DATES = ("date", "dateTime", "instant")
NUMBERS = {"integer": {}, "unsignedInt": {"minimum": 0}, "positiveInt": {"minimum": 1}}


def cut_schema(folder: Path, types: list[str], elements: Elements) -> str:
    """The schema as text, one definition a line."""
    whole = json.loads((folder / "fhir.schema.json").read_text())["definitions"]
    for name, added in ADDED.items():
        whole[name]["properties"] = {
            element: each
            for element, each in whole[name]["properties"].items()
            if element.lstrip("_") not in added
        }
    every = [each["$ref"].rpartition("/")[2] for each in whole["ResourceList"]["oneOf"]]
    resource_types = [name for name in every if name in elements.types]
    whole["ResourceList"] = {"properties": {"resourceType": {"enum": resource_types}}}
    of_pattern = {whole[name]["pattern"]: name for name in (*DATES, *NUMBERS)}
    used = {name: closed(whole[name], of_pattern) for name in reached(whole, types)}
    for path, codes in bound_codes(elements, sorted(used)):
        *holder, name = path.split(".")
        definition = find(used, holder)
        definition["properties"][name] = enumerated(definition["properties"][name], codes)
    lines = (f"{json.dumps(name)}: {json.dumps(used[name])}" for name in sorted(used))
    return '{"definitions": {\n' + ",\n".join(lines) + "\n}}\n"


def reached(whole: dict[str, Any], types: list[str]) -> set[str]:
    """The names of the definitions that some types use."""
    names, ahead = set[str](), list(types)
    while ahead:
        name = ahead.pop()
        if name not in names:
            names.add(name)
            ahead += REFERENCE.findall(json.dumps(whole[name]))
    return names


def closed(schema: Any, of_pattern: dict[str, str]) -> Any:
    """A schema without descriptions and without HL7's gaps."""
    if isinstance(schema, list):
        return [closed(each, of_pattern) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: closed(each, of_pattern) for name, each in schema.items()
            if name not in ("description", "properties", "required")}  # fmt: skip
    if "properties" in schema:
        inner = schema["properties"]
        kept["properties"] = {name: closed(each, of_pattern) for name, each in inner.items()}
        kept |= {"type": "object", "minProperties": 1}
    if kept.get("type") == "array":
        kept["minItems"] = 1
    return kept | primitive(kept, of_pattern)


def primitive(schema: dict[str, Any], of_pattern: dict[str, str]) -> dict[str, Any]:
    """What a primitive type needs beside its pattern."""
    name = of_pattern.get(schema.get("pattern", ""))
    if name in NUMBERS:
        return {"type": "integer", **NUMBERS[name]}
    return {"format": name} if name else {}


def bound_codes(elements: Elements, types: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The paths of plain codes with a required binding, and the codes that they may have."""
    for name in types:
        for path, definition in elements.types.get(name, {}).items():
            if [each["code"] for each in definition.get("type", ())] == ["code"]:
                expansion = elements.value_sets.required(definition) or {}
                if expansion and all(expansion.values()):
                    yield path, [code for codes in expansion.values() for code in codes]


def find(used: dict[str, Any], steps: list[str]) -> Any:
    """The definition for the elements below a path."""
    definition = used[steps[0]]
    for step in steps[1:]:
        inner = definition["properties"][step]
        definition = used[inner.get("items", inner)["$ref"].rpartition("/")[2]]
    return definition


def enumerated(schema: dict[str, Any], codes: list[str]) -> dict[str, Any]:
    """An element, or a list of elements, restricted to codes."""
    return {**schema, "items": {"enum": codes}} if "items" in schema else {"enum": codes}
