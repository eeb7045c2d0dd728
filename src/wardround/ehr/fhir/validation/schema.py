"""Checks the structure of resources by HL7's JSON Schema, cut to the types of a record."""

import json
from collections.abc import Iterator
from datetime import UTC
from functools import cache
from typing import Any

import jsonschema_rs

from wardround.core.packaged_data import read_text
from wardround.ehr.fhir import definitions
from wardround.ehr.fhir.index.dates import interval
from wardround.ehr.fhir.validation.rules import Fault, Way

DAY = "YYYY, YYYY-MM or YYYY-MM-DD"
TIME = "YYYY-MM-DDThh:mm:ss with Z or an offset such as -05:00"
DATES = {"date": DAY, "dateTime": f"{DAY}, or {TIME}", "instant": TIME}
SHOWN_CODES = 12
JSON_TYPES = {"array": "a list", "object": "an object", "string": "a string", "number": "a number",
              "integer": "a whole number", "boolean": "true or false",
              "null": "null"}  # fmt: skip


def schema_faults(resource_type: str, resource: Any) -> Iterator[Fault]:
    """The faults of structure, elements in their order."""
    reported = set[Way]()
    for error in validator(resource_type).iter_errors(resource):
        path = tuple(error.instance_path)
        if path in reported:
            continue
        reported.add(path)
        if isinstance(error.kind, jsonschema_rs.ValidationErrorKind.AdditionalProperties):
            for name in error.kind.unexpected:
                yield (*path, name), "R4 has no such element here."
        else:
            yield path, sentence(error)


@cache
def validator(resource_type: str) -> jsonschema_rs.Draft7Validator:
    """The validator for a resource type."""
    schema = {"$ref": f"#/definitions/{resource_type}", **packaged_schema()}
    formats = dict.fromkeys(DATES, is_date)
    return jsonschema_rs.Draft7Validator(schema, formats=formats, validate_formats=True)


@cache
def packaged_schema() -> dict[str, Any]:
    """The schema in the package."""
    schema: dict[str, Any] = json.loads(read_text(definitions.__name__, "schema.json"))
    return schema


@cache
def pattern_names() -> dict[str, str]:
    """The primitive types by their patterns."""
    types = packaged_schema()["definitions"].items()
    strings = ((name, each) for name, each in types if each["type"] == "string")
    return {each["pattern"]: name for name, each in strings if "pattern" in each}


def is_date(text: str) -> bool:
    """False for a date that no calendar has; the form itself is the pattern's affair."""
    return interval(text, UTC) is not None


def sentence(error: jsonschema_rs.ValidationError) -> str:
    """A plain sentence about a fault that the validator reports."""
    kind, value = error.kind, shown(error.instance)
    kinds = jsonschema_rs.ValidationErrorKind
    match kind:
        case kinds.Enum():
            return f"{value} is not {codes([str(code) for code in kind.options if code])}."
        case kinds.Type():
            return f"{value} must be {' or '.join(JSON_TYPES[each] for each in kind.types)}."
        case kinds.Pattern():
            return f"{value} is no {primitive(pattern_names()[kind.pattern])}."
        case kinds.Format():
            return f"{value} is no {kind.format} of the calendar."
        case kinds.MinItems():
            return "A list must have at least one item; leave it out if it has none."
        case kinds.MinProperties():
            return "An object must have at least one element; leave it out if it has none."
        case _:
            return f"{error.message}."


def codes(options: list[str]) -> str:
    """The codes to choose from, or their number if they are many."""
    if len(options) > SHOWN_CODES:
        return f"one of the {len(options)} codes that R4 has here"
    return f"one of {', '.join(options)}"


def primitive(name: str) -> str:
    """A primitive type, with its form if it is a date."""
    return f"{name}; R4 writes it as {DATES[name]}" if name in DATES else name


def shown(value: object) -> str:
    """A value as JSON, cut to 60 characters."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
