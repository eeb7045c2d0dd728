"""The compiled paths find what HL7's FHIRPath expressions find."""

import json
import re
from collections.abc import Iterator
from pathlib import Path as File
from typing import Any

from fhirpathpy import evaluate
from fhirpathpy.models import models

from tests.cases import for_each, one_in
from tests.ehr.fhir.demo import demo_samples
from wardround.ehr.fhir.definitions import Path, SearchParameter, parameters, resource_types
from wardround.ehr.fhir.index.extraction import descend, fits
from wardround.ehr.fhir.validation.defects import packaged_schema

# A value of each FHIR type that paths end with.
VALUES: dict[str, Any] = {
    "Address": {"city": "Boston"}, "Age": {"value": 3}, "CodeableConcept": {"text": "x"},
    "Coding": {"code": "x"}, "ContactPoint": {"system": "phone", "value": "1"},
    "Duration": {"value": 2}, "HumanName": {"family": "x"}, "Identifier": {"value": "x"},
    "Period": {"start": "2020"}, "Quantity": {"value": 5}, "Reference": {"reference": "Patient/1"},
    "Range": {"low": {"value": 1}},
    "SampledData": {"data": "1 2"}, "Timing": {"event": ["2020"]}, "boolean": True,
}  # fmt: skip
EXPRESSIONS = {
    (row[0], row[1]): row[2]
    for row in (
        line.split("\t")
        for line in File(__file__).with_name("expressions.tsv").read_text().splitlines()
    )
}
SCHEMA = packaged_schema()["definitions"]
# Elements of types that a kind of parameter has no use for, as the build step names them.
LEFT_OUT = {("Procedure", "date"): ("performedString", "performedAge", "performedRange")}
RESOLVE = re.compile(r"resolve\(\) is (\w+)")
CAST = re.compile(r"\(([\w.]+) as (\w+)\)|([\w.]+)\.as\((\w+)\)")


@for_each(one_in(5, resource_types()))
def test_paths_find_what_the_expressions_find(resource_type: str) -> None:
    for parameter in parameters(resource_type):
        if parameter.kind != "composite":
            samples = demo_samples(resource_type, 2)
            for resource in [*made(parameter), *of_the_schema(parameter), *samples]:
                assert at_paths(parameter, resource) == by_expression(parameter, resource)


def made(parameter: SearchParameter) -> Iterator[dict[str, Any]]:
    """A resource for each path, with one value that it finds and one beside it."""
    for path in parameter.paths:
        if isinstance(path, Path) and path.type != "truth":
            yield {"resourceType": parameter.type, **nested(path.steps, value(path))}
            yield {"resourceType": parameter.type, **nested(path.steps, value(path), many=True)}


def of_the_schema(parameter: SearchParameter) -> Iterator[dict[str, Any]]:
    """A resource for each element of the type that the expression may begin with."""
    names = re.findall(rf"{parameter.type}\.(\w+)", EXPRESSIONS[parameter.type, parameter.name])
    for name, schema in SCHEMA[parameter.type]["properties"].items():
        kind = schema.get("items", schema).get("$ref", "").rpartition("/")[2]
        left_out = LEFT_OUT.get((parameter.type, parameter.name), ())
        if name.startswith(tuple(names)) and name not in left_out and "_" not in kind:
            element = VALUES.get(kind, "2020-01-01")
            yield {
                "resourceType": parameter.type,
                name: [element] if "items" in schema else element,
            }


def value(path: Path) -> Any:
    """A value of a path's type."""
    if path.type == "Reference":
        return {"reference": f"{path.about or 'Group'}/1"}
    if path.where:
        return {path.where[0]: path.where[1], "value": "x"}
    return VALUES.get(path.type, "2020-01-01")


def nested(steps: tuple[str, ...], value: Any, many: bool = False) -> dict[str, Any]:
    """A value under names; the first is a list if there are many."""
    for name in reversed(steps[1:]):
        value = {name: value}
    return {steps[0]: [value, {"system": "x"}] if many and isinstance(value, dict) else value}


def at_paths(parameter: SearchParameter, resource: dict[str, Any]) -> list[str]:
    """The values at the parameter's paths, in a canonical order."""
    found: list[Any] = []
    for path in parameter.paths:
        assert isinstance(path, Path)
        if path.type == "truth":
            found.append(any(resource.get(name, False) is not False for name in path.steps))
        else:
            for each in descend([resource], path.steps):
                about = path.about if path.type == "Reference" else ""
                if fits(each, path.where) and (
                    not about or each.get("reference", "").startswith(f"{about}/")
                ):
                    found.append(each)
    return sorted(map(json.dumps, found))


def by_expression(parameter: SearchParameter, resource: dict[str, Any]) -> list[str]:
    """The values that fhirpathpy finds.

    It has no resolve(), and its `as` does not take lists, for which `ofType` is the same.
    """
    text = EXPRESSIONS[parameter.type, parameter.name]
    text = RESOLVE.sub(r"reference.startsWith('\1/')", text)
    text = CAST.sub(lambda each: f"{each[1] or each[3]}.ofType({each[2] or each[4]})", text)
    return sorted(map(json.dumps, evaluate(resource, text, {}, models["r4"])))
