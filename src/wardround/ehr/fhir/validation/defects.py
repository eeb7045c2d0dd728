"""The defects of a resource: where it is no valid R4, and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from wardround.ehr.fhir.definitions import resource_types
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.validation.rules import Fault, Way, rule_faults
from wardround.ehr.fhir.validation.schema import schema_faults


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
        held = ", ".join(resource_types())
        return (Defect(name, f"A record holds no {name}; it holds {held}."),)
    if fault := encoding_fault(resource):
        return (Defect(name, fault),)
    sentences = faults(name, resource, ())
    return tuple(Defect(place((name, *path)), sentence) for path, sentence in sentences)


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


def place(path: Way) -> str:
    """A path as text.

    >>> place(("Patient", "name", 0, "given"))
    'Patient.name[0].given'
    """
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).lstrip(".")
