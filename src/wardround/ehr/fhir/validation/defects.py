"""The defects of a resource: where it is no valid R4, and why.

JSON Schema does not state cardinalities, choices and required bindings; they are checked here.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeAlias

import jsonschema_rs
import orjson

from wardround.core.packaged_data import read_rows, read_text, split_cell
from wardround.ehr.fhir import definitions
from wardround.ehr.fhir.definitions import resource_types
from wardround.ehr.fhir.index.dates import interval
from wardround.ehr.fhir.interaction import Resource

DAY = "YYYY, YYYY-MM or YYYY-MM-DD"
TIME = "YYYY-MM-DDThh:mm:ss with Z or an offset such as -05:00"
DATES = {"date": DAY, "dateTime": f"{DAY}, or {TIME}", "instant": TIME}
SHOWN_CODES = 12
SMALL = 1_000  # bytes of an element whose soundness is kept
ID = re.compile(r"[A-Za-z0-9\-.]{1,64}", re.ASCII)
JSON_TYPES = {"array": "a list", "object": "an object", "string": "a string", "number": "a number",
              "integer": "a whole number", "boolean": "true or false",
              "null": "null"}  # fmt: skip

# The names and list places that lead to an element; the way, and a sentence about its end.
Way: TypeAlias = tuple[str | int, ...]
Fault: TypeAlias = tuple[Way, str]
# The longest way that is followed; no real resource comes near it.
DEPTH = 100


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect of a resource.

    Attributes:
        path: the element, such as `Observation.component[0].valueQuantity`.
        sentence: a sentence that says what is wrong and what R4 has there.
    """

    path: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.path}: {self.sentence}"


def defects(resource: Any) -> tuple[Defect, ...]:
    """The defects of a resource: those of its structure, then missing and wrong elements.

    >>> [str(each) for each in defects({"resourceType": "Flag", "code": {}})][0]
    'Flag.code: An object must have at least one element; leave it out if it has none.'
    """
    name = resource.get("resourceType") if isinstance(resource, dict) else None
    if not isinstance(name, str):
        return (Defect("resource", "A resource is a JSON object with a resourceType."),)
    if name not in resource_types():
        types = ", ".join(resource_types())
        return (Defect(name, f"A record holds no {name}; it holds {types}."),)
    if fault := encoding_fault(resource):
        return (Defect(name, fault),)
    if is_sound(name, resource):
        return ()
    sentences = faults(name, resource, ())
    return tuple(Defect(path_text((name, *path)), sentence) for path, sentence in sentences)


def is_sound(name: str, resource: Resource) -> bool:
    """True if a resource has no fault; elements that many resources share are checked once."""
    if "contained" in resource or any(own_faults(name, resource, ())):
        return False
    for element, value in resource.items():
        if element == "id" and isinstance(value, str) and ID.fullmatch(value):
            continue  # no other resource shares it
        text = orjson.dumps(value)
        is_fine = is_known_sound if len(text) <= SMALL else is_sound_element
        if not is_fine(name, element, text):
            return False
    return True


def is_sound_element(name: str, element: str, text: bytes) -> bool:
    """True if an element of a resource type, as JSON, has no fault."""
    value = orjson.loads(text)
    return validator(name).is_valid({"resourceType": name, element: value}) and not any(
        element_faults(name, element, value, ())
    )


is_known_sound = lru_cache(maxsize=1 << 16)(is_sound_element)


def encoding_fault(resource: Resource) -> str:
    """A sentence if the resource has no form in JSON; empty if it has."""
    try:
        orjson.dumps(resource)
    except orjson.JSONEncodeError as error:
        return f"It cannot be written as JSON: {error}."
    return ""


def faults(name: str, resource: Resource, path: Way) -> Iterator[Fault]:
    """The faults of a resource, and of contained resources of types that a record holds."""
    for below, sentence in schema_faults(name, resource):
        yield (*path, *below), sentence
    yield from rule_faults(name, resource, path)
    contained = resource.get("contained")
    for number, inner in enumerate(contained if isinstance(contained, list) else ()):
        kind = inner.get("resourceType") if isinstance(inner, dict) else None
        if kind in resource_types():
            yield from faults(str(kind), inner, (*path, "contained", number))


def path_text(path: Way) -> str:
    """A path as text.

    >>> path_text(("Patient", "name", 0, "given"))
    'Patient.name[0].given'
    """
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).lstrip(".")


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


class Rules(NamedTuple):
    """The rules for the elements of a type.

    Attributes:
        required: groups of which an element must be there.
        choices: groups of which at most one may be there.
        children: elements with the type whose rules hold below them.
        bindings: concepts with the codes, and their system, of which they must have one.
    """

    required: tuple[tuple[str, ...], ...]
    choices: tuple[frozenset[str], ...]
    children: dict[str, str]
    bindings: dict[str, tuple[str, frozenset[str]]]


@cache
def table() -> dict[str, Rules]:
    """The rules by type."""
    return {name: parse(*cells) for name, *cells in read_rows(definitions.__name__, "rules.tsv")}


def parse(required: str, choices: str, children: str, bindings: str) -> Rules:
    """The rules in a row of the table."""
    bound = (cell.partition("=") for cell in split_cell(bindings))
    return Rules(
        tuple(tuple(group.split("|")) for group in split_cell(required)),
        tuple(frozenset(group.split("|")) for group in split_cell(choices)),
        dict(pair.split("=") for pair in split_cell(children)),
        {name: parse_binding(value) for name, _, value in bound},
    )


def parse_binding(text: str) -> tuple[str, frozenset[str]]:
    """A system and its codes."""
    system, *codes = text.split("|")
    return system, frozenset(codes)


def rule_faults(name: str, value: dict[str, Any], path: Way) -> Iterator[Fault]:
    """The faults of an element and of all below it."""
    yield from own_faults(name, value, path)
    for element, inner in value.items():
        yield from element_faults(name, element, inner, path)


def own_faults(name: str, value: dict[str, Any], path: Way) -> Iterator[Fault]:
    """The elements that are missing or too many."""
    rules = table()[name]
    for group in rules.required:
        if not any(each in value for each in group):
            yield (*path, group[0]), f"R4 requires {alternatives(group)} here."
    for choice in rules.choices:
        if len(present := choice & value.keys()) > 1:
            yield path, f"At most one may be there of {', '.join(sorted(present))}."


def element_faults(name: str, element: str, inner: Any, path: Way) -> Iterator[Fault]:
    """The faults of one element of a type, and of all below it."""
    rules = table()[name]
    if element in rules.bindings:
        yield from binding_faults(inner, rules.bindings[element], (*path, element))
    if element in rules.children:
        yield from below(rules.children[element], inner, (*path, element))


def below(name: str, inner: Any, path: Way) -> Iterator[Fault]:
    """The faults of an object, or of each in a list."""
    if len(path) > DEPTH:
        yield path[:3], f"Elements below are nested more than {DEPTH} deep."
    elif isinstance(inner, dict):
        yield from rule_faults(name, inner, path)
    elif isinstance(inner, list):
        for number, each in enumerate(inner):
            yield from below(name, each, (*path, number))


def binding_faults(concept: Any, binding: tuple[str, frozenset[str]], path: Way) -> Iterator[Fault]:
    """The fault of a concept without a code from its value set."""
    system, codes = binding
    codings = concept.get("coding") if isinstance(concept, dict) else None
    objects = [
        each for each in (codings if isinstance(codings, list) else ()) if isinstance(each, dict)
    ]
    if not any(each.get("system") == system and str(each.get("code")) in codes for each in objects):
        yield path, f"A coding must be of {system}: {', '.join(sorted(codes))}."


def alternatives(group: tuple[str, ...]) -> str:
    """The names of a group without the forms that have extensions only."""
    return " or ".join(name for name in group if not name.startswith("_"))
