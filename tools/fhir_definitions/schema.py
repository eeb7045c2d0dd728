"""Cuts HL7's JSON Schema to the types of a record, and closes its gaps.

HL7's schema lets a string stand for an object, accepts an empty list, does not restrict numbers
(its patterns are for strings) and has no enumeration for some required bindings. It requires
complex elements only, so that all cardinalities are in the table of rules instead.
"""

import json
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from tools.fhir_definitions.elements import ADDED, Elements

REFERENCE = re.compile(r'"#/definitions/(\w+)"')
# FHIR's dates; the validator checks them as such, as a pattern allows 30 February.
DATES = ("date", "dateTime", "instant")
OR_NULL = "_or_null"
LEAST = {"integer": -(2**31), "unsignedInt": 0, "positiveInt": 1}
MOST = 2**31 - 1


def cut_schema(folder: Path, types: list[str], elements: Elements) -> dict[str, Any]:
    """The definitions of the types that a record holds, and of all that they use."""
    whole = published(folder, elements)
    of_pattern = {whole[name]["pattern"]: name for name in (*DATES, *LEAST)}
    used = {name: closed(whole[name], of_pattern) for name in sorted(reached(whole, types))}
    for path, codes in bound_codes(elements, used):
        if codes:
            *holder, name = path.split(".")
            inner = find(used, holder)["properties"]
            inner[name] = enumerated(inner[name], codes)
    for name in sorted(set(re.findall(rf"/(\w+){OR_NULL}\b", json.dumps(used)))):
        used[f"{name}{OR_NULL}"] = {**used[name], "type": [used[name]["type"], "null"]}
    return used


def published(folder: Path, elements: Elements) -> dict[str, Any]:
    """HL7's definitions without what the package's publisher added."""
    whole: dict[str, Any] = json.loads((folder / "fhir.schema.json").read_text())["definitions"]
    for name, added in ADDED.items():
        for element in set(whole[name]["properties"]).intersection(added):
            del whole[name]["properties"][element]
    every = [each["$ref"].rpartition("/")[2] for each in whole["ResourceList"]["oneOf"]]
    types = [name for name in every if name in elements.types]
    whole["ResourceList"] = {"properties": {"resourceType": {"enum": types}}}
    whole["xhtml"]["type"] = "string"
    return whole


def as_text(used: dict[str, Any]) -> str:
    """The schema, one definition a line."""
    lines = (f"{json.dumps(name)}: {json.dumps(each)}" for name, each in used.items())
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
        kept |= {"minItems": 1, "items": sparse(kept["items"])}
    return kept | primitive(kept, of_pattern)


def is_sparse(name: str) -> bool:
    """True for a type whose lists may have null where the other list has the value or extension."""
    return name[0].islower() or name == "Element"


def sparse(items: dict[str, Any]) -> dict[str, Any]:
    """The items of a list, which may be null if they are primitive or their extensions."""
    if "enum" in items:
        return {"enum": [*items["enum"], None]}
    name = items["$ref"].rpartition("/")[2]
    return {"$ref": f"{items['$ref']}{OR_NULL}"} if is_sparse(name) else items


def primitive(schema: dict[str, Any], of_pattern: dict[str, str]) -> dict[str, Any]:
    """What a primitive type needs beside its pattern."""
    name = of_pattern.get(schema.get("pattern", ""))
    if name in LEAST:
        return {"type": "integer", "minimum": LEAST[name], "maximum": MOST}
    return {"format": name} if name else {}


def bound_codes(elements: Elements, types: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """The paths of plain codes with a required binding, and their codes if HL7 lists them."""
    for name in types:
        for path, definition in elements.types.get(name, {}).items():
            if [each["code"] for each in definition.get("type", ())] == ["code"]:
                expansion = elements.value_sets.required(definition)
                if expansion is not None:
                    listed = all(expansion.values())
                    yield path, list(chain(*expansion.values())) if listed else []


def find(used: dict[str, Any], steps: list[str]) -> Any:
    """The definition for the elements below a path."""
    definition = used[steps[0]]
    for step in steps[1:]:
        inner = definition["properties"][step]
        definition = used[inner.get("items", inner)["$ref"].rpartition("/")[2]]
    return definition


def enumerated(schema: dict[str, Any], codes: list[str]) -> dict[str, Any]:
    """An element, or a list of elements, restricted to codes."""
    return {**schema, "items": sparse({"enum": codes})} if "items" in schema else {"enum": codes}
