"""The compiler of search expressions, on definitions small enough to read."""

import json
from pathlib import Path
from typing import Any

import pytest

from tools.fhir_definitions.elements import Elements
from tools.fhir_definitions.expressions import NotCompiledError, compiled

# Elements of a made resource type, and the types they may have.
ELEMENTS = {
    "Visit": ["Visit"], "Visit.status": ["code"], "Visit.subject": ["Reference"],
    "Visit.value[x]": ["Quantity", "dateTime", "string"], "Visit.telecom": ["ContactPoint"],
    "Visit.dead[x]": ["boolean", "dateTime"], "Visit.part": ["BackboneElement"],
    "Visit.part.when[x]": ["Period"],
}  # fmt: skip
FILES = ("valuesets.json", "v3-codesystems.json", "v2-tables.json", "profiles-types.json")
STATUS = {"resourceType": "ValueSet", "url": "v", "compose": {"include": [{"system": "s"}]}}


@pytest.fixture(scope="session")
def elements(tmp_path_factory: pytest.TempPathFactory) -> Elements:
    """The definitions of the made type."""
    folder = tmp_path_factory.mktemp("definitions")
    for name in FILES:
        write_bundle(folder / name, [STATUS] if name == "valuesets.json" else [])
    found = [{"path": path, "type": [{"code": each} for each in types], "min": 0}
             for path, types in ELEMENTS.items()]  # fmt: skip
    found[1]["binding"] = {"strength": "required", "valueSet": "v|4.0.1"}
    profile = {
        "resourceType": "StructureDefinition",
        "name": "Visit",
        "snapshot": {"element": found},
    }
    write_bundle(folder / "profiles-resources.json", [profile])
    return Elements(folder)


def write_bundle(file: Path, resources: list[dict[str, Any]]) -> None:
    file.write_text(json.dumps({"entry": [{"resource": each} for each in resources]}))


CASES = [
    ("Visit.status", "token", ["status:code(s)"]),
    ("Visit.part.when", "date", ["part.whenPeriod:Period"]),
    ("(Visit.value as Quantity)", "quantity", ["valueQuantity:Quantity"]),
    ("Visit.value.as(dateTime)", "date", ["valueDateTime:dateTime"]),
    ("Visit.subject.where(resolve() is Patient)", "reference", ["subject:Reference(Patient)"]),
    ("Visit.telecom.where(system='email')", "token", ["telecom[system=email]:ContactPoint"]),
    ("Visit.dead.exists() and Visit.dead != false", "token", ["deadBoolean+deadDateTime:truth"]),
    ("Visit.value", "date", ["Quantity", "valueDateTime:dateTime", "string"]),
    ("Visit.missing", "token", ["leads to no element"]),
    ("Visit.status.lower()", "token", ["not of a form"]),
]


@pytest.mark.parametrize(("expression", "kind", "expected"), CASES)
def test_expressions_become_paths_or_named_faults(
    expression: str, kind: str, expected: list[str], elements: Elements
) -> None:
    found = list(compiled(expression, kind, elements))
    assert len(found) == len(expected)
    for each, wanted in zip(found, expected, strict=True):
        assert wanted in str(each)
        assert isinstance(each, NotCompiledError) == (":" not in wanted)
