"""Resources made of a synthetic hospital, and of single rows."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ehr.making import Rows, make_database
from wardround.core.errors import UserError
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.mimic import absent_tables, resources
from wardround.ehr.hospital import build_hospital

INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-0[45]:00")


@pytest.fixture(scope="session")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> list[Resource]:
    """The resources of a small synthetic hospital."""
    path = tmp_path_factory.mktemp("hospital") / "hospital.duckdb"
    build_hospital(path, patients=8, seed=3, schema="mimic_iv")
    return list(resources(str(path)))


def parts(element: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The values of an element with the names that they stand under."""
    if isinstance(element, dict):
        for key, part in element.items():
            yield from parts(part, key)
    elif isinstance(element, list):
        for part in element:
            yield from parts(part, name)
    else:
        yield name, element


def made(tmp_path: Path, rows: dict[str, Rows]) -> list[Resource]:
    """The observations of a database with these rows."""
    path = str(tmp_path / "made.duckdb")
    make_database(path, "mimic_iv", rows)
    return [each for each in resources(path) if each["resourceType"] == "Observation"]


def test_every_reference_is_to_a_resource_that_was_made(hospital: list[Resource]) -> None:
    names = Counter(f"{each['resourceType']}/{each['id']}" for each in hospital)
    references = {value for name, value in parts(hospital) if name == "reference"}
    assert references <= names.keys()
    assert set(names.values()) == {1}


def test_times_carry_an_offset(hospital: list[Resource]) -> None:
    times = [value for _, value in parts(hospital) if re.match(r"\d{4}-\d\d-\d\dT", str(value))]
    assert len(times) > 10_000
    assert all(INSTANT.fullmatch(time) for time in times)


def test_no_element_is_empty(hospital: list[Resource]) -> None:
    assert all(value not in ("", None) for _, value in parts(hospital))


def test_a_hospital_has_all_types(hospital: list[Resource]) -> None:
    assert {each["resourceType"] for each in hospital} == {
        "Condition", "DiagnosticReport", "Encounter", "Location", "Medication",
        "MedicationAdministration", "MedicationDispense", "MedicationRequest", "Observation",
        "Organization", "Patient", "Procedure", "Specimen",
    }  # fmt: skip


def test_laboratory_results_have_a_loinc_code_beside_their_own(hospital: list[Resource]) -> None:
    sodium = next(
        each["code"]["coding"]
        for each in hospital
        if each.get("code", {}).get("coding", [{}])[0].get("code") == "50983"
    )
    assert [code["code"] for code in sodium] == ["50983", "2951-2"]
    assert sodium[1]["system"] == "http://loinc.org"


def test_laboratory_values(tmp_path: Path) -> None:
    cases: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        (("7.5", 7.5, None), {"value": 7.5}),
        (("<0.01", None, None), {"value": 0.01, "comparator": "<"}),
        (("GREATER THAN 500", 500, None), {"value": 500, "comparator": ">"}),
        (("<1>50", None, None), {"valueString": "<1>50"}),
        ((None, None, "HEMOLYZED"), {"valueString": "HEMOLYZED"}),
        ((None, None, None), {"dataAbsentReason": "unknown"}),
    ]
    names = ("value", "valuenum", "comments")
    rows = [dict(zip(names, cells, strict=True)) for cells, _ in cases]
    results = made(tmp_path, {"labevents": rows})
    assert [laboratory_value(each) for each in results] == [expected for _, expected in cases]


def laboratory_value(result: Resource) -> dict[str, Any]:
    quantity = result.get("valueQuantity", {})
    if "dataAbsentReason" in result:
        return {"dataAbsentReason": result["dataAbsentReason"]["coding"][0]["code"]}
    value = {name: quantity[name] for name in ("value", "comparator") if name in quantity}
    return value or {"valueString": result["valueString"]}


def test_an_outpatient_blood_pressure_has_two_components(tmp_path: Path) -> None:
    row = {"result_name": "Blood Pressure", "result_value": "110/65"}
    (pressure,) = made(tmp_path, {"omr": [row]})
    assert pressure["effectiveDateTime"] == "2100-01-01"
    assert [part["valueQuantity"]["value"] for part in pressure["component"]] == [110, 65]


def test_another_layout_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "eicu.duckdb")
    make_database(path, "eicu", {})
    with pytest.raises(UserError, match="is not in MIMIC-IV's layout; build one"):
        absent_tables(path)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.duckdb"
    path.write_text("no database")
    with pytest.raises(UserError, match="cannot be opened as a DuckDB file"):
        absent_tables(str(path))
    with pytest.raises(UserError, match="There is no database"):
        absent_tables(str(tmp_path / "nowhere"))


def test_an_unknown_zone_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no time zone 'Mars/Base'"):
        resources(str(tmp_path / "nowhere"), "Mars/Base")
